#!/usr/bin/env bash
# Hits per second of `larder proxy`, of nginx's proxy_cache and of Varnish where it is installed, on one core each in turns,
# with the load from another core.
#
#   Benchmarks/proxy.sh [ROUNDS] [SECONDS]     (default: 5 rounds of 3 s)
#
# Prints a Markdown table with the medians. Needs a release build of `larder`, and wrk and nginx (scripts/dependencies bench).
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-5}
seconds=${2:-3}
larder=$PWD/.build/release/larder
work=$(mktemp -d)
pids=()
trap 'for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done; wait 2>/dev/null || true; rm -rf "$work"' EXIT

[ -x "$larder" ] || { echo "build first: swift build -c release --product larder" >&2; exit 1; }
for tool in wrk nginx taskset python3; do
    command -v "$tool" >/dev/null || { echo "$tool is missing: scripts/dependencies bench" >&2; exit 1; }
done

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

wait_for() { # port
    for _ in $(seq 100); do
        if (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; then return; fi
        sleep 0.1
    done
    echo "nothing listens on port $1" >&2
    exit 1
}

# One nginx is the origin of static files and, in a process of its own, the cache to compare with.
mkdir -p "$work/site"
for size in 1k:1024 4k:4096 100k:102400 5m:5242880; do head -c "${size#*:}" /dev/urandom >"$work/site/${size%%:*}"; done
origin_port=$(free_port)
nginx_port=$(free_port)
# A worker of nginx that root starts would be another user, who may not read the files.
user=$([ "$(id -u)" = 0 ] && echo "user root;" || true)
common="$user daemon off; worker_processes 1; error_log $work/error.log; events { worker_connections 1024; }"
paths=$(for name in client_body proxy fastcgi uwsgi scgi; do echo "${name}_temp_path $work/$name;"; done)
cat >"$work/origin.conf" <<CONF
$common pid $work/origin.pid;
http { access_log off; $paths server { listen 127.0.0.1:$origin_port; root $work/site; add_header Cache-Control max-age=3600; } }
CONF
cat >"$work/cache.conf" <<CONF
$common pid $work/cache.pid;
http {
    access_log off; sendfile on; tcp_nopush off; tcp_nodelay on; keepalive_requests 100000000; $paths
    proxy_cache_path $work/cache levels=1:2 keys_zone=z:10m max_size=1g inactive=1h use_temp_path=off;
    server {
        listen 127.0.0.1:$nginx_port;
        location / { proxy_pass http://127.0.0.1:$origin_port; proxy_cache z; add_header X-Cache \$upstream_cache_status; }
    }
}
CONF
nginx -c "$work/origin.conf" 2>/dev/null & pids+=($!)
taskset -c 0 nginx -c "$work/cache.conf" 2>/dev/null & pids+=($!)
taskset -c 0 "$larder" proxy --listen 127.0.0.1:0 --origin "http://127.0.0.1:$origin_port" --cache "$work/larder" \
    >"$work/larder.out" 2>"$work/larder.err" & pids+=($!)
for _ in $(seq 100); do grep -q '^Proxy: ' "$work/larder.out" && break; sleep 0.1; done
larder_port=$(sed -nE 's|^Proxy: http://127.0.0.1:([0-9]+)/.*|\1|p' "$work/larder.out")
wait_for "$origin_port"
wait_for "$nginx_port"
varnish_port=
if command -v varnishd >/dev/null; then
    varnish_port=$(free_port)
    taskset -c 0 varnishd -F -j none -n "$work/varnish" -a "127.0.0.1:$varnish_port" -b "127.0.0.1:$origin_port" \
        -s malloc,256m >"$work/varnish.out" 2>&1 & pids+=($!)
    wait_for "$varnish_port"
fi

rate() { # port, path, connections
    taskset -c 1 wrk -t1 -c"$3" -d"${seconds}s" "http://127.0.0.1:$1/$2" >"$work/wrk.out"
    if grep -qE 'Non-2xx|Socket errors' "$work/wrk.out"; then cat "$work/wrk.out" >&2; exit 1; fi
    sed -nE 's|^Requests/sec: *([0-9.]+).*|\1|p' "$work/wrk.out"
}

median() { sort -n | awk '{ v[NR] = $1 } END { print int((NR % 2) ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2) }'; }

echo "| body | connections | larder, hits/s | nginx, hits/s | ratio | Varnish, hits/s |"
echo "| --- | ---: | ---: | ---: | ---: | ---: |"
for path in 1k 4k 100k 5m; do
    for connections in 1 16 64; do
        : >"$work/l"; : >"$work/n"; : >"$work/v"
        for port in "$larder_port" "$nginx_port" $varnish_port; do
            curl -fsS -o /dev/null "http://127.0.0.1:$port/$path"
        done
        for _ in $(seq "$rounds"); do
            rate "$larder_port" "$path" "$connections" >>"$work/l"
            rate "$nginx_port" "$path" "$connections" >>"$work/n"
            if [ -n "$varnish_port" ]; then rate "$varnish_port" "$path" "$connections" >>"$work/v"; fi
        done
        l=$(median <"$work/l"); n=$(median <"$work/n"); v=$(median <"$work/v")
        [ -n "$varnish_port" ] || v=–
        echo "| $path | $connections | $l | $n | $(awk -v l="$l" -v n="$n" 'BEGIN { printf "%.2f", l / n }') | $v |"
    done
done
