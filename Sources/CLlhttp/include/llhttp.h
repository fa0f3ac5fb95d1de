/* The parser's header where Debian's package installs it; the parser's own sources ask for it by this name. */
#define LLHTTP_STRICT_MODE 1
#include "/usr/share/include/llhttp/llhttp.h"
