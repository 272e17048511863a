'use strict';
// An inverted index in memory over one index function: field -> term -> document -> positions.
// (minisearch was tried for this: it wants its fields named before the first document, has no
// wildcards but a prefix, no phrases, no ranges and no exact fields, so that most of this stayed.)

class InvertedIndex {
  // map: document -> list of { field, value, store, indexed, text }, or throws
  // analyzerOf: field name -> function from text to terms
  constructor(map, analyzerOf) {
    this.map = map;
    this.analyzerOf = analyzerOf;
    this.documents = new Map(); // id -> { stored, values, terms }
    this.postings = new Map(); // field -> term -> id -> positions
    this.kinds = new Map(); // field -> text, string or number, as first seen
  }

  put(doc) {
    this.remove(doc._id);
    let fields;
    try {
      fields = this.map(doc);
    } catch {
      return; // the engines leave such a document out
    }
    if (!fields.length) return;
    const entry = { stored: {}, values: new Map(), terms: [] };
    for (const field of fields) this.#add(doc._id, entry, field);
    this.documents.set(doc._id, entry);
  }

  #add(id, entry, { field, value, store, indexed, text }) {
    if (store) {
      const before = entry.stored[field];
      entry.stored[field] = before === undefined ? value : [].concat(before, value);
    }
    if (!indexed) return;
    if (!entry.values.has(field)) entry.values.set(field, value); // for sorting and ranges
    if (!this.kinds.has(field)) this.kinds.set(field, typeof value === 'number' ? 'number' : text ? 'text' : 'string');
    const terms = typeof value === 'string' && text ? this.analyzerOf(field)(value) : [String(value)];
    if (!this.postings.has(field)) this.postings.set(field, new Map());
    const ofField = this.postings.get(field);
    terms.forEach((term, position) => {
      if (!ofField.has(term)) ofField.set(term, new Map());
      const ofTerm = ofField.get(term);
      if (ofTerm.has(id)) {
        ofTerm.get(id).push(position);
      } else {
        ofTerm.set(id, [position]);
        entry.terms.push([field, term]);
      }
    });
  }

  remove(id) {
    const entry = this.documents.get(id);
    if (!entry) return;
    for (const [field, term] of entry.terms) {
      const ofField = this.postings.get(field);
      const ofTerm = ofField.get(term);
      ofTerm.delete(id);
      if (!ofTerm.size) ofField.delete(term);
    }
    this.documents.delete(id);
  }

  // The terms that a word of a query stands for: by the field's analyzer even where a field is
  // indexed whole (Nouveau's type string), as Nouveau does it.
  analyze(field, text) {
    return this.kinds.get(field) === 'number' ? [text] : this.analyzerOf(field)(text);
  }

  // term -> document -> positions, of one field
  termsOf(field) {
    return this.postings.get(field) || new Map();
  }
}

module.exports = InvertedIndex;
