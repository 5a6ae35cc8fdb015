#include "base/loop.h"
