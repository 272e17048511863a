'use strict';
// A query in Lucene's syntax -> the documents that it finds, each with a score.

const { parse, unescape } = require('./parser.js');

const NOTHING = new Map();

// A word with * or ? that is not escaped -> pattern for whole terms; else null.
function wildcard(text) {
  let pattern = '';
  let wild = false;
  for (const [part, escaped] of text.matchAll(/\\(.)|./gsu)) {
    if (part === '*' || part === '?') {
      pattern += part === '*' ? '.*' : '.';
      wild = true;
    } else {
      pattern += (escaped || part).replace(/[.*+?^${}()|[\]\\/]/gu, '\\$&');
    }
  }
  return wild ? pattern : null;
}

// The end of a range: undefined for *, a number where it looks like one (in quotes too, as in CouchDB).
function bound(text) {
  if (text === '*') return undefined;
  const plain = unescape(text.replace(/^"(.*)"$/su, '$1'));
  const number = plain === '' ? NaN : Number(plain);
  return Number.isNaN(number) ? plain : number;
}

class Search {
  constructor(index) {
    this.index = index;
  }

  // -> Map of document id to score
  run(node, outerField) {
    const field = node.field === undefined ? outerField : node.field;
    const hits = this[node.type](node, field);
    return node.boost === undefined ? hits : new Map([...hits].map(([id, score]) => [id, score * node.boost]));
  }

  group({ clauses }, field) {
    const found = clauses.map(clause => ({ ...clause, hits: this.run(clause.node, field) }));
    const must = found.filter(clause => clause.must);
    const mustNot = found.filter(clause => clause.mustNot);
    const scoring = found.filter(clause => !clause.mustNot);
    const candidates = must.length ? must.slice(0, 1) : scoring;
    const hits = new Map();
    for (const id of new Set(candidates.flatMap(clause => [...clause.hits.keys()]))) {
      if (!must.every(clause => clause.hits.has(id)) || mustNot.some(clause => clause.hits.has(id))) continue;
      hits.set(id, scoring.reduce((score, clause) => score + (clause.hits.get(id) || 0), 0));
    }
    return hits;
  }

  word({ text }, field) {
    if (text === '*') return this.#where(entry => field === '*' || entry.values.has(field));
    const pattern = wildcard(text);
    if (pattern !== null) return this.#pattern(field, pattern);
    const hits = new Map();
    for (const term of this.index.analyze(field, unescape(text))) this.#score(hits, this.index.termsOf(field).get(term));
    return hits;
  }

  phrase({ text }, field) {
    const terms = this.index.termsOf(field);
    const [first, ...others] = this.index.analyze(field, text).map(term => terms.get(term) || NOTHING);
    const found = new Map();
    for (const [id, positions] of first || NOTHING) {
      const starts = positions.filter(start => others.every((documents, i) => (documents.get(id) || []).includes(start + i + 1)));
      if (starts.length) found.set(id, starts);
    }
    const hits = new Map();
    this.#score(hits, found);
    return hits;
  }

  range({ from, to, includes }, field) {
    const low = bound(from);
    const high = bound(to);
    return this.#where(({ values }) => {
      const value = values.get(field);
      const comparable = limit => limit === undefined || typeof limit === typeof value;
      return value !== undefined && comparable(low) && comparable(high) &&
        (low === undefined || value > low || (includes.from && value === low)) &&
        (high === undefined || value < high || (includes.to && value === high));
    });
  }

  #where(wanted) {
    return new Map([...this.index.documents].filter(([, entry]) => wanted(entry)).map(([id]) => [id, 1]));
  }

  // Rare terms and frequent ones within a document weigh more: enough for an order by relevance.
  #score(hits, documents = NOTHING) {
    const rarity = Math.log(1 + this.index.documents.size / (1 + documents.size));
    for (const [id, positions] of documents) hits.set(id, (hits.get(id) || 0) + rarity * Math.sqrt(positions.length));
  }

  // Words with wildcards are not analyzed, only put in lower case where the analyzer does that.
  #pattern(field, pattern) {
    const [sample] = this.index.analyze(field, 'A');
    const matches = new RegExp(`^${sample === 'A' ? pattern : pattern.toLowerCase()}$`, 'su');
    const hits = new Map();
    for (const [term, documents] of this.index.termsOf(field)) if (matches.test(term)) this.#score(hits, documents);
    return hits;
  }
}

module.exports = (index, text) => new Search(index).run(parse(text), 'default');
