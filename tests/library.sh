#!/bin/sh
# The figures of a generated library at scale 1, computed a second time and in another way: by Node,
# whose folding (normalize, toLowerCase) has nothing to do with ours.
set -eu
command -v node >/dev/null 2>&1 || { echo "no node here"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"${top_builddir:-.}/tests/make_library" 1 >"$dir/library.json"
cat >"$dir/figures.js" <<'END'
var fs = require('fs');
var lines = fs.readFileSync(process.argv[2], 'utf8').split('\n');
var failed = 0;
function is(name, got, wanted) {
  var ok = typeof wanted === 'function' ? wanted(got) : got === wanted;
  console.log((ok ? 'ok  ' : 'BAD ') + name + ': ' + got);
  if (!ok) failed++;
}
function ascii(s) { return s.replace(/[A-Z]/g, function (c) { return c.toLowerCase(); }); }
function lower(s) { return s.toLowerCase(); }
function plain(s) { return s.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase(); }
function count(list) { return new Set(list).size; }

is('ends with a newline', lines.pop(), '');
is('lines', lines.length, 12189);
var docs = lines.map(JSON.parse);
var pid = docs.map(function (d) { return d['Persistent ID']; });
is('unique ids', count(pid), 12189);
is('ids of 16 hexadecimal digits', pid.filter(function (i) { return /^[0-9A-F]{16}$/.test(i); }).length, 12189);
is('ids above the one before', pid.filter(function (id, i) { return i > 0 && id > pid[i - 1]; }).length,
   function (n) { return n > 5800 && n < 6400; });
is('without Name', docs.filter(function (d) { return typeof d.Name !== 'string'; }).length, 0);
is('Track Type', docs.filter(function (d) { return /^(File|Remote)$/.test(d['Track Type']); }).length, 12189);
is('Artist starts with The', docs.filter(function (d) { return /^The /.test(d.Artist); }).length, 1223);
is('compilation tracks', docs.filter(function (d) { return d.Compilation === true; }).length, 1219);
is('Compilation not true', docs.filter(function (d) { return 'Compilation' in d && d.Compilation !== true; }).length, 0);
is('without Artist', docs.filter(function (d) { return !('Artist' in d); }).length, 37);
is('without Album', docs.filter(function (d) { return !('Album' in d); }).length, function (n) { return n > 61; });
var artists = docs.filter(function (d) { return 'Artist' in d; });
is('artists before stripping, compilations included',
   count(artists.map(function (d) { return plain(d.Artist); })), 2094);
var own = artists.filter(function (d) { return !('Compilation' in d); });
function strip(s) { return s.replace(/^The /, ''); }
[[ascii, 1115, 1887], [lower, 1114, 1886], [plain, 1111, 1886]].forEach(function (row) {
  var fold = row[0];
  is('artists, ' + fold.name, count(own.map(function (d) { return fold(strip(d.Artist)); })), row[1]);
  is('pairs, ' + fold.name, count(own.map(function (d) {
    return JSON.stringify([fold(strip(d.Artist)), 'Album' in d ? fold(d.Album) : null]);
  })), row[2]);
});
var rock = docs.map(function (d) { return d.Name; }).filter(function (n) { return /rock/i.test(n); });
is('Names with the word Rock', rock.filter(function (n) { return /(^| )rock( |$)/i.test(n); }).length, 27);
is('Names with Rock or Rocks', rock.filter(function (n) { return /(^| )rocks?( |$)/i.test(n); }).length, 30);
is('Names with the letters at all', rock.length, 30);
is('rock in artists, albums, genres', docs.filter(function (d) {
  return /rock/i.test([d.Artist, d.Album, d.Genre, d['Album Artist'], d.Composer].join(' '));
}).length, 0);
var bytes = fs.statSync(process.argv[2]).size;
is('bytes', bytes, function (n) { return n >= 6.5e6 && n <= 6.9e6; });
is('slashes left unescaped', lines.filter(function (l) { return /[^\\]\//.test(l); }).length, 0);
is('escapes of characters', lines.filter(function (l) { return /\\u/.test(l); }).length, 0);
[["'", 300], ['"', 40], ['&', 300], ['/', 40], ['+', 40], ['%', 40]].forEach(function (row) {
  is('names with ' + row[0], docs.filter(function (d) {
    return [d.Name, d.Artist, d.Album].join('').indexOf(row[0]) >= 0;
  }).length, function (n) { return n >= row[1]; });
});
['Latin', 'Cyrillic', 'Greek', 'Han', 'Hiragana', 'Hangul', 'Arabic', 'Hebrew'].forEach(function (s) {
  var script = new RegExp('\\p{Script=' + s + '}', 'u');
  is('artists in ' + s, count(artists.map(function (d) { return d.Artist; })
    .filter(function (a) { return script.test(a); })), function (n) { return n >= 1; });
});
process.exit(failed ? 1 : 0);
END
node "$dir/figures.js" "$dir/library.json"
