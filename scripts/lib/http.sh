# Sourced by with-server: just enough HTTP over bash's /dev/tcp to tell when a server answers and
# to set it up. No curl is needed, and no password appears in a list of processes.
# shellcheck shell=bash

# Prints the status of METHOD http://127.0.0.1:PORT/PATH; fails when there is no answer.
http_status() { # METHOD PORT PATH [USER:PASSWORD] [JSON]
  local method=$1 port=$2 path=$3 credentials=${4-} body=${5-}
  (
    LC_ALL=C # lengths in bytes
    exec 3<>"/dev/tcp/127.0.0.1/$port" || exit 1
    printf '%s %s HTTP/1.0\r\nHost: 127.0.0.1:%s\r\n' "$method" "$path" "$port" >&3
    if [ -n "$credentials" ]; then
      printf 'Authorization: Basic %s\r\n' "$(printf '%s' "$credentials" | base64 -w 0)" >&3
    fi
    printf 'Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' "${#body}" "$body" >&3
    IFS=' ' read -r -t 15 _ status _ <&3 && [ -n "$status" ] && printf '%s\n' "$status"
  ) 2>/dev/null
}

# A port that nothing listens on now, outside the range that outgoing connections take.
free_port() {
  local port
  for _ in {1..50}; do
    port=$((20000 + RANDOM % 12000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { printf '%s\n' "$port"; return; }
  done
  die "no free port found"
}
