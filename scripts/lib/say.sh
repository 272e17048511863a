# Sourced by the scripts here: one way to speak. Standard output belongs to results, so all of it
# goes to standard error, after the name of the script.
# shellcheck shell=bash

me=${0##*/}

say() { printf '%s: %s\n' "$me" "$*" >&2; }

die() { # [-CODE] REASON
  local code=1
  case $1 in -[0-9]*) code=${1#-}; shift ;; esac
  say "$*"
  exit "$code"
}

have() { command -v "$1" >/dev/null 2>&1; }
