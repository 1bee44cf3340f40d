#pragma once

// What Swift's module of glibc leaves out of it: malloc_trim.
#include <malloc.h>
