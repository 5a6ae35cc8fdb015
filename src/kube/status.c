#include "kube/client.h"
