'use strict';
// What differs between the two search engines of CouchDB: Clouseau (_search) and Nouveau (_nouveau).

const { clouseauKey, nouveauKey } = require('./sort.js');
const { analyzer, ENGLISH_STOP_WORDS } = require('./analyzers.js');
const { httpError } = require('../reply.js');

// A call of index() in an index function becomes { field, value, store, text }, text: is it analyzed.
// Whatever is thrown here leaves the document out of the index, as in the engines.
function checkValue(value, types) {
  if (!types.includes(typeof value)) throw new TypeError(`cannot index a value of type ${typeof value}`);
}

function clouseauField(field, value, options = {}) {
  checkValue(value, ['string', 'number', 'boolean']);
  return {
    field: String(field),
    value: typeof value === 'boolean' ? String(value) : value,
    store: options.store === true || options.store === 'yes',
    indexed: options.index !== false && options.index !== 'no',
    text: true
  };
}

const NOUVEAU_TYPES = { string: ['string'], text: ['string'], double: ['number'], stored: ['string', 'number'] };

function nouveauField(type, field, value, options = {}) {
  if (!Object.hasOwn(NOUVEAU_TYPES, type)) throw new TypeError(`no such field type: ${type}`);
  checkValue(value, NOUVEAU_TYPES[type]);
  if (String(field).startsWith('_')) throw new TypeError('name must not start with an underscore');
  return { field: String(field), value, store: type === 'stored' || options.store === true, indexed: type !== 'stored', text: type === 'text' };
}

// field name -> analyzer, made once per field
function perField(analyzerOf) {
  const made = new Map();
  return field => {
    if (!made.has(field)) made.set(field, analyzerOf(field));
    return made.get(field);
  };
}

const own = (object, key) => (object && Object.hasOwn(object, key) ? object[key] : undefined);

const clouseau = {
  member: 'indexes', // of the design document
  leastLimit: 0,
  parameters: ['q', 'query', 'include_fields', 'stale'],
  sortKey: clouseauKey,
  field: clouseauField,
  analyzers({ analyzer: definition = 'standard' }) {
    const { name, default: otherwise, fields } = definition;
    return perField(field => analyzer(name === 'perfield' ? own(fields, field) || otherwise : definition, ENGLISH_STOP_WORDS));
  },
  answer({ total, bookmark, rows }) {
    return { total_rows: total, bookmark, rows };
  },
  order: (values, byScore, position) => [...values, position]
};

const nouveau = {
  member: 'nouveau',
  leastLimit: 1,
  parameters: ['q', 'update'],
  sortKey: nouveauKey,
  field: nouveauField,
  analyzers({ default_analyzer: otherwise, field_analyzers: fields }) {
    return perField(field => analyzer(own(fields, field) || otherwise));
  },
  answer({ total, bookmark, rows, updateMilliseconds }) {
    return {
      bookmark,
      total_hits: total,
      total_hits_relation: 'EQUAL_TO',
      update_latency: updateMilliseconds,
      hits: rows,
      counts: null,
      ranges: null
    };
  },
  order: (values, byScore, position, id) => [...values, id].map((value, i) => ({
    '@type': value === null ? 'null' : typeof value === 'string' ? 'string' : byScore(i) ? 'float' : 'double',
    value
  }))
};

function definitionOf(engine, ddoc, name) {
  const definition = own(ddoc[engine.member], name);
  if (!definition) throw httpError(404, 'not_found', `${name} not found.`);
  if (typeof definition.index !== 'string') throw httpError(400, 'bad_request', `${name} has no index function.`);
  return definition;
}

module.exports = { clouseau, nouveau, definitionOf };
