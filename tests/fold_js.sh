#!/bin/sh
# The folding of the client and that of the map function, compared on JavaScript engines that are
# here: Node (PouchDB Server) and CouchDB's own processes (QuickJS, SpiderMonkey), which are spoken
# to as CouchDB does. COUCHDB_HOME: where CouchDB is installed (default: Apache's packages' folder).
set -eu
words=${top_builddir:-.}/tests/fold_words
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cat >"$dir/couchjs.js" <<'END'
var row, map, lines = require('fs').readFileSync(0, 'utf8').split('\n');
function emit(key, value) { row.push([key, value]); }
lines.forEach(function (line) {
  if (line === '') return;
  var command = JSON.parse(line);
  if (command[0] === 'add_fun') map = eval('(' + command[1] + ')');
  row = [];
  if (command[0] === 'map_doc') map(command[1]);
  console.log(command[0] === 'map_doc' ? JSON.stringify([row]) : 'true');
});
END

engines=0
# check NAME COMMAND...: every document must answer that both foldings are the same
check() {
    name=$1
    shift
    engines=$((engines + 1))
    for rule in ascii lower nocase-noaccent; do
        for what in all "${top_srcdir:-.}/data/sample.json"; do
            "$words" "$rule" "$what" >"$dir/in"
            "$@" <"$dir/in" >"$dir/out"
            docs=$(grep -c map_doc "$dir/in")
            same=$(grep -c '^\[\[\[true,null\]\]\]$' "$dir/out" || true)
            if [ "$docs" -ne "$same" ]; then
                echo "$name, $rule, $what: $same of $docs fold alike"
                grep -vn '^\[\[\[true,null\]\]\]$' "$dir/out" | head -n 5
                exit 1
            fi
            echo "$name, $rule, ${what##*/}: $docs fold alike"
        done
    done
}

if command -v node >/dev/null 2>&1; then
    check "Node $(node --version)" node "$dir/couchjs.js"
fi
for process in "${COUCHDB_HOME:-/opt/couchdb}"/lib/couch_quickjs-*/priv/couchjs_mainjs \
    "${COUCHDB_HOME:-/opt/couchdb}"/lib/couch-*/priv/couchjs; do
    if [ -x "$process" ]; then
        check "${process##*/lib/}" "$process"
    fi
done
[ "$engines" -gt 0 ] || { echo "no JavaScript engine here"; exit 77; }
