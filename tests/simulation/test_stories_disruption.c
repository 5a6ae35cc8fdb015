#include "simulation/story.h"
int main(void)
{
    return 0;
}
