#include "BareCurl.h"

#include <curl/curl.h>

static size_t count(char *bytes, size_t size, size_t number, void *total) {
    (void)bytes;
    *(long *)total += (long)(size * number);
    return size * number;
}

void *bare_curl_open(void) { return curl_easy_init(); }

long bare_curl_get(void *handle, const char *url) {
    long total = 0;
    curl_easy_setopt(handle, CURLOPT_URL, url);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, count);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, &total);
    return curl_easy_perform(handle) == CURLE_OK ? total : -1;
}

void bare_curl_close(void *handle) { curl_easy_cleanup(handle); }
