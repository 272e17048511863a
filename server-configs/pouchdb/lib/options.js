'use strict';
// The command line, read once and checked: an unknown option is an error, not ignored.

const fs = require('fs');

const HELP = `usage: node server.js [OPTION]...
A CouchDB-compatible server on 127.0.0.1: PouchDB behind express-pouchdb.

  --port N              port to listen on; 0, the default, takes a free one
  --port-file FILE      write the port there once it answers
  --dir DIR             keep the databases there (default: a new temporary folder,
                        removed at the end)
  --memory              keep the databases in memory instead of in LevelDB
  --admin USER:PASSWORD ask for this name and password
  --admin-file FILE     the same from a file, which keeps it out of the list of processes
  --session-timeout N   seconds that a cookie of _session is good for (default 600)
  --parent PID          end when that process is gone
  --help                print this text
`;

const number = (name, text, most) => {
  if (!/^\d+$/.test(text) || Number(text) > most) throw new Error(`--${name}: not a number up to ${most}: ${text}`);
  return Number(text);
};

const TAKES_VALUE = {
  port: text => number('port', text, 65535),
  'port-file': text => text,
  dir: text => text,
  admin: text => {
    if (!/^[^:]+:/.test(text)) throw new Error('--admin: USER:PASSWORD expected');
    return text;
  },
  'admin-file': file => TAKES_VALUE.admin(fs.readFileSync(file, 'utf8').trimEnd()),
  'session-timeout': text => number('session-timeout', text, 1e9),
  parent: text => number('parent', text, 2 ** 31)
};

function parseOptions(argv) {
  const options = { port: 0, memory: false, 'session-timeout': 600 };
  for (let i = 0; i < argv.length; i++) {
    const [, name, inline] = /^--([a-z-]+)(?:=(.*))?$/.exec(argv[i]) || [];
    if ((name === 'memory' || name === 'help') && inline === undefined) {
      options[name] = true;
    } else if (name && Object.hasOwn(TAKES_VALUE, name)) {
      const text = inline === undefined ? argv[++i] : inline;
      if (text === undefined) throw new Error(`--${name} needs a value`);
      options[name] = TAKES_VALUE[name](text);
    } else {
      throw new Error(`unknown option: ${argv[i]}`);
    }
  }
  if (options['admin-file']) options.admin = options['admin-file'];
  if (options.memory && options.dir) throw new Error('--memory and --dir exclude each other');
  return options;
}

module.exports = { parseOptions, HELP };
