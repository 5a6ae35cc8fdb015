#pragma once

#include "base/loop.h"

struct loop *loop_create(void);
