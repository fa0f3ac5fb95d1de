"""Hits of a Python cache: for every line with a number, so many requests, answered with the nanoseconds they took."""
import sys
import time

kind, directory, url, byte_count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])

if kind == "hishel":
    import hishel
    import hishel.httpx

    client = hishel.httpx.CacheClient(storage=hishel.SqliteStorage(database_path=directory + "/hishel.sqlite"))
    get = lambda: client.get(url).content
else:
    import requests_cache

    client = requests_cache.CachedSession(
        directory + "/requests.sqlite", backend="sqlite", cache_control=True)
    get = lambda: client.get(url).content

for line in sys.stdin:
    operations = int(line)
    start = time.perf_counter_ns()
    for _ in range(operations):
        if len(get()) != byte_count:
            raise SystemExit("a wrong body")
    print(time.perf_counter_ns() - start, flush=True)
