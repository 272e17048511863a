#!/bin/sh
# The command line without a server: usage, refusals, exit codes, what goes to which stream.
# shellcheck source=tests/cli/lib.sh
. "${top_srcdir:-.}/tests/cli/lib.sh"

try "no command"
expect_code 2
expect_err "Usage: tunecouch COMMAND"
expect_no_out

try "help" --help
expect_code 0
expect_out "generate"
expect_no_err

for command in run report compare history probe generate; do
    try "help of $command" "$command" --help
    expect_code 0
    expect_out "Usage: tunecouch $command"
    expect_no_err
    try "help $command" help "$command"
    expect_code 0
done

try "version" --version
expect_code 0
expect_out "^tunecouch [0-9]"

try "a mistyped command" rnu
expect_code 2
expect_err 'rnu: no such command; did you mean run?'

try "a URL in place of a command" http://127.0.0.1:1
expect_code 2
expect_err "Try: tunecouch run http://127.0.0.1:1"

try "run without a server" run
expect_code 2
expect_err "which server?"

try "not a URL" run localhost
expect_code 2
expect_err '"localhost" is not a server.s URL'

try "an unknown order" run http://127.0.0.1:1 --order sequentail
expect_code 2
expect_err 'did you mean "sequential"?'

try "an unknown option" run http://127.0.0.1:1 --bacth 5
expect_code 2
expect_err "did you mean --batch?"

try "a value out of range" run http://127.0.0.1:1 --concurrency 0
expect_code 2
expect_err "concurrency: 0 is out of range: 1 to 10,000"

try "an unknown step" run http://127.0.0.1:1 --steps import,albms
expect_code 2
expect_err 'did you mean "albums"?'

try "a contradiction" run http://127.0.0.1:1 --data x --scale 2
expect_code 2
expect_err "scale"

try "a mistyped operation" run http://127.0.0.1:1 -w mix --weights reed=5
expect_code 2
expect_err 'did you mean "read"?'

try "an operation without a weight" run http://127.0.0.1:1 -w mix --weights read=5,find
expect_code 2
expect_err "find needs a whole number"

try "nothing to do" run http://127.0.0.1:1 -w mix --weights read=0
expect_code 2
expect_err "all of them are 0"

try "a list with a repetition" run http://127.0.0.1:1 --batch 5,5
expect_code 2
expect_err "5 is given twice"

try "an unknown format" run http://127.0.0.1:1 --format tabel
expect_code 2
expect_err 'did you mean "table"?'

try "a place that cannot be written, before anything runs" run http://127.0.0.1:1 -o /nonexistent/x.json
expect_code 1
expect_err "/nonexistent/x.json: cannot write there"

# ---- job files ------------------------------------------------------------------------------------

cat >"$work/job.ini" <<'END'
[global]
server = http://127.0.0.1:1
scale = 0.01
[one]
batch = 10, 20
END
try "a job file" run "$work/job.ini"
expect_code 3
expect_err "cannot reach http://127.0.0.1:1"
try "the command line over a job file" run "$work/job.ini" --scale none
expect_code 2
expect_err "job.ini:4: \[one\]: --scale"
try "a job on standard input" run - --scale none
expect_code 2
expect_err "standard input: 1 fault, nothing was run"
try "two job files" run "$work/job.ini" "$work/job.ini"
expect_code 2
expect_err "one at a time"
try "job and password on one input" run - --password-file -
expect_code 2
expect_err "both the job and the password"
cat >"$work/bad.ini" <<'END'
[global]
bacth = 5
runs = 0 ; none
  keep = yes
[server x] url = http://127.0.0.1:1
[one]
batch = 0
END
try "all faults of a job file at once" run "$work/bad.ini" http://127.0.0.1:1
expect_code 2
expect_err "bad.ini:2: bacth: no such option; did you mean batch?"
expect_err 'bad.ini:3: " ;" within a value'
expect_err "bad.ini:4: the line is indented"
expect_err 'bad.ini:5: text after "\]"'
expect_err "bad.ini:7: batch: 0 is out of range: 1 to 10,000,000"
expect_err "bad.ini: 5 faults, nothing was run"
expect_no_out

# ---- what would be run ----------------------------------------------------------------------------

# nothing listens at these addresses, and the job's password file does not exist
try "the example job, without running it" run "${top_srcdir:-.}/doc/examples/nightly.ini" --dry-run
expect_code 0
expect_out "^import: tunemark batch=100 concurrency=4 *couch *6 *1 *122 "
expect_out "^10 specs, runs interleaved"
expect_out "Nothing was sent"
expect_no_err
try "the fewest and the most" run http://127.0.0.1:1 -w bulkdocs --docs 10 --until-ci 2% --runs-max 20 --order sequential --dry-run
expect_code 0
expect_out "6 to 20"
expect_out "one spec after the other"
expect_out "^At most: 20 runs, 200 requests"

try "a search where nothing is written in bulk" run http://127.0.0.1:1 -w objects --find-batch
expect_code 2
expect_err "objects writes nothing in bulk"
try "a search over another list" run http://127.0.0.1:1 -w bulkdocs --docs 10,20 --find-batch
expect_code 2
expect_err "there can be no other list"
try "a search until an interval" run http://127.0.0.1:1 --find-batch --until-ci 2%
expect_code 2
expect_err "exclude each other"
try "a search, without searching" run http://127.0.0.1:1 --find-batch --batch 10,100 --scale 0.01 --dry-run
expect_code 0
expect_out "^10 specs"
expect_out "a part of these settings"

try "no server there" run http://127.0.0.1:1 --scale 0.01
expect_code 3
expect_err "cannot reach http://127.0.0.1:1"
expect_no_out

try "a password in the URL is not shown" run http://me:hush%20hush@127.0.0.1:1 --scale 0.01
expect_code 3
expect_not "hush"

printf 'a track\n' >"$work/bad.json"
try "a file that is not JSON lines" run http://127.0.0.1:1 --data "$work/bad.json"
expect_code 2
expect_err "bad.json:1: not JSON"

printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%064d\nsize 6717198\n' 0 >"$work/lfs.json"
try "a Git LFS pointer" run http://127.0.0.1:1 --data "$work/lfs.json"
expect_code 2
expect_err "Git LFS pointer"

try "no such data" run http://127.0.0.1:1 --data "$work/none.json"
expect_code 2
expect_err "none.json"

try "generate" generate --scale 0.01 -o "$work/a.json"
expect_code 0
expect_no_out
try "generate again" generate --scale 0.01 -o -
expect_code 0
same_file "$work/a.json" "$work/out"
try "generate another" generate --scale 0.01 --seed 7 -o "$work/b.json"
expect_code 0
different_file "$work/a.json" "$work/b.json"
try "generate to nowhere" generate
expect_code 2
try "generate into a folder that is not there" generate --scale 0.01 -o /nonexistent/x
expect_code 1

try "report of nothing" report
expect_code 2
try "report of a missing file" report "$work/none.json"
expect_code 2
expect_err "none.json"
try "report of something else" report "$work/a.json"
expect_code 2
expect_err "a.json"
expect_no_out

golden=${top_srcdir:-.}/tests/golden
try "a page, by its ending, and metrics beside it" report "$golden/tunemark-small.json" -o "$work/p.html" --prometheus "$work/m.prom"
expect_code 0
expect_no_out
expect_in "$work/p.html" "^<!DOCTYPE html>"
expect_in "$work/m.prom" "^# TYPE tunecouch_phase_median_seconds gauge"
try "metrics as the document, by its ending" report "$golden/tunemark-small.json" -o "$work/n.prom"
expect_code 0
same_file "$work/m.prom" "$work/n.prom"
try "metrics that cannot be written" report "$golden/tunemark-small.json" --prometheus /nonexistent/m.prom
expect_code 1
expect_err "/nonexistent/m.prom: cannot write there"
expect_no_out

sweep=$golden/tunemark-batches.json
try "compare nothing" compare
expect_code 2
expect_err "Give BASE and NEW"
try "one file without a factor" compare "$sweep"
expect_code 2
expect_err "across"
try "a result against itself" compare "$sweep" "$sweep" --fail-above 1%
expect_code 0
expect_not " slower$"
expect_no_err
try "specs of one file" compare --across batch "$sweep" --format json
expect_code 0
expect_json "$work/out" '[.comparisons[].differences[] | .name] == ["batch"]'
try "a document by its ending" compare --across batch "$sweep" -o "$work/c.csv"
expect_code 0
expect_no_out
check "a row a phase" [ "$(grep -c '^tunemark batch=1000,tunemark batch=100,' "$work/c.csv")" -eq 8 ]
jq '.specs[].runs[].phases[].wall_s *= 2' "$golden/tunemark-ios.json" >"$work/slow.json"
try "twice as slow" compare "$golden/tunemark-ios.json" "$work/slow.json"
expect_code 0
expect_out " 2.00 x "
try "twice as slow, with a limit" compare "$golden/tunemark-ios.json" "$work/slow.json" --fail-above 10%
expect_code 4
expect_out "BEYOND THE LIMIT"
expect_err "slower by more than 10 %: .* 2.00 x the time of base"
try "twice as fast, with a limit" compare "$work/slow.json" "$golden/tunemark-ios.json" --fail-above 10%
expect_code 0
jq '.specs[].work.fold = "nocase"' "$golden/tunemark-ios.json" >"$work/other.json"
try "other work" compare "$golden/tunemark-ios.json" "$work/other.json" --fail-above 10%
expect_code 2
expect_out "the work differs"
expect_err "their work differs in fold"
try "other work entirely" compare "$golden/tunemark-ios.json" "$golden/objects-fedora-100kb.json"
expect_code 2
try "a limit that is none" compare "$sweep" "$sweep" --fail-above ten
expect_code 2
expect_err "not a percentage"
try "a limit within what is equal" compare "$sweep" "$sweep" --fail-above 3% --equal-within 4%
expect_code 2
expect_err "what is equal cannot fail"
try "compare in a form that is not known" compare "$sweep" "$sweep" --format html5
expect_code 2
try "rank by a step that is not there" report "$sweep" --rank imprt
expect_code 2
expect_err 'did you mean "import"?'

mkdir "$work/nights" "$work/empty"
cp "$golden/tunemark-small.json" "$work/nights/1.json"
printf '{' >"$work/nights/2.json"
printf 'no result' >"$work/nights/notes.txt"
try "history" history "$work/nights"
expect_code 0
expect_out "^1 result, from 2018-04-06 12:00"
expect_err "left out: .*2.json: not JSON"
try "history as a page" history "$work/nights" -o "$work/h.html"
expect_code 0
expect_in "$work/h.html" "<h1>History</h1>"
try "history of nothing" history "$work/empty"
expect_code 2
expect_err "no saved result"
try "history of no directory" history "$work/nowhere"
expect_code 2
expect_err "nowhere"
try "history without a directory" history
expect_code 2

finish
