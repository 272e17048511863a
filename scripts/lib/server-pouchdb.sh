# Sourced by with-server: PouchDB Server, installed by npm into a cache folder.
# shellcheck shell=bash disable=SC2034,SC2154

NODE_OLDEST=18

server_prepare() {
  local source=$configs/pouchdb found
  config=${config:-leveldb}
  case $config in leveldb | memory) ;; *) die -64 "pouchdb has the configurations leveldb and memory, not $config" ;; esac
  have node || unavailable "node is not installed: scripts/install-deps installs it"
  found=$(node -p 'process.versions.node.split(".")[0]')
  [ "$found" -ge "$NODE_OLDEST" ] || unavailable "node $NODE_OLDEST or newer is needed, this is $found"
  modules=$(pouchdb_modules "$source") || unavailable "the npm packages of PouchDB Server could not be installed"
}

# Prints the folder that holds the packages of SOURCE's lock file, installed there once.
pouchdb_modules() { # SOURCE
  local source=$1 cache target
  cache=${XDG_CACHE_HOME:-${HOME:-${TMPDIR:-/tmp}}/.cache}/tunecouch
  target=$cache/pouchdb-$(sha256sum <"$source/package-lock.json" | cut -c 1-16)
  mkdir -p "$cache" || return 1
  (
    flock 9 # two at once: the second waits and finds it done
    [ ! -d "$target" ] || exit 0
    have npm || { say "npm is not installed: scripts/install-deps installs it"; exit 1; }
    say "installing PouchDB Server from npm into $target (once)"
    rm -rf "$target.new"
    mkdir "$target.new" && cp "$source/package.json" "$source/package-lock.json" "$target.new" &&
      (cd "$target.new" && npm ci --ignore-scripts --no-fund --no-audit --omit=dev --loglevel=error >&2) &&
      mv "$target.new" "$target"
  ) 9>"$cache/pouchdb.lock" || return 1
  printf '%s/node_modules\n' "$target"
}

server_command() {
  printf '%s:%s' "$user" "$password" >"$folder/admin"
  command=(env NODE_PATH="$modules" node "$configs/pouchdb/server.js"
    --port-file "$folder/port" --admin-file "$folder/admin" --parent "$$")
  if [ "$config" = memory ]; then command+=(--memory); else command+=(--dir "$folder/data"); fi
}

server_answers() {
  [ -s "$folder/port" ] || return 1
  read -r port <"$folder/port"
  [ "$(http_status GET "$port" /_all_dbs "$user:$password")" = 200 ]
}
