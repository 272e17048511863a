# shellcheck shell=sh
# What the end-to-end tests share: `try WHAT ARGS…` runs tunecouch, then expectations look at its
# exit code ($code), $work/out and $work/err. Each expectation is a line "ok" or "not ok".

program=${TUNECOUCH:-${top_builddir:-.}/tunecouch}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
unset TUNECOUCH_TOKEN NETRC
: "${HOME:=/}"

try() {
    what=$1
    shift
    "$program" "$@" >"$work/out" 2>"$work/err" </dev/null
    code=$?
}

good() {
    passed=$((passed + 1))
    echo "ok $what: $1"
}

bad() {
    failed=$((failed + 1))
    echo "not ok $what: $1"
    sed 's/^/    out: /' "$work/out" | head -n 20
    sed 's/^/    err: /' "$work/err" | head -n 20
}

# check DESCRIPTION COMMAND…: a command that must succeed
check() {
    description=$1
    shift
    if "$@"; then good "$description"; else bad "$description"; fi
}

# not COMMAND…: success if it fails
not() { ! "$@"; }

expect_code() { check "exit code $1 (was $code)" [ "$code" -eq "$1" ]; }
expect_out() { check "standard output has \"$1\"" grep -q -e "$1" "$work/out"; }
expect_err() { check "standard error has \"$1\"" grep -q -e "$1" "$work/err"; }
expect_no_out() { check "nothing on standard output" [ ! -s "$work/out" ]; }
expect_no_err() { check "nothing on standard error" [ ! -s "$work/err" ]; }
expect_not() { check "\"$1\" is nowhere" not grep -q -e "$1" "$work/out" "$work/err"; }
same_file() { check "$1 and $2 are the same" cmp -s "$1" "$2"; }
different_file() { check "$1 and $2 differ" not cmp -s "$1" "$2"; }
expect_in() { check "$1 has \"$2\"" grep -q -e "$2" "$1"; }
# a jq expression over a JSON file that must be true
expect_json() { check "$1: $2" test "$(jq -e "$2" "$1" 2>&1)" = true; }

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ] || exit 1
}
