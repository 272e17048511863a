'use strict';
// GET and POST /db/_design/ddoc/_search/index and …/_nouveau/index.

const { jsonBody, send, httpError, answering } = require('../reply.js');
const bookmarks = require('../bookmarks.js');
const { compile } = require('../views.js');
const { clouseau, nouveau, definitionOf } = require('./engines.js');
const InvertedIndex = require('./inverted-index.js');
const findHits = require('./query.js');
const { sortHits } = require('./sort.js');

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 200; // max_limit of both engines
const PARAMETERS = ['limit', 'sort', 'bookmark', 'include_docs']; // and those of one engine

// A GET carries JSON in some of its parameters, a POST is JSON throughout.
function parametersOf(req) {
  if (req.method === 'POST') return req.body || {};
  const parameters = { ...req.query };
  for (const name of ['sort', 'limit', 'include_docs', 'include_fields']) {
    if (parameters[name] === undefined) continue;
    try {
      parameters[name] = JSON.parse(parameters[name]);
    } catch {
      throw httpError(400, 'bad_request', `invalid UTF-8 JSON in ${name}`);
    }
  }
  return parameters;
}

function check(parameters, engine) {
  const { limit = DEFAULT_LIMIT, q = parameters.query } = parameters;
  const wrong = (name, value) => httpError(400, 'query_parse_error', `Invalid value for ${name}: ${JSON.stringify(value)}`);
  for (const name of Object.keys(parameters)) {
    if (!PARAMETERS.includes(name) && !engine.parameters.includes(name)) throw httpError(400, 'bad_request', `${name} is not supported by this server`);
  }
  if (typeof q !== 'string' || !q.trim()) throw httpError(400, 'query_parse_error', 'q parameter is mandatory');
  if (!Number.isInteger(limit) || limit < engine.leastLimit) throw wrong('limit', limit);
  if (limit > MAX_LIMIT) throw httpError(400, 'query_parse_error', `Value for limit is too large, must not exceed ${MAX_LIMIT}`);
  if (![undefined, true, false].includes(parameters.include_docs)) throw wrong('include_docs', parameters.include_docs);
  return { ...parameters, q, limit };
}

function newIndex(engine, definition) {
  let fields;
  const index = (...call) => { fields.push(engine.field(...call)); };
  const run = compile(definition.index, { index });
  const map = doc => {
    fields = [];
    run(doc);
    return fields;
  };
  return { since: 0, updating: Promise.resolve(), inverted: new InvertedIndex(map, engine.analyzers(definition)) };
}

async function update(state, db) {
  const { results, last_seq: last } = await db.changes({ since: state.since, include_docs: true });
  for (const { id, deleted, doc } of results) {
    if (deleted) state.inverted.remove(id);
    else if (!id.startsWith('_design/')) state.inverted.put(doc);
  }
  state.since = last;
}

// As CouchDB, an index belongs to its definition: the same one under another name is built once.
function indexCache(PouchDB) {
  const cache = new Map(); // database name -> definition -> state
  PouchDB.on('destroyed', name => cache.delete(name));
  return async (db, engine, ddocId, name) => {
    const definition = definitionOf(engine, await db.get(`_design/${ddocId}`), name);
    if (!cache.has(db.name)) cache.set(db.name, new Map());
    const ofDatabase = cache.get(db.name);
    const key = JSON.stringify([engine.member, definition]);
    if (!ofDatabase.has(key)) ofDatabase.set(key, newIndex(engine, definition));
    const state = ofDatabase.get(key);
    state.updating = state.updating.catch(() => {}).then(() => update(state, db));
    await state.updating;
    return state.inverted;
  };
}

const only = (stored, names) => (names ? Object.fromEntries([].concat(names).filter(name => name in stored).map(name => [name, stored[name]])) : stored);

module.exports = function installSearchRoutes(app, databases, PouchDB) {
  const upToDate = indexCache(PouchDB);

  const handler = engine => answering(async (req, res) => {
    const db = await databases.open(req.params.db);
    const started = Date.now();
    const index = await upToDate(db, engine, req.params.ddoc, req.params.index);
    const updateMilliseconds = Date.now() - started;
    const { q, limit, sort, bookmark, ...parameters } = check(parametersOf(req), engine);
    const from = bookmarks.position(bookmark, 0);
    const { rows: all, byScore } = sortHits(index, findHits(index, q), sort, engine.sortKey);
    const page = all.slice(from, from + limit);
    const docs = parameters.include_docs && page.length
      ? (await db.allDocs({ keys: page.map(({ id }) => id), include_docs: true })).rows.map(row => row.doc) : null;
    const rows = page.map(({ id, order }, i) => ({
      id,
      order: engine.order(order, byScore, from + i, id),
      fields: only(index.documents.get(id).stored, parameters.include_fields),
      ...(docs ? { doc: docs[i] } : {})
    }));
    const next = page.length ? bookmarks.make(from + page.length) : bookmark || bookmarks.make(from);
    send(res, 200, engine.answer({ total: all.length, bookmark: next, rows, updateMilliseconds }));
  });

  for (const [path, engine] of [['_search', clouseau], ['_nouveau', nouveau]]) {
    app.get(`/:db/_design/:ddoc/${path}/:index`, handler(engine));
    app.post(`/:db/_design/:ddoc/${path}/:index`, jsonBody, handler(engine));
  }
};
