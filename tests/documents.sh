#!/bin/sh
# Every option of every command is in --help, in the man page and in the completion.
set -eu
builddir=${top_builddir:-.}
bad=0
for command in run report compare history probe generate; do
    "$builddir/tunecouch" "$command" --help | sed -n 's/^ *\(-[a-z], \)\{0,1\}--\([a-z0-9-]*\).*/\2/p' >"$builddir/options.tmp"
    [ -s "$builddir/options.tmp" ] || { echo "$command --help lists no option"; bad=1; }
    while read -r option; do
        roff=$(printf '%s' "$option" | sed 's/-/\\\\-/g')
        grep -q -e "fB\\\\-\\\\-$roff\\\\fR" "$builddir/doc/tunecouch.1" || {
            echo "the man page lacks --$option of $command"
            bad=1
        }
        grep -q -e "^$command --$option " "$builddir/doc/tunecouch" || {
            echo "the completion lacks --$option of $command"
            bad=1
        }
    done <"$builddir/options.tmp"
    rm -f "$builddir/options.tmp"
done
exit $bad
