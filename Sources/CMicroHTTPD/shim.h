#include <microhttpd.h>

/* What Swift cannot call or import: variadic functions and casted macros. */

typedef void *(*cmhd_target_callback)(void *cls, const char *target, struct MHD_Connection *connection);

static inline struct MHD_Daemon *
cmhd_start(unsigned int flags, int listen_socket, unsigned int threads, unsigned int connections_max,
           unsigned int idle_timeout_seconds, size_t connection_memory, MHD_AccessHandlerCallback handler,
           cmhd_target_callback target, size_t (*unescape)(void *, struct MHD_Connection *, char *),
           MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback connection_changed, void *cls)
{
    return MHD_start_daemon(
        flags, 0, NULL, NULL, handler, cls,
        MHD_OPTION_LISTEN_SOCKET, listen_socket,
        MHD_OPTION_THREAD_POOL_SIZE, threads,
        MHD_OPTION_CONNECTION_LIMIT, connections_max,
        MHD_OPTION_CONNECTION_TIMEOUT, idle_timeout_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
        MHD_OPTION_URI_LOG_CALLBACK, target, cls,
        MHD_OPTION_UNESCAPE_CALLBACK, unescape, cls,
        MHD_OPTION_NOTIFY_COMPLETED, completed, cls,
        MHD_OPTION_NOTIFY_CONNECTION, connection_changed, cls,
        MHD_OPTION_END);
}

static inline const struct sockaddr *cmhd_client_address(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info ? info->client_addr : NULL;
}

static inline int cmhd_socket(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static const uint64_t cmhd_size_unknown = MHD_SIZE_UNKNOWN;
static const ssize_t cmhd_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t cmhd_end_with_error = MHD_CONTENT_READER_END_WITH_ERROR;
