'use strict';
// Text to terms, as the analyzers of the same names in Lucene do it. Those not listed are refused:
// a count made by other rules would be a wrong count.

const stemmer = require('stemmer');
const { httpError } = require('../reply.js');

// Lucene's classic list: its standard analyzer dropped these words up to version 7, which Clouseau
// is older and Nouveau newer than.
const ENGLISH_STOP_WORDS = new Set(('a an and are as at be but by for if in into is it no not of on or such ' +
  'that the their then there these they this to was will with').split(' '));

const segmenter = new Intl.Segmenter('en', { granularity: 'word' }); // Unicode's word rules, as Lucene's
const lower = term => term.toLowerCase();

function words(text) {
  const found = [];
  for (const { segment, isWordLike } of segmenter.segment(text)) if (isWordLike) found.push(segment);
  return found;
}

const letters = text => text.match(/\p{L}+/gu) || [];
const plainAscii = term => term.normalize('NFD').replace(/\p{M}/gu, '');
const without = stopWords => term => !stopWords.has(term);

// name -> (stop words -> function from text to terms)
const ANALYZERS = {
  keyword: () => text => [text],
  whitespace: () => text => text.split(/\s+/u).filter(Boolean),
  simple: () => text => letters(text).map(lower),
  simple_asciifolding: () => text => letters(text).map(lower).map(plainAscii),
  standard: stopWords => text => words(text).map(lower).filter(without(stopWords)),
  english: () => text => words(text).map(lower).map(term => term.replace(/['’]s$/u, ''))
    .filter(without(ENGLISH_STOP_WORDS)).map(term => stemmer(term))
};

// definition: a name, or Clouseau's { name, stopwords }; standardStopWords: what `standard` drops by itself
function analyzer(definition = 'standard', standardStopWords = new Set()) {
  const { name, stopwords } = typeof definition === 'string' ? { name: definition } : definition;
  if (!Object.hasOwn(ANALYZERS, name)) throw httpError(400, 'bad_request', `no such analyzer on this server: ${name}`);
  return ANALYZERS[name](stopwords ? new Set(stopwords) : standardStopWords);
}

module.exports = { analyzer, ENGLISH_STOP_WORDS };
