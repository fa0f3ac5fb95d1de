// A GET by libcurl's simplest interface: the floor under every exchange.
#pragma once

// A handle that keeps its connection; NULL without memory.
void *bare_curl_open(void);
// Reads a URL to its end: the bytes of the body, or -1.
long bare_curl_get(void *handle, const char *url);
void bare_curl_close(void *handle);
