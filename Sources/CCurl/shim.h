// libcurl for Swift: the variadic calls, one function for each kind of argument, and the constants that the importer
// leaves out. Compiles against 7.88 as well as against later versions.
#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>
#include <stdint.h>
#ifdef __linux__
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#endif

static inline CURLcode lcurl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode lcurl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode lcurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode lcurl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode lcurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode lcurl_set_transfer(CURL *handle, CURLoption option, curl_write_callback value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode lcurl_set_seek(CURL *handle, curl_seek_callback value) {
    return curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, value);
}
static inline CURLcode lcurl_set_prerequest(CURL *handle, curl_prereq_callback value) {
    return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, value);
}

static inline CURLcode lcurl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode lcurl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode lcurl_get_text(CURL *handle, CURLINFO info, const char **value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode lcurl_get_certificates(CURL *handle, struct curl_certinfo **value) {
    return curl_easy_getinfo(handle, CURLINFO_CERTINFO, value);
}

// Whether the last exchange went through a proxy; libraries before 8.7 do not tell.
static inline long lcurl_uses_proxy(CURL *handle) {
    long used = 0;
#if LIBCURL_VERSION_NUM >= 0x080700
    curl_easy_getinfo(handle, CURLINFO_USED_PROXY, &used);
#endif
    return used;
}

// The kernel's smoothed round trip of a handle's last connection and its mean deviation, in microseconds; 0 when it is not
// TCP, is closed, or the kernel does not tell.
static inline int lcurl_round_trip(CURL *handle, uint32_t *smoothed, uint32_t *deviation) {
#ifdef __linux__
    curl_socket_t socket = CURL_SOCKET_BAD;
    if (curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, &socket) != CURLE_OK || socket == CURL_SOCKET_BAD) return 0;
    struct tcp_info info;
    socklen_t length = sizeof info;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 || info.tcpi_rtt == 0) return 0;
    *smoothed = info.tcpi_rtt;
    *deviation = info.tcpi_rttvar;
    return 1;
#else
    return 0;
#endif
}

static inline CURLMcode lcurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

// The result of a finished transfer is a member of a union.
static inline CURLcode lcurl_message_result(const CURLMsg *message) { return message->data.result; }

static inline curl_version_info_data *lcurl_version(void) { return curl_version_info(CURLVERSION_NOW); }

static const long LCURL_GLOBAL_ALL = CURL_GLOBAL_ALL;
static const long LCURL_HSTS_ENABLE = CURLHSTS_ENABLE;
static const long LCURL_ALTSVC_READONLYFILE = CURLALTSVC_READONLYFILE;
static const long LCURL_ALTSVC_ALL = CURLALTSVC_H1 | CURLALTSVC_H2 | CURLALTSVC_H3;
static const long LCURL_PIPE_MULTIPLEX = CURLPIPE_MULTIPLEX;
static const size_t LCURL_WRITE_PAUSE = CURL_WRITEFUNC_PAUSE;
static const size_t LCURL_READ_PAUSE = CURL_READFUNC_PAUSE;
static const size_t LCURL_READ_ABORT = CURL_READFUNC_ABORT;

/* A field or other piece beyond a limit (libcurl 8.6): under a name that older headers lack. */
#if LIBCURL_VERSION_NUM < 0x080600
static const CURLcode CURLE_TOO_LARGE = (CURLcode)100;
#endif
