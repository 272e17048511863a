'use strict';
// The sort parameter of the engines -> documents in order. Strings sort by code point, as Lucene's
// terms do; a missing string comes first, a missing number counts as 0; equal documents are ordered
// by their id.
//   _search   "field" (a number), "field<string>", "-field<number>", "<score>", or an array of them
//   _nouveau  "field", "-field", "relevance", or an array of them: the type is the one indexed

const { httpError } = require('../reply.js');

const refuse = reason => { throw httpError(400, 'bad_request', reason); };
const SCORE = { type: 'score', descending: true };

function clouseauKey(text) {
  if (/^-?<score>$/.test(text)) return { ...SCORE, descending: text[0] !== '-' };
  const [, sign, field, type = 'number'] = /^([-+]?)([^<>]+?)(?:<(\w+)>)?$/.exec(text) || [];
  if (field === undefined) refuse(`${text} is not a valid sort parameter`);
  if (type !== 'number' && type !== 'string') refuse(`Unrecognized type: ${type}`);
  return { field, type, descending: sign === '-' };
}

function nouveauKey(text, index) {
  if (text === 'relevance') return SCORE;
  const [, sign, field] = /^([-+]?)([.\w]+)$/.exec(text) || [];
  if (field === undefined) refuse(`${text} is not a valid sort parameter`);
  const type = field === '_id' ? 'string' : index.kinds.get(field) || 'string'; // unknown: missing everywhere
  if (type === 'text') refuse(`can't sort on field ${field}`);
  return { field, type, descending: sign === '-' };
}

function keysOf(sort, index, sortKey) {
  if (sort === undefined || sort === null) return [SCORE];
  return [].concat(sort).map(key => (typeof key === 'string' ? sortKey(key, index) : refuse('sort must be a string or an array of strings')));
}

// Strings compare by UTF-16 unit in JavaScript; units of a pair must come after all others.
function byCodePoint(a, b) {
  const pair = unit => unit >= 0xd800 && unit <= 0xdfff;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return pair(x) === pair(y) ? x - y : pair(x) - pair(y);
  }
  return a.length - b.length;
}

// The value that a document sorts by. Clouseau's fields are all analyzed, and one that does not come
// out whole would sort by one of its words.
function valueOf(index, { field, type }, id, score) {
  if (type === 'score') return score;
  if (field === '_id') return id;
  const value = index.documents.get(id).values.get(field);
  if (value === undefined) return type === 'number' ? 0 : null;
  if (typeof value !== type) refuse(`cannot sort by '${field}' as ${type}: it holds a ${typeof value}`);
  if (index.kinds.get(field) === 'text') {
    const terms = index.analyze(field, value);
    if (terms.length !== 1 || terms[0] !== value) {
      refuse(`cannot sort by '${field}': string fields that are used for sorting must not be analyzed`);
    }
  }
  return value;
}

// hits: id -> score. Returns [{ id, order }] in order, order: the values sorted by.
function sortHits(index, hits, sort, sortKey) {
  const keys = keysOf(sort, index, sortKey);
  const rows = [...hits].map(([id, score]) => ({ id, order: keys.map(key => valueOf(index, key, id, score)) }));
  rows.sort((a, b) => {
    for (const [i, { type, descending }] of keys.entries()) {
      const difference = type === 'string' ? byCodePoint(a.order[i] || '', b.order[i] || '') : a.order[i] - b.order[i];
      if (difference) return descending ? -difference : difference;
    }
    return byCodePoint(a.id, b.id);
  });
  return { rows, byScore: i => keys[i] !== undefined && keys[i].type === 'score' };
}

module.exports = { sortHits, clouseauKey, nouveauKey };
