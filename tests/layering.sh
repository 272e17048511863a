#!/bin/sh
# A room of src/ includes itself and the rooms below it; a .c includes its own header first; no
# header includes itself in a circle. Prints each offence; exit 1 if there was one.
set -eu
cd "${top_srcdir:-.}/src"
rank() {
    case $1 in
    base) echo 0 ;; net) echo 1 ;; couch) echo 2 ;; bench) echo 3 ;; report) echo 4 ;; cli) echo 5 ;;
    *) echo "unknown room: $1" >&2; exit 1 ;;
    esac
}
bad=0
list=$(mktemp)
trap 'rm -f "$list"' EXIT
for file in */*.[ch]; do
    room=${file%%/*}
    own=$(rank "$room")
    # shellcheck disable=SC2013 # names of files without spaces
    for inc in $(sed -n 's/^#include "\([^"]*\)".*/\1/p' "$file"); do
        case $inc in
        config.h) continue ;;
        */*) ;;
        *) echo "$file: \"$inc\" does not name its room"; bad=1; continue ;;
        esac
        if [ "$(rank "${inc%%/*}")" -gt "$own" ]; then
            echo "$file: includes $inc, a room above"
            bad=1
        fi
        # report/ knows saved results only
        if [ "$room" = report ]; then
            case $inc in
            net/* | couch/* | bench/[!rh]* | bench/runner.h | bench/remote.h)
                echo "$file: reports are made from results alone, not from $inc"
                bad=1
                ;;
            esac
        fi
        case $file in *.h) echo "$file $inc" >>"$list" ;; esac
    done
    case $file in
    *.c)
        header=${file%.c}.h
        first=$(sed -n 's/^#include "\([^"]*\)".*/\1/p' "$file" | grep -v '^config.h$' | head -n 1)
        if [ -f "$header" ] && [ "$first" != "$header" ]; then
            echo "$file: does not include its own header first"
            bad=1
        fi
        ;;
    esac
done
if ! tsort "$list" >/dev/null 2>"$list.err"; then
    echo "headers include each other in a circle:"
    cat "$list.err"
    bad=1
fi
rm -f "$list.err"
exit $bad
