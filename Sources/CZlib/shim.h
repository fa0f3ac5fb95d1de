#include <zlib.h>

/* deflateInit2 and inflateInit2 are macros, which Swift does not import. */

static inline int czlib_start_gzip(z_streamp stream, int level)
{
    return deflateInit2(stream, level, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
}
