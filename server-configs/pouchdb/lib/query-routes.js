'use strict';
// Mango, views and changes: what express-pouchdb lacks or answers otherwise than CouchDB.

const { jsonBody, send, fail, httpError, answering } = require('./reply.js');
const bookmarks = require('./bookmarks.js');

const DEFAULT_LIMIT = 25; // _find's, as CouchDB's

const usesText = selector => selector !== null && typeof selector === 'object' &&
  Object.entries(selector).some(([key, value]) => key === '$text' || usesText(value));

// "$gt": null is CouchDB's way to say "has a value". pouchdb-find fails on it, as it indexes a missing
// member as null and then compares the two; false is the first value after null in the order of keys.
function aboveNull(selector) {
  if (Array.isArray(selector)) return selector.map(aboveNull);
  if (selector === null || typeof selector !== 'object') return selector;
  return Object.fromEntries(Object.entries(selector).map(([key, value]) =>
    (key === '$gt' && value === null ? ['$gte', false] : [key, aboveNull(value)])));
}

module.exports = function installQueryRoutes(app, databases) {
  app.post('/:db/_index', jsonBody, (req, res, next) => {
    const { type } = req.body || {};
    if (type === undefined || type === 'json') return next();
    fail(res, 503, 'required index service unavailable', String(type));
  });

  app.delete('/:db/_index/:ddoc/json/:name', answering(async (req, res) => {
    const db = await databases.open(req.params.db);
    const ddoc = `_design/${req.params.ddoc.replace(/^_design\//, '')}`;
    const { name } = req.params;
    const { indexes } = await db.getIndexes();
    if (!indexes.some(index => index.ddoc === ddoc && index.name === name)) throw httpError(404, 'not_found', 'missing');
    await db.deleteIndex({ ddoc, type: 'json', name });
    send(res, 200, { ok: true });
  }));

  app.post('/:db/_explain', jsonBody, (req, res, next) => {
    req.body.selector = aboveNull(req.body.selector);
    next();
  });

  app.post('/:db/_find', jsonBody, answering(async (req, res) => {
    const started = process.hrtime.bigint();
    const db = await databases.open(req.params.db);
    const { bookmark, execution_stats: wantsStats, ...query } = req.body;
    if (usesText(query.selector)) throw httpError(503, 'required index service unavailable', 'text');
    const skip = bookmarks.position(bookmark, query.skip || 0);
    let result;
    try {
      result = await db.find({ ...query, selector: aboveNull(query.selector), skip, limit: query.limit === undefined ? DEFAULT_LIMIT : query.limit });
    } catch (error) {
      if (/sort on field/.test(error.message)) {
        throw httpError(400, 'no_usable_index', 'No index exists for this sort, try indexing by the sort fields.');
      }
      throw httpError(error.status || 400, error.name || 'bad_request', error.reason || error.message);
    }
    result.bookmark = result.docs.length ? bookmarks.make(skip + result.docs.length) : bookmark || 'nil';
    // PouchDB does not count what it read: those figures are null, not a guess
    if (wantsStats) {
      result.execution_stats = {
        total_keys_examined: null,
        total_docs_examined: null,
        total_quorum_docs_examined: 0,
        results_returned: result.docs.length,
        execution_time_ms: Number(process.hrtime.bigint() - started) / 1e6
      };
    }
    send(res, 200, result);
  }));

  app.post('/:db/_design/:ddoc/_view/:view/queries', jsonBody, answering(async (req, res) => {
    const db = await databases.open(req.params.db);
    const results = [];
    for (const query of (req.body || {}).queries || []) results.push(await db.query(`${req.params.ddoc}/${req.params.view}`, query));
    send(res, 200, { results });
  }));

  app.all('/:db/_temp_view', (req, res) => fail(res, 410, 'gone', 'Temporary views are not supported in CouchDB'));

  // a filter that fails would end express-pouchdb's process
  app.all('/:db/_changes', (req, res, next) => {
    const { filter } = req.query;
    if (!filter || (filter === '_doc_ids' && req.method === 'POST')) return next();
    fail(res, 501, 'not_implemented', 'filter');
  });
};
