'use strict';
// Databases by name, for the routes that go round express-pouchdb.

const fs = require('fs');
const path = require('path');
const cleanFilename = require('express-pouchdb/lib/clean-filename');
const { getOrCreateDB } = require('express-pouchdb/lib/create-or-delete-dbs');
const { httpError } = require('./reply.js');

module.exports = function databases(PouchDB, options) {
  const exists = async name => (await PouchDB.allDbs()).includes(cleanFilename(name));
  return {
    exists,
    // the database of that name, which has to be there
    async open(name) {
      if (!await exists(name)) throw httpError(404, 'not_found', 'Database does not exist.');
      return getOrCreateDB(PouchDB, cleanFilename(name));
    },
    // what LevelDB holds on disk; undefined for a database in memory
    fileBytes(name) {
      if (options.memory) return undefined;
      const folder = path.join(options.dir, cleanFilename(name));
      return fs.readdirSync(folder).reduce((sum, file) => {
        const stat = fs.statSync(path.join(folder, file), { throwIfNoEntry: false }); // compaction removes files meanwhile
        return sum + (stat ? stat.size : 0);
      }, 0);
    }
  };
};
