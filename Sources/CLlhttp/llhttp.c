/* The state machine, from the installed sources, compiled in strict mode. */
#include "llhttp.h"
#include "/usr/share/llhttp/llhttp.c"
