'use strict';
// The sort parameter of both engines: "field", "-field<number>", ["artist<string>", "album<string>"].
// Strings sort by code point, as Lucene's terms do; a missing value comes first, as an empty string
// or as 0; equal documents are ordered by their id.

const { httpError } = require('../reply.js');

const KEY = /^([-+]?)([^<>]+?)(?:<(\w+)>)?$/;
const SCORE = { field: '<score>', type: 'score', descending: true };

function parseKey(text) {
  if (/^-?<score>$/.test(text)) return { ...SCORE, descending: text[0] !== '-' };
  if (text === 'relevance') return SCORE; // Nouveau's name for it
  const [, sign, field, type = 'number'] = KEY.exec(text) || [];
  if (field === undefined) throw httpError(400, 'bad_request', `${text} is not a valid sort parameter`);
  if (!['number', 'double', 'string'].includes(type)) throw httpError(400, 'bad_request', `Unrecognized type: ${type}`);
  return { field, type: type === 'string' ? 'string' : 'number', descending: sign === '-' };
}

function parseSort(sort) {
  if (sort === undefined || sort === null) return [SCORE];
  return [].concat(sort).map(key => {
    if (typeof key !== 'string') throw httpError(400, 'bad_request', 'sort must be a string or an array of strings');
    return parseKey(key);
  });
}

// Strings compare by UTF-16 unit in JavaScript; units of a pair must come after all others.
function byCodePoint(a, b) {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    let x = a.charCodeAt(i);
    let y = b.charCodeAt(i);
    if (x === y) continue;
    const pair = unit => unit >= 0xd800 && unit <= 0xdfff;
    if (pair(x) !== pair(y)) [x, y] = [pair(x), pair(y)];
    return x - y;
  }
  return a.length - b.length;
}

function valueOf(index, key, id, score) {
  if (key.type === 'score') return score;
  if (key.field === '_id') return id;
  const value = index.documents.get(id).values.get(key.field);
  if (value === undefined) return null;
  if (typeof value !== key.type) {
    throw httpError(400, 'bad_request', `cannot sort by '${key.field}' as ${key.type}: it holds a ${typeof value}`);
  }
  if (key.type === 'string' && !isWhole(index, key.field, value)) {
    throw httpError(400, 'bad_request', `cannot sort by '${key.field}': string fields that are used for sorting must not be analyzed`);
  }
  return value;
}

function isWhole(index, field, value) {
  const terms = index.analyze(field, value);
  return terms.length === 1 && terms[0] === value;
}

function compareValues(key, a, b) {
  if (key.type === 'string' || key.field === '_id') return byCodePoint(a === null ? '' : a, b === null ? '' : b);
  return (a || 0) - (b || 0);
}

// hits: id -> score. Returns [{ id, order }] in order, order: the values sorted by.
function sortHits(index, hits, sort) {
  const keys = parseSort(sort);
  const rows = [...hits].map(([id, score]) => ({ id, order: keys.map(key => valueOf(index, key, id, score)) }));
  rows.sort((a, b) => {
    for (let i = 0; i < keys.length; i++) {
      const difference = compareValues(keys[i], a.order[i], b.order[i]);
      if (difference) return keys[i].descending ? -difference : difference;
    }
    return byCodePoint(a.id, b.id);
  });
  return { rows, byScore: i => keys[i] !== undefined && keys[i].type === 'score' };
}

module.exports = { sortHits, byCodePoint };
