# Sourced by with-server: an installed CouchDB, run from its own release folder, of which nothing is changed.
# shellcheck shell=bash disable=SC2034,SC2154

server_prepare() {
  config=${config:-stock}
  ini=$configs/couchdb/$config.ini
  [ -f "$ini" ] || die -64 "couchdb has no configuration $config (see --list)"
  local binary
  binary=$(installed "${COUCHDB_BIN-}" couchdb /opt/couchdb/bin/couchdb) ||
    unavailable "no CouchDB found: neither \$COUCHDB_BIN, nor couchdb on the PATH, nor /opt/couchdb/bin/couchdb"
  binary=$(readlink -f "$binary")
  couchdb=$binary release=${binary%/bin/*}
  [ -r "$release/etc/default.ini" ] || unavailable "$release/etc/default.ini is not there, or may not be read"
  check_config
}

exists() { [ -e "$1" ]; } # for a pattern that the shell has expanded

check_config() {
  case $config in
    quickjs)
      exists "$release"/lib/couch_quickjs-*/priv/couchjs_mainjs* || unavailable "this CouchDB was built without QuickJS"
      ;;
    spidermonkey)
      exists "$release/bin/couchjs" || exists "$release"/lib/couch-*/priv/couchjs ||
        unavailable "this CouchDB was built without SpiderMonkey"
      ;;
    nouveau)
      exists "$release"/lib/nouveau-* || unavailable "this CouchDB has no Nouveau"
      (exec 3<>/dev/tcp/127.0.0.1/5987) 2>/dev/null ||
        say "no Nouveau server answers on 127.0.0.1:5987: _nouveau will answer 503"
      ;;
  esac
}

server_command() {
  # The last file is the one that CouchDB writes to: the hash of the password and its uuid.
  cat >"$folder/local.ini" <<END
[couchdb]
single_node = true
database_dir = $folder/data
view_index_dir = $folder/data
uri_file = $folder/uri
[smoosh]
state_dir = $folder/data
[chttpd]
bind_address = 127.0.0.1
port = 0
[admins]
$user = $password
END
  mkdir "$folder/data"
  rm -f "$folder/uri"
  # No epmd and no port for other nodes: nothing outlives the server, and any number run at once.
  command=(env HOME="$folder" COUCHDB_INI_FILES="$release/etc/default.ini $ini $folder/local.ini"
    "$couchdb" -start_epmd false -dist_listen false -setcookie "$RANDOM$RANDOM")
}

# Ready once the administrator is known: the first check of a password takes 0.2 to 0.4 s, and the
# databases of a single node are made by the server itself after it has begun to listen.
server_answers() {
  local uri
  [ -s "$folder/uri" ] || return 1
  read -r uri <"$folder/uri"
  uri=${uri%/}
  port=${uri##*:}
  [ "$(http_status GET "$port" /_up)" = 200 ] &&
    [ "$(http_status GET "$port" /_users "$user:$password")" = 200 ]
}
