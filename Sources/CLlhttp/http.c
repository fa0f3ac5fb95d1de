/* The rules of message framing, from the installed sources, compiled in strict mode. */
#include "llhttp.h"
#include "/usr/share/llhttp/http.c"
