'use strict';
// The whole server as an express application: routes of ours first, express-pouchdb behind them.

const path = require('path');
const express = require('express');
const pouchdbCore = require('pouchdb-core');
const expressPouchDB = require('express-pouchdb');
const { fail } = require('./reply.js');

module.exports = async function createApp(options) {
  const PouchDB = pouchdbCore
    .plugin(require(options.memory ? 'pouchdb-adapter-memory' : 'pouchdb-adapter-leveldb'))
    .plugin(require('./views.js').plugin)
    .defaults(options.memory ? {} : { prefix: path.resolve(options.dir) + path.sep });
  const databases = require('./databases.js')(PouchDB, options);
  const rest = expressPouchDB({
    mode: 'minimumForPouchDB',
    overrideMode: { include: ['routes/find'], exclude: ['routes/session-stub', 'routes/root'] }
  });

  const app = express();
  for (const each of [app, rest]) {
    each.disable('x-powered-by');
    each.disable('etag'); // a checksum of every answer, which no client here asks for
  }
  require('./auth.js')(app, options);
  require('./server-routes.js')(app, options);
  require('./search/routes.js')(app, databases, PouchDB);
  require('./query-routes.js')(app, databases);
  require('./database-routes.js')(app, databases);
  app.use(rest);
  app.use((error, req, res, next) => { // express knows an error handler by its four arguments
    if (res.headersSent) return next(error);
    fail(res, error.status || 500, error.type === 'entity.too.large' ? 'too_large' : 'bad_request', error.message);
  });

  await rest.setPouchDB(PouchDB);
  await PouchDB.allDbs();
  return app;
};
