# Sourced by with-server: an installed Sync Gateway over its in-memory store.
# shellcheck shell=bash disable=SC2034,SC2154

picks_port=no # the configuration names three

server_prepare() {
  config=${config:-in-memory}
  case $config in
    in-memory) ;;
    couchbase-server) die -64 "sync-gateway:couchbase-server needs a Couchbase Server, which is not started here" ;;
    *) die -64 "sync-gateway has the configuration in-memory, not $config" ;;
  esac
  local usual=/opt/couchbase-sync-gateway/bin/sync_gateway
  sync_gateway=$(installed "${SYNC_GATEWAY_BIN-}" sync_gateway "$usual") ||
    unavailable "no Sync Gateway found: neither \$SYNC_GATEWAY_BIN, nor sync_gateway on the PATH, nor $usual"
  user='tunecouch' database='tunecouch'
}

server_command() {
  local metrics_port
  admin_port=$(free_port) metrics_port=$(free_port)
  database_made=''
  sed -e "s/127\.0\.0\.1:4984/127.0.0.1:$port/" -e "s/127\.0\.0\.1:4985/127.0.0.1:$admin_port/" \
    -e "s/127\.0\.0\.1:4986/127.0.0.1:$metrics_port/" \
    "$configs/sync-gateway/$config/bootstrap.json" >"$folder/bootstrap.json"
  command=(env HOME="$folder" "$sync_gateway" "$folder/bootstrap.json")
}

# Once it is up the database and its user are made, through the admin port.
server_answers() {
  [ "$(http_status GET "$port" /)" = 200 ] && [ "$(http_status GET "$admin_port" /)" = 200 ] || return 1
  if [ -z "$database_made" ]; then
    made "/$database/" "$(<"$configs/sync-gateway/$config/database.json")" &&
      made "/$database/_user/$user" "{\"name\":\"$user\",\"password\":\"$password\",\"admin_channels\":[\"*\"]}" || return 1
    database_made=yes
  fi
  [ "$(http_status GET "$port" "/$database/" "$user:$password")" = 200 ]
}

# 412 and 409: made by an attempt whose answer did not come in time
made() { # PATH JSON
  case $(http_status PUT "$admin_port" "$1" '' "$2") in
    200 | 201 | 409 | 412) ;;
    *) return 1 ;;
  esac
}
