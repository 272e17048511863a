#!/bin/sh
# doc/result.schema.json is a schema, what the program saves and the saved results kept for other
# tests follow it, and it refuses what the reader refuses. Needs Python's jsonschema (Debian:
# python3-jsonschema): skipped without it, failed where TC_TESTS_STRICT is set (CI).
set -eu
src=${top_srcdir:-.}
build=${top_builddir:-.}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

python=
for p in python3 /usr/bin/python3; do
    if "$p" -c 'from jsonschema import Draft202012Validator' 2>/dev/null; then
        python=$p
        break
    fi
done
if [ -z "$python" ]; then
    echo "no Python with jsonschema 4 or later: install python3-jsonschema" >&2
    [ -z "${TC_TESTS_STRICT:-}" ] || exit 1
    exit 77
fi

set -- "$src"/tests/golden/*.json
if [ -x "$build/tests/check_result" ]; then
    sample=$tmp/sample.json
    CK_FORK=no CK_RUN_CASE=files TC_SAMPLE="$sample" "$build/tests/check_result"
    set -- "$sample" "$@"
fi

"$python" - "$src/doc/result.schema.json" "$@" <<'PYTHON'
import copy, json, os, sys
from jsonschema import Draft202012Validator

schema = json.load(open(sys.argv[1], encoding="utf-8"))
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
bad = seen = 0
for path in sys.argv[2:]:
    if not os.path.exists(path):
        continue  # the pattern itself: no such files
    result = json.load(open(path, encoding="utf-8"))
    seen += 1
    for error in validator.iter_errors(result):
        bad += 1
        print(f"{path}: {'/'.join(map(str, error.path))}: {error.message}")
if not seen:
    sys.exit("nothing to validate: neither check_result nor a saved result was there")

good = {"schema": "1.0", "specs": [{"name": "a", "workload": "w", "runs": [
    {"number": 1, "phases": [{"name": "p", "state": "ok", "wall_s": 1}]}]}]}
phase = lambda r: r["specs"][0]["runs"][0]["phases"][0]
changes = {
    "higher major": lambda r: r.update(schema="2.0"),
    "no specs": lambda r: r.pop("specs"),
    "unknown state": lambda r: phase(r).update(state="fine"),
    "negative time": lambda r: phase(r).update(wall_s=-1),
    "half an item": lambda r: phase(r).update(items=0.5),
    "text as a count": lambda r: phase(r).update(requests={"ok": "1"}),
    "a password": lambda r: r.update(servers={"s": {"url": "http://a:b@h:5984/"}}),
    "histogram without a unit": lambda r: phase(r).update(latency={}),
}
if list(validator.iter_errors(good)):
    bad += 1
    print("the smallest good result is refused")
for name, change in changes.items():
    wrong = copy.deepcopy(good)
    change(wrong)
    if not list(validator.iter_errors(wrong)):
        bad += 1
        print(f"accepted: {name}")
print(f"{seen} results validated, {len(changes)} wrong ones refused, {bad} faults")
sys.exit(1 if bad else 0)
PYTHON
