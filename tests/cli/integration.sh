#!/bin/sh
# The program end to end against a real server: run it through scripts/with-server. The server's
# address and credentials come from the environment (TUNECOUCH_URL, TUNECOUCH_USER,
# TUNECOUCH_PASSWORD).
# shellcheck source=tests/cli/lib.sh
. "${top_srcdir:-.}/tests/cli/lib.sh"

url=${TUNECOUCH_URL:?run this through scripts/with-server}

databases() { curl -sf -u "$TUNECOUCH_USER:$TUNECOUCH_PASSWORD" "$url/_all_dbs"; }
server() { curl -s -u "$TUNECOUCH_USER:$TUNECOUCH_PASSWORD" "$@"; }
no_databases_of_ours() {
    databases >"$work/dbs" || return 1
    ! grep -q tunecouch "$work/dbs"
}

try "probe" probe "$url"
expect_code 0
expect_out "Round trip"
expect_no_err

try "probe as JSON" probe "$url" --format json
expect_code 0
expect_json "$work/out" '.capabilities | length > 5'

try "a whole small run" run "$url" --scale 0.02 --runs 2 --save "$work/r.json"
expect_code 0
expect_out "^Import 24[0-9] docs:"
expect_out "Re-query albums"
expect_out "generated"
check "no database is left" no_databases_of_ours
expect_json "$work/r.json" '[.specs[].runs[].phases[] | select(.state == "failed")] | length == 0'
expect_json "$work/r.json" '.specs[0].runs | length == 2'
expect_json "$work/r.json" '.specs[0].runs[0].phases[0] | .name == "import" and .docs.ok == .items and .requests.ok >= 1'
# shellcheck disable=SC2016 # $ENV is jq's
expect_json "$work/r.json" '[.specs[].runs[].phases[] | select(.via == "search" and .state == "ok")] | length == 4 or ($ENV.TUNECOUCH_SERVER | startswith("pouchdb") | not)'
check "the password is in nothing that was written" not grep -q -e "$TUNECOUCH_PASSWORD" "$work/r.json" "$work/out" "$work/err"

cp "$work/out" "$work/first"
try "the same report from the saved result" report "$work/r.json"
expect_code 0
same_file "$work/first" "$work/out"

try "a sweep" run "$url" --scale 0.02 --runs 1 --steps import --batch 10,100 --concurrency 1,4 --format json
expect_code 0
expect_json "$work/out" '.specs | length == 4'
expect_json "$work/out" '[.specs[].runs[0].phases[0].docs.ok] | unique | length == 1'

cat >"$work/job.ini" <<END
[global]
server = $url
scale = 0.01
steps = import
format = json
[few]
runs = 2
warmup = 1
[until]
until-ci = 100%
END
try "a job file, with warm-up and an interval to reach" run "$work/job.ini"
expect_code 0
expect_json "$work/out" '[.specs[].name] == ["few: tunemark", "until: tunemark"]'
expect_json "$work/out" '[.specs[0].runs[].warmup] == [true, false, false]'
expect_json "$work/out" '.specs[1].runs | length >= 6'

for i in 1 2; do
    try "as cron would, $i" run "$url" --scale 0.01 --runs 1 --steps import --quiet --lock-file "$work/lock" --save-dir "$work/results" --label "a b" --format json
    expect_code 0
    expect_no_err
done
for kept in "$work"/results/*; do
    expect_json "$kept" '.label == "a b" and .specs[0].runs[0].phases[0].state == "ok"'
done
check "two results under names of their own" sh -c "ls '$work/results' | grep -c '^20[0-9-]*T[0-9]*Z-a-b\(-2\)\?\.json$' | grep -qx 2"

try "a search for the batch size" run "$url" -w bulkdocs --docs 60 --doc-size 10 --find-batch --batch 10,60 --concurrency 1,2 --save "$work/f.json"
expect_code 0
expect_out "^insert, 3 settings, "
expect_out "best median"
expect_out "^Smallest batch of the plateau: --batch [16]0 --concurrency [12]$"
# nothing but the insert was run; a batch of all documents needs no second connection
expect_json "$work/f.json" '[.specs[].runs[].phases[].name] | unique == ["insert"]'
expect_json "$work/f.json" '[.specs[].settings | .batch + "," + .concurrency] | sort == ["10,1", "10,2", "60,1"]'
check "no database is left" no_databases_of_ours

# what --dry-run said, and what was then sent
announced() { # ARGS…
    try "announced: $*" run "$url" "$@" --runs 1 --dry-run
    said=$(sed -n 3p "$work/out" | sed 's/,//g' | awk '{ print $(NF - 2) }')
    try "sent: $*" run "$url" "$@" --runs 1 --format json
    expect_json "$work/out" "[.specs[0].runs[0].phases[].requests.ok] | add == $said"
}
announced -w bulkdocs --docs 300 --doc-size 500 --batch 70
announced -w objects --objects 5 --object-size 1000
announced --scale 0.02 --via view,mango --batch 50 --steps import,play-counts,artist-names,artists-unindexed,albums-unindexed,artists,albums

try "each search engine" run "$url" --scale 0.02 --runs 1 --steps fts-query --via search --search-engine clouseau --format json
expect_code 0

try "cookie authentication" run "$url" --scale 0.02 --runs 1 --steps import --auth cookie --format json
expect_code 0
expect_json "$work/out" '[.servers[].auth] == ["cookie"]'

try "fold rules" run "$url" --scale 0.1 --runs 1 --steps artists,albums --via view,mango --fold nocase-noaccent
expect_code 0

try "bulk documents" run "$url" -w bulkdocs --docs 300 --doc-size 500 --batch 70 --concurrency 2 --runs 2 --save "$work/b.json"
expect_code 0
expect_json "$work/b.json" '[.specs[].runs[].phases[].state] | length == 14 and all(. == "ok")'

try "a sweep of sizes" run "$url" -w bulkdocs --docs 100 --doc-size 100,1k --text same,random --runs 1 --format table
expect_code 0

try "objects" run "$url" -w objects --objects 40 --object-size 20k --group 10 --concurrency 3 --runs 1 --save "$work/o.json"
expect_code 0
expect_json "$work/o.json" '[.specs[].runs[].phases[].state] | length == 4 and all(. == "ok")'
expect_json "$work/o.json" '[.specs[].runs[].phases[].series[0].values | length] | all(. == 4)'
expect_json "$work/o.json" '.specs[0].runs[0].phases[1].facts.compared_byte_by_byte == 40'

try "objects within the document" run "$url" -w objects --objects 20 --object-size 10001 --inline --group 10 --runs 1 --format json
expect_code 0
expect_json "$work/out" '[.specs[].runs[].phases[].state] | length == 4 and all(. == "ok")'

try "one request over and over" run "$url" -w request --path /_uuids --requests 50 -c 2 --runs 2 --format json
expect_code 0
expect_json "$work/out" '[.specs[].runs[].phases[] | .state == "ok" and .items == 50] == [true, true]'
check "no database was made for it" no_databases_of_ours

try "one request for a time, some refused" run "$url" -w request --path /nothing-there --duration 200ms --runs 1
expect_code 1
expect_err "requests failed"

try "requests by plan" run "$url" -w request --path /_uuids --rate 50 --duration 400ms --arrivals poisson --runs 1 --format json
expect_code 0
expect_json "$work/out" '.specs[0].runs[0].phases[0] | .open_loop.planned == .open_loop.started and .response.count == .latency.count'

cp "$work/out" "$work/plan.json"
try "its report" report "$work/plan.json"
expect_code 0
expect_out "Plan of request, run 1: 50[.0]*/s (Poisson)"
try "its latencies for HdrHistogram's plotters" report "$work/plan.json" --format hdr --rank request
expect_code 0
expect_out "1/(1-Percentile)"

try "a mix of operations" run "$url" -w mix --library-scale 0.02 --requests 120 -c 3 --runs 2 --keys zipf --format json
expect_code 0
expect_json "$work/out" '[.specs[].runs[].phases[] | select(.state != "ok") | .via] | all(. == "search")'
expect_json "$work/out" '[.specs[].runs[] | (.phases[] | select(.name == "mix.all").items) == 120 and ([.phases[] | select(.name | test("^mix.(read|albums|find|search|insert)$")).items] | add == 120)] == [true, true]'
expect_json "$work/out" '[.specs[].runs[].phases[] | select(.name == "mix.insert") | .docs.ok == .items * 10] == [true, true]'
expect_json "$work/out" '[.specs[].runs[] | [.phases[] | select(.name | test("^mix.(all|read)$")).wall_s] | .[0] == .[1]] == [true, true]'
check "no database is left" no_databases_of_ours

try "a mix by plan" run "$url" -w mix --library-scale 0.02 --weights read=1,insert=1 --insert-docs 1 --rate 40 --duration 500ms --runs 1 --format json
expect_code 0
expect_json "$work/out" '[.specs[0].runs[0].phases[].name] == ["mix.import", "mix.all", "mix.read", "mix.insert"]'
expect_json "$work/out" '.specs[0].runs[0].phases[2] | .response.count == .items and .state == "ok"'

server -X PUT "$url/given-mix" >/dev/null
try "a mix in a database that was given" run "$url" --database given-mix -w mix --library-scale 0.01 --weights insert=1 --requests 5 --runs 2
expect_code 0
check "its documents are gone" sh -c "curl -sf -u '$TUNECOUCH_USER:$TUNECOUCH_PASSWORD' '$url/given-mix' >'$work/info'"
expect_json "$work/info" '.doc_count == 0'
server -X DELETE "$url/given-mix" >/dev/null

try "a rate that no server reaches" run "$url" -w request --path /_uuids --rate 100000 --duration 200ms --max-in-flight 1 --runs 1 --strict
expect_code 5
expect_err "was not reached"

try "an option of another workload" run "$url" -w objects --docs 5
expect_code 2
expect_err "docs belongs to the workload bulkdocs, not to objects"

printf '%s\n' "$TUNECOUCH_PASSWORD" >"$work/password"
chmod 600 "$work/password"
user=$TUNECOUCH_USER
(
    unset TUNECOUCH_USER TUNECOUCH_PASSWORD
    "$program" run "$url" --user "$user" --password-file "$work/password" --scale 0.01 --runs 1 --steps import
) >"$work/out" 2>"$work/err"
code=$?
what="a password file"
expect_code 0

printf 'wrong\n' >"$work/password"
try "a wrong password" run "$url" --user "$user" --password-file "$work/password" --scale 0.01
expect_code 3
expect_err "refused"

# ---- other people's data --------------------------------------------------------------------------

server -X PUT "$url/other" >/dev/null
server -X PUT "$url/other/doc" -d '{"mine":1}' >/dev/null
server "$url/other/doc" >"$work/before"
try "a database that is not ours" run "$url" --database other --scale 0.01 --runs 1
expect_code 2
expect_err "it must be empty, and nothing in it was changed"
server "$url/other/doc" >"$work/after"
same_file "$work/before" "$work/after"
server -X DELETE "$url/other" >/dev/null

try "a database that is not there" run "$url" --database nowhere --scale 0.01 --runs 1
expect_code 2
expect_err "no such database"

try "a system database" run "$url" --database _users --scale 0.01 --runs 1
expect_code 2

server -X PUT "$url/given" >/dev/null
try "a database that was given" run "$url" --database given --scale 0.01 --runs 2 --steps artist-names,artists
expect_code 0
check "it is still there" sh -c "curl -sf -u '$TUNECOUCH_USER:$TUNECOUCH_PASSWORD' '$url/given' >'$work/info'"
expect_json "$work/info" '.doc_count == 0'
server -X DELETE "$url/given" >/dev/null

try "kept" run "$url" --scale 0.01 --runs 1 --steps import --keep
expect_code 0
kept=$(sed -n 's/.*kept: \(tunecouch-[^ ]*\).*/\1/p' "$work/err")
check "the kept database is there" sh -c "curl -sf -u '$TUNECOUCH_USER:$TUNECOUCH_PASSWORD' '$url/$kept' >/dev/null"
server -X DELETE "$url/$kept" >/dev/null

# ---- interruption ---------------------------------------------------------------------------------

# A shell starts background jobs with SIGINT ignored, and we respect that: env undoes it.
interrupted() { # SIGNAL
    env --default-signal=INT "$program" run "$url" --scale 0.2 --runs 50 --save "$work/cut.json" >"$work/out" 2>"$work/err" </dev/null &
    pid=$!
    tries=0
    # wait until it has measured something: its database is there and a little time has passed
    while [ "$tries" -lt 100 ] && ! databases | grep -q tunecouch; do
        tries=$((tries + 1))
        sleep 0.1
    done
    sleep 1
    kill "-$1" "$pid"
    wait "$pid"
    code=$?
    what="SIG$1"
}
for pair in INT:130 TERM:143 HUP:129; do
    rm -f "$work/cut.json"
    interrupted "${pair%:*}"
    expect_code "${pair#*:}"
    expect_err "interrupted"
    check "no database is left" no_databases_of_ours
    expect_json "$work/cut.json" '.partial == true'
done

finish
