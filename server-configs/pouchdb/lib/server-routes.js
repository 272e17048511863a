'use strict';
// The server itself: what express-pouchdb lacks or answers otherwise than CouchDB.

const crypto = require('crypto');
const { send, fail } = require('./reply.js');
const { version } = require('pouchdb-core/package.json');

const MAX_UUIDS = 1000; // CouchDB's max_count

module.exports = function installServerRoutes(app, options) {
  const uuid = crypto.randomUUID().replaceAll('-', '');

  // The vendor's name keeps these figures from passing for CouchDB's.
  app.get('/', (req, res) => send(res, 200, {
    couchdb: 'Welcome',
    version,
    uuid,
    features: [],
    vendor: { name: 'PouchDB', version, variant: options.memory ? 'memory' : 'leveldb' }
  }));
  app.get('/_up', (req, res) => send(res, 200, { status: 'ok' }));
  app.get('/_active_tasks', (req, res) => send(res, 200, [])); // indexes are built within the query
  app.get('/_uuids', (req, res) => {
    const count = Number(req.query.count === undefined ? 1 : req.query.count);
    if (!Number.isInteger(count) || count < 0 || count > MAX_UUIDS) {
      return fail(res, 400, 'bad_request', `count must be a number up to ${MAX_UUIDS}`);
    }
    send(res, 200, { uuids: Array.from({ length: count }, () => crypto.randomUUID().replaceAll('-', '')) });
  });
};
