#!/usr/bin/env node
'use strict';
// Starts the server, says where it is, and ends it without leaving anything behind.

const fs = require('fs');
const os = require('os');
const path = require('path');
const { parseOptions, HELP } = require('./lib/options.js');

const PARENT_CHECK_MS = 500;
let cleanUp = () => {};
let ready = false;

function end(code, message) {
  if (message) console.error(`pouchdb-server: ${message}`);
  cleanUp();
  process.exit(code);
}

// One bad request must not end a running server; before it is ready nothing runs yet.
function survive(error) {
  const text = (error && error.stack) || String(error);
  if (!ready) end(1, text);
  console.error(`error: ${text}`);
}

// Whole or not at all: who waits for the file never reads half of it.
function writeWhole(file, text) {
  fs.writeFileSync(`${file}.tmp`, text);
  fs.renameSync(`${file}.tmp`, file);
}

function listen(app, options) {
  const server = app.listen(options.port, '127.0.0.1', () => {
    const { port } = server.address();
    if (options['port-file']) writeWhole(options['port-file'], `${port}\n`);
    ready = true;
    console.log(`ready http://127.0.0.1:${port}/`);
  });
  server.keepAliveTimeout = 0; // an idle connection stays, as CouchDB's do
  server.requestTimeout = 0;
  server.headersTimeout = 0;
  server.on('error', error => end(1, `cannot listen: ${error.message}`));
  return server;
}

function isGone(pid) {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

async function main() {
  let options;
  try {
    options = parseOptions(process.argv.slice(2));
  } catch (error) {
    end(2, `${error.message} (see --help)`);
  }
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
  if (!options.memory && !options.dir) {
    options.dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tunecouch-pouchdb-'));
    cleanUp = () => fs.rmSync(options.dir, { recursive: true, force: true });
  }
  if (options.dir) fs.mkdirSync(options.dir, { recursive: true });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => end(0));
  if (options.parent) setInterval(() => isGone(options.parent) && end(0), PARENT_CHECK_MS).unref();
  listen(await require('./lib/app.js')(options), options);
}

process.on('uncaughtException', survive);
process.on('unhandledRejection', survive);
main();
