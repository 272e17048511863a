'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { parse } = require('../lib/search/parser.js');

// + must, - must not; a range by its brackets, a phrase in quotes
function show({ type, field, text, from, to, includes, clauses, boost }) {
  const body = {
    word: () => text,
    phrase: () => `"${text}"`,
    range: () => `${includes.from ? '[' : '{'}${from} ${to}${includes.to ? ']' : '}'}`,
    group: () => `(${clauses.map(({ node, must, mustNot }) => (must ? '+' : mustNot ? '-' : '') + show(node)).join(' ')})`
  }[type]();
  return `${field === undefined ? '' : `${field}:`}${body}${boost === undefined ? '' : `^${boost}`}`;
}

test('queries', () => {
  const cases = [
    ['rock', '(rock)'],
    ['  name:rock  ', '(name:rock)'],
    ['a b', '(a b)'],
    ['a AND b', '(+a +b)'],
    ['a && b || c', '(+a +b c)'],
    ['a OR b AND c', '(a +b +c)'],
    ['a NOT b', '(a -b)'],
    ['a AND NOT b', '(+a -b)'],
    ['-a +b !c', '(-a +b -c)'],
    ['NOT a', '(-a)'],
    ['-name:x', '(-name:x)'],
    ['+(a b) -(c)', '(+(a b) -(c))'],
    ['name:(a OR b) AND c', '(+name:(a b) +c)'],
    ['name:"a b"^2', '(name:"a b"^2)'],
    ['"a \\" b"', '("a " b")'],
    ['y:[1 TO 2} z:{* TO "b c"]', '(y:[1 2} z:{* "b c"])'],
    ['*:*', '(*:*)'],
    ['*', '(*)'],
    ['ro?k* *ock', '(ro?k* *ock)'],
    ['a\\:b rock\\ roll', '(a\\:b rock\\ roll)'],
    ['hi-fi AC+DC', '(hi-fi AC+DC)'],
    ['ANDROID ORANGE NOTE', '(ANDROID ORANGE NOTE)'],
    ['Größe 椎名', '(Größe 椎名)']
  ];
  for (const [text, expected] of cases) assert.equal(show(parse(text)), expected, text);
});

test('refused', () => {
  for (const text of ['', ' ', '(', ')', '()', 'a)', '(a', 'name:', 'AND a', 'a AND', '"a', 'y:[1 2]', 'rok~', '"a b"~2', '/ro.k/', 'AC/DC', 'a^', '-', 'name:-5']) {
    assert.throws(() => parse(text), { status: 400 }, text);
  }
});
