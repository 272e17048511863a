'use strict';
// Databases and bulk writes: what express-pouchdb lacks or answers otherwise than CouchDB.

const { jsonBody, send, fail, failWith, httpError, answering } = require('./reply.js');
const { compile } = require('./views.js');

const MAX_DOCUMENT_BYTES = 8000000; // CouchDB's max_document_size
const SLICE = 500; // documents in one LevelDB transaction, whose time grows with the square of them
const SPECIAL = new Set(['_id', '_rev', '_deleted', '_attachments', '_revisions', '_local_seq', '_revs_info',
  '_conflicts', '_deleted_conflicts']);

// Throws what CouchDB would answer for a document that it does not take.
function checkDocument(doc, bodyBytes, id = doc && doc._id) {
  if (doc === null || typeof doc !== 'object' || Array.isArray(doc)) {
    throw httpError(400, 'bad_request', 'Document must be a JSON object');
  }
  for (const member in doc) {
    if (member[0] === '_' && !SPECIAL.has(member)) {
      throw httpError(400, 'doc_validation', `Bad special document member: ${member}`);
    }
  }
  if (bodyBytes > MAX_DOCUMENT_BYTES) {
    const { _attachments, ...rest } = doc;
    if (Buffer.byteLength(JSON.stringify(rest)) > MAX_DOCUMENT_BYTES) {
      throw httpError(413, 'document_too_large', String(id || ''));
    }
  }
  if (String(id).startsWith('_design/') && !doc._deleted) checkViews(doc);
}

function checkViews(ddoc) {
  if (ddoc.language && ddoc.language !== 'javascript') return; // Mango's indexes are no functions
  for (const [name, view] of Object.entries(ddoc.views || {})) {
    if (!view || typeof view.map !== 'string') continue;
    try {
      if (typeof compile(view.map, { emit() {} }) !== 'function') throw new Error('not a function');
    } catch (error) {
      throw httpError(400, 'compilation_error', `Compilation of the map function in the '${name}' view failed: ${error.message}`);
    }
  }
}

const wireBytes = req => (req.headers['content-encoding'] ? Infinity : Number(req.headers['content-length'] || Infinity));

module.exports = function installDatabaseRoutes(app, databases) {
  app.put('/:db', (req, res, next) => {
    // CouchDB takes / too, which is no name of a file: express-pouchdb would leave it out in silence
    if (/^_?[a-z][a-z0-9_$()+-]*$/.test(req.params.db)) return next();
    fail(res, 400, 'illegal_database_name', `Name: '${req.params.db}'. Only lowercase characters (a-z), digits (0-9), ` +
      'and any of the characters _, $, (, ), +, and - are allowed. Must begin with a letter.');
  });

  app.delete('/:db', answering(async (req, res, next) => {
    await databases.open(req.params.db);
    next();
  }));

  // PouchDB's own figures, and CouchDB's names for those that it has: it has no shards (cluster),
  // does not know the live part of its files (sizes.active) and does not count deleted documents.
  app.get(/^\/([^_/][^/]*)\/?$/, answering(async (req, res) => {
    const name = req.params[0];
    const info = await (await databases.open(name)).info();
    const bytes = databases.fileBytes(name);
    send(res, 200, {
      ...info,
      update_seq: String(info.update_seq),
      purge_seq: '0',
      compact_running: false,
      props: {},
      instance_start_time: '0',
      ...(bytes === undefined ? {} : { sizes: { file: bytes } })
    });
  }));

  app.post('/:db/_bulk_docs', jsonBody, answering(async (req, res) => {
    if (!req.is('json')) throw httpError(415, 'bad_content_type', 'Content-Type must be application/json');
    const db = await databases.open(req.params.db);
    const { docs, new_edits: newEdits } = req.body;
    if (!Array.isArray(docs)) throw httpError(400, 'bad_request', 'POST body must include `docs` parameter.');
    const bytes = wireBytes(req);
    for (const doc of docs) checkDocument(doc, bytes);
    const rows = [];
    for (let i = 0; i < docs.length; i += SLICE) {
      const part = await db.bulkDocs(docs.slice(i, i + SLICE), newEdits === false ? { new_edits: false } : {});
      for (const row of part) rows.push(row.error ? { id: row.id, error: row.name, reason: row.message } : row);
    }
    send(res, 201, rows);
  }));

  // express-pouchdb answers a missing document with {} in place of its error
  app.post('/:db/_bulk_get', jsonBody, answering(async (req, res) => {
    const db = await databases.open(req.params.db);
    const { docs } = req.body;
    if (!Array.isArray(docs)) throw httpError(400, 'bad_request', 'Missing JSON list of \'docs\'.');
    const { results } = await db.bulkGet({ docs, revs: req.query.revs === 'true', attachments: req.query.attachments === 'true' });
    for (const result of results) {
      result.docs = result.docs.map(({ ok, error }) => (error ? {
        error: { id: result.id, rev: error.rev || 'undefined', error: error.name, reason: error.reason || error.message }
      } : { ok }));
    }
    send(res, 200, { results });
  }));

  // single documents go on to express-pouchdb once they are found good
  const checked = idOf => (req, res, next) => {
    const id = idOf(req.params.id);
    if (!req.is('json') || /^_(?!design\/)/.test(id)) return next();
    jsonBody(req, res, error => {
      if (error) return next(error);
      try {
        checkDocument(req.body, wireBytes(req), id);
      } catch (refusal) {
        return failWith(res, refusal);
      }
      next();
    });
  };
  app.put('/:db/:id', checked(id => id));
  app.put('/:db/_design/:id', checked(id => `_design/${id}`));
};
