#!/bin/sh
# The program end to end over Sync Gateway: over the stand-in (fake_sync_gateway), on loopback.
# shellcheck source=tests/cli/lib.sh
. "${top_srcdir:-.}/tests/cli/lib.sh"

for tool in curl jq; do
    command -v "$tool" >/dev/null || { echo "no $tool here"; exit 77; }
done
stand_in=${top_builddir:-.}/tests/fake_sync_gateway
unset TUNECOUCH_USER TUNECOUCH_PASSWORD

# start ARGUMENT…: sets $public and $admin. It serves until its standard input, $work/hold, ends.
start() {
    rm -f "$work/hold" "$work/r.json"
    mkfifo "$work/hold"
    : >"$work/said" # there before it is looked at
    "$stand_in" "$@" <"$work/hold" >"$work/said" &
    server=$!
    exec 3>"$work/hold"
    tries=0
    while [ "$(grep -c '^http' "$work/said")" -lt 2 ]; do
        tries=$((tries + 1))
        [ "$tries" -le 400 ] || { echo "not ok the stand-in: no addresses after 20 s"; exit 1; }
        sleep 0.05
    done
    public=$(sed -n 1p "$work/said")
    admin=$(sed -n 2p "$work/said")
}
stop() {
    exec 3>&-
    wait "$server"
    code=$?
    server=
    expect_code 0
}
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT

on_database() { # METHOD PATH [JSON]
    curl -s -X "$1" -H "Content-Type: application/json" ${3:+-d "$3"} "$admin/library$2"
}
# step PHASE STATE WORDS: in every run the phase ended so, with these words in its reason or a note
step() {
    expect_json "$work/r.json" "[.specs[].runs[].phases[] | select(.name == \"$1\") |
        .state == \"$2\" and ([.reason // \"\"] + (.notes // []) | any(contains(\"$3\")))] | length > 0 and all"
}

# ---- the whole run, over a store like Couchbase Server's ------------------------------------------

start library
try "a whole run" run "$public" --admin-url "$admin" --database library --scale 0.05 --runs 2 --save "$work/r.json"
expect_code 0
expect_out "on Couchbase Sync Gateway 3.1.0"
expect_json "$work/r.json" '[.specs[].runs[].phases[] | .state] | unique == ["ok", "skipped"]'
expect_json "$work/r.json" '[.specs[].runs[].phases[] | select(.via == "mango" or .via == "search") | .state] | unique == ["skipped"]'
expect_json "$work/r.json" '[.specs[].runs[].phases[] | select(.via == "view" or .via == null) | .state] | unique == ["ok"]'
expect_json "$work/r.json" '[.specs[].runs[].phases[] | select(.name == "import") | .docs.ok] == [609, 609]'
step import ok "does not say how many documents"
step mango.artists skipped "no Mango queries"
step search.query skipped "no full-text search"
step view.artists ok ""
expect_json "$work/r.json" '[.specs[].runs[].phases[] | select(.name == "view.albums") | .facts.grouping] | unique == ["group_level=2"]'
check "the marker is gone" sh -c "curl -s '$admin/library/_local/tunecouch' | grep -q not_found"

try "bulkdocs" run "$public" --admin-url "$admin" --database library -w bulkdocs --docs 500 --doc-size 1k --runs 2 --save "$work/r.json"
expect_code 0
expect_json "$work/r.json" '[.specs[].runs[].phases[] | .state] | unique == ["ok"]'
what="the stand-in, after two runs of each"
stop
check "nothing is left in the database" grep -q "^left: 0 documents, 0 design documents" "$work/said"

# ---- the store in memory, with a password ---------------------------------------------------------

start library me hush --memory-store
printf 'hush\n' >"$work/password"
chmod 600 "$work/password"
try "the store in memory" run "$public" --admin-url "$admin" --database library --user me --password-file "$work/password" --scale 0.05 --runs 1 --save "$work/r.json"
expect_code 0
expect_json "$work/r.json" '[.specs[].runs[].phases[] | select(.via == "view" or .via == null) | .state] | unique == ["ok"]'
step view.artists ok "made artists by the client"
expect_json "$work/r.json" '[.specs[].runs[].phases[] | select(.name == "view.artists") | .facts.rows_read > .items and .client_busy_s > 0] | all'
expect_json "$work/r.json" '[.specs[].runs[].phases[] | select(.name == "view.albums") | .facts.grouping] == ["group=true"]'
check "the password is in nothing that was written" not grep -q -e hush "$work/r.json" "$work/out" "$work/err"

try "bulkdocs in memory" run "$public" --admin-url "$admin" --database library --user me --password-file "$work/password" -w bulkdocs --docs 500 --doc-size 1k --runs 1 --save "$work/r.json"
expect_code 0
step js-reduce.first skipped "_count and _sum only"
step sum.first ok ""

printf 'wrong\n' >"$work/password"
try "a wrong password" run "$public" --admin-url "$admin" --database library --user me --password-file "$work/password" --scale 0.01
expect_code 3
expect_err "Invalid login"
what="the stand-in, after a run with a password"
stop
check "nothing is left in the database" grep -q "^left: 0 documents, 0 design documents" "$work/said"

# ---- what is missing, and what belongs to others --------------------------------------------------

start library
try "without the admin port" run "$public" --database library --scale 0.02 --runs 1 --save "$work/r.json"
expect_code 0
step view.index skipped "give --admin-url"
step view.artists skipped "the view was not built"
step play-counts ok ""

try "without a database" run "$public" --admin-url "$admin" --scale 0.02 --runs 1
expect_code 2
expect_err "make an empty one there and name it with --database"

try "a database that is not there" run "$public" --admin-url "$admin" --database none --scale 0.02 --runs 1
expect_code 3
expect_err 'or there is no database "none"'

"$program" run "$public" --admin-url "$admin" --database library --scale 0.05 --runs 1000 >"$work/out" 2>"$work/err" &
pid=$!
tries=0
while [ "$tries" -lt 100 ] && ! on_database GET /_local/tunecouch | grep -q token; do
    tries=$((tries + 1))
    sleep 0.05
done
sleep 0.2
kill "$pid"
wait "$pid"
code=$?
what="SIGTERM"
expect_code 143
on_database GET /_all_docs >"$work/after"
check "no document is left" grep -q '"total_rows":0,' "$work/after"
check "the marker is gone" sh -c "curl -s '$admin/library/_local/tunecouch' | grep -q not_found"

try "kept" run "$public" --admin-url "$admin" --database library --scale 0.02 --runs 1 --keep
expect_code 0
check "the marker is there" sh -c "curl -s '$admin/library/_local/tunecouch' | grep -q '\"tunecouch\":1'"
try "over what an earlier run left" run "$public" --admin-url "$admin" --database library --scale 0.02 --runs 1
expect_code 0
expect_err "an earlier run: taking them out"

on_database PUT /theirs '{"mine":1}' >/dev/null
on_database GET /theirs >"$work/before"
try "a database that is not ours" run "$public" --admin-url "$admin" --database library --scale 0.02 --runs 1
expect_code 2
expect_err "it must be empty, and nothing in it was changed"
on_database GET /theirs >"$work/after"
same_file "$work/before" "$work/after"
check "it carries no marker" sh -c "curl -s '$admin/library/_local/tunecouch' | grep -q not_found"
what="the stand-in, in the end"
stop
check "only their document is left" grep -q "^left: 1 documents, 0 design documents" "$work/said"

finish
