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

for command in run report probe generate; do
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

try "a list with a repetition" run http://127.0.0.1:1 --batch 5,5
expect_code 2
expect_err "5 is given twice"

try "an unknown format" run http://127.0.0.1:1 --format tabel
expect_code 2
expect_err 'did you mean "table"?'

try "a place that cannot be written, before anything runs" run http://127.0.0.1:1 -o /nonexistent/x.json
expect_code 1
expect_err "/nonexistent/x.json: cannot write there"

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

finish
