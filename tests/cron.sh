#!/bin/sh
# What doc/cron offers is accepted: the command line of the cron line and of the service by
# tunecouch itself, and the units by systemd where it is installed.
set -eu
top=${top_srcdir:-.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
program=$(cd "${top_builddir:-.}" && pwd)/tunecouch
bad=0

same() { # NAME COMMAND: runs the command with our program, in a folder with a job and a lock that is held
    printf '[global]\nserver = http://127.0.0.1:1\n' >"$work/nightly.ini"
    mkdir -p "$work/run" "$work/bin"
    ln -sf "$program" "$work/bin/tunecouch"
    code=0
    (
        cd "$work"
        XDG_RUNTIME_DIR=$work/run PATH=$work/bin:$PATH flock "$work/run/tunecouch.lock" \
            sh -c "$2"
    ) >"$work/out" 2>&1 || code=$?
    if [ "$code" -ne 75 ]; then
        echo "$1: exit code $code with the lock held: $2"
        cat "$work/out"
        bad=1
    fi
}

line=$(sed -n 's/^30 2 \* \* \*  cd "[^"]*" && //p' "$top/doc/cron/crontab")
start=$(sed -n 's/^ExecStart=//p' "$top/doc/cron/tunecouch.service")
if [ -z "$line" ] || [ "$line" != "$start" ]; then
    echo "crontab and service differ: \"$line\", \"$start\""
    bad=1
fi
same "the cron line" "$line"

if command -v systemd-analyze >/dev/null 2>&1; then
    # the program's own path, since it need not be installed here
    mkdir "$work/units"
    sed "s|^ExecStart=tunecouch|ExecStart=$program|; /^Documentation/d" \
        "$top/doc/cron/tunecouch.service" >"$work/units/tunecouch.service"
    cp "$top/doc/cron/tunecouch.timer" "$work/units/"
    if ! (cd "$work/units" && XDG_RUNTIME_DIR=$work/run systemd-analyze --user verify tunecouch.service tunecouch.timer) \
        >"$work/out" 2>&1 || grep -q "tunecouch\.\(service\|timer\)" "$work/out"; then
        echo "systemd-analyze verify:"
        cat "$work/out"
        bad=1
    fi
fi
exit $bad
