'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { execFileSync, spawnSync, spawn } = require('child_process');
const { start, client, ADMIN } = require('../testing/client.js');
const { parseOptions } = require('../lib/options.js');

const SERVER = path.join(__dirname, '../server.js');

test('options', async t => {
  const cases = [
    [[], { port: 0, memory: false, 'session-timeout': 600 }],
    [['--port', '80', '--memory'], { port: 80, memory: true, 'session-timeout': 600 }],
    [['--admin=a:b:c'], { admin: 'a:b:c', port: 0, memory: false, 'session-timeout': 600 }]
  ];
  for (const [argv, expected] of cases) assert.deepEqual(parseOptions(argv), expected);
  const refused = [['--nope'], ['--port'], ['--port', '70000'], ['--port', 'x'], ['--admin', 'nocolon'], ['--memory=1'],
    ['--memory', '--dir', 'x'], ['stray'], ['--constructor', 'x']];
  for (const argv of refused) assert.throws(() => parseOptions(argv), Error, argv.join(' '));
  await t.test('a password from a file', () => {
    const file = path.join(os.tmpdir(), `tunecouch-test-${process.pid}`);
    fs.writeFileSync(file, 'x:y z\n');
    try {
      assert.equal(parseOptions(['--admin-file', file]).admin, 'x:y z');
    } finally {
      fs.rmSync(file);
    }
    assert.throws(() => parseOptions(['--admin-file', file]), { code: 'ENOENT' });
  });
  await t.test('a wrong option ends with 2 and its reason', () => {
    const { status, stderr } = spawnSync(process.execPath, [SERVER, '--nope'], { encoding: 'utf8' });
    assert.equal(status, 2);
    assert.match(stderr, /unknown option: --nope/);
  });
});

test('names itself, so that nobody takes its figures for CouchDB\'s', async t => {
  for (const [option, variant] of [[[], 'leveldb'], [['--memory'], 'memory']]) {
    const server = await start(t, ...option);
    const { json } = await server.get('');
    assert.equal(json.couchdb, 'Welcome');
    assert.equal(json.vendor.name, 'PouchDB');
    assert.equal(json.vendor.variant, variant);
    assert.deepEqual((await server.get('_up')).json, { status: 'ok' });
    assert.deepEqual((await server.get('_active_tasks')).json, []);
    assert.equal((await server.get('_uuids?count=3')).json.uuids.length, 3);
    assert.equal((await server.get('_uuids?count=x')).status, 400);
    await server.stop();
  }
});

test('port file, data folder and end', async t => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tunecouch-test-'));
  t.after(() => fs.rmSync(dir, { recursive: true, force: true }));
  const data = path.join(dir, 'data');
  const portFile = path.join(dir, 'port');

  const first = await start(t, '--dir', data, '--port-file', portFile);
  const port = Number(fs.readFileSync(portFile, 'utf8'));
  assert.equal(first.url, `http://127.0.0.1:${port}/`);
  assert.equal((await first.put('kept')).status, 201);
  assert.equal((await first.put('kept/doc', { a: 1 })).status, 201);
  const taken = spawnSync(process.execPath, [SERVER, '--memory', '--port', String(port)], { encoding: 'utf8' });
  assert.equal(taken.status, 1);
  assert.match(taken.stderr, /cannot listen/);
  assert.deepEqual(await first.stop(), { code: 0, signal: null, log: '' });

  const second = await start(t, '--dir', data);
  assert.equal((await second.get('kept/doc')).json.a, 1);
  await second.stop();
  assert.ok(fs.existsSync(data), 'a folder that was given is kept');
});

test('its own temporary folder is gone afterwards', async t => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tunecouch-test-'));
  t.after(() => fs.rmSync(dir, { recursive: true, force: true }));
  const before = process.env.TMPDIR;
  process.env.TMPDIR = dir;
  t.after(() => { if (before === undefined) delete process.env.TMPDIR; else process.env.TMPDIR = before; });
  const server = await start(t);
  await server.put('db');
  assert.equal(fs.readdirSync(dir).length, 1);
  await server.stop();
  assert.deepEqual(fs.readdirSync(dir), []);
});

test('ends itself when its parent is gone', async t => {
  const parent = spawn('sleep', ['60']);
  const server = await start(t, '--memory', '--parent', String(parent.pid));
  parent.kill();
  assert.equal((await server.exited).code, 0);
});

test('authentication', async t => {
  const server = await start(t, '--memory', '--admin', ADMIN, '--session-timeout', '2');
  const anonymous = client(server.url);
  const wrong = client(server.url, 'admin:wrong');

  await t.test('open to all', async () => {
    for (const where of ['', '_up', '_session']) assert.equal((await anonymous.get(where)).status, 200, where);
    assert.equal((await anonymous.get('_session')).json.userCtx.name, null);
  });
  await t.test('refused', async () => {
    for (const where of ['_all_dbs', 'db', '_active_tasks']) {
      const { status, json } = await anonymous.get(where);
      assert.equal(status, 401);
      assert.equal(json.error, 'unauthorized');
    }
    assert.equal((await anonymous.put('db')).status, 401);
    const { status, json } = await wrong.get('');
    assert.deepEqual([status, json.reason], [401, 'Name or password is incorrect.']);
  });
  await t.test('basic', async () => {
    assert.equal((await server.get('_all_dbs')).status, 200);
    assert.deepEqual((await server.get('_session')).json.userCtx, { name: 'admin', roles: ['_admin'] });
  });
  await t.test('cookie: log in, use, log out, run out', async () => {
    const password = ADMIN.slice('admin:'.length);
    assert.equal((await anonymous.post('_session', { name: 'admin', password: 'wrong' })).status, 401);
    assert.equal((await anonymous.post('_session', { })).status, 401);
    const form = await anonymous.post('_session', new URLSearchParams({ name: 'admin', password }).toString(),
      { 'content-type': 'application/x-www-form-urlencoded' });
    assert.equal(form.status, 200);
    const login = await anonymous.post('_session', { name: 'admin', password });
    assert.deepEqual(login.json, { ok: true, name: 'admin', roles: ['_admin'] });
    const [pair, ...attributes] = login.headers.get('set-cookie').split('; ');
    assert.ok(attributes.includes('HttpOnly') && attributes.includes('Path=/'));
    const cookie = { cookie: `other=1; ${pair}` };
    assert.equal((await anonymous.get('_all_dbs', cookie)).status, 200);
    assert.equal((await anonymous.get('_session', cookie)).json.info.authenticated, 'cookie');
    assert.equal((await anonymous.get('_all_dbs', { cookie: `${pair.slice(0, -2)}xx` })).status, 401);
    assert.match((await anonymous.del('_session', cookie)).headers.get('set-cookie'), /^AuthSession=;/);
    await new Promise(resolve => setTimeout(resolve, 3000));
    assert.equal((await anonymous.get('_all_dbs', cookie)).status, 401);
  });
});

test('help', () => {
  const help = execFileSync(process.execPath, [SERVER, '--help'], { encoding: 'utf8' });
  for (const name of ['port', 'port-file', 'dir', 'memory', 'admin', 'admin-file', 'session-timeout', 'parent']) assert.match(help, new RegExp(`--${name}\\b`));
});
