/* The functions that callers use, from the installed sources, compiled in strict mode. */
#include "llhttp.h"
#include "/usr/share/llhttp/api.c"
