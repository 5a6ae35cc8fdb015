// The candidates of completion, for those who ask by another way than `adze completion`.
#pragma once

// For `kubectl adze`: prints the candidates for the last word of the line, and the directive of
// kubectl's completion. Returns the exit code.
int complete_for_kubectl(int count, char **words);
