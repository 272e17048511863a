'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const zlib = require('zlib');
const { start } = require('../testing/client.js');

for (const store of [[], ['--memory']]) {
  test(`databases ${store.join() || 'in LevelDB'}`, async t => {
    const server = await start(t, ...store);

    await t.test('create, information, delete', async () => {
      assert.equal((await server.put('db')).status, 201);
      assert.equal((await server.put('db')).status, 412);
      for (const name of ['Wrong', '1x', 'a%2Fb']) assert.equal((await server.put(name)).json.error, 'illegal_database_name');
      const { json } = await server.get('db');
      assert.equal(json.db_name, 'db');
      assert.equal(json.doc_count, 0);
      assert.equal(typeof json.update_seq, 'string');
      assert.equal(json.compact_running, false);
      if (!store.length) assert.equal(typeof json.sizes.file, 'number');
      assert.equal((await server.del('db')).status, 200);
      assert.equal((await server.del('db')).status, 404);
      assert.equal((await server.get('db')).status, 404);
    });

    await t.test('bulk documents: every row in the order of the request', async () => {
      await server.put('bulk');
      const ids = Array.from({ length: 1201 }, (_, i) => (i * 7919 % 1201).toString(16).padStart(4, '0'));
      const { status, json } = await server.post('bulk/_bulk_docs', { docs: ids.map(_id => ({ _id })) });
      assert.equal(status, 201);
      assert.deepEqual(json.map(row => row.id), ids);
      assert.ok(json.every(row => /^1-/.test(row.rev)));
      assert.equal((await server.get('bulk')).json.doc_count, 1201);
      const again = (await server.post('bulk/_bulk_docs', { docs: [{ _id: ids[0] }, { _id: 'new' }] })).json;
      assert.equal(again[0].error, 'conflict');
      assert.match(again[1].rev, /^1-/);
    });

    await t.test('bulk documents: what is refused', async () => {
      const cases = [
        [{ docs: [{ _nope: 1 }] }, 400, 'doc_validation'],
        [{ docs: [1] }, 400, 'bad_request'],
        [{}, 400, 'bad_request'],
        [{ docs: [{ _id: '_design/x', views: { v: { map: 'function(' } } }] }, 400, 'compilation_error'],
        [{ docs: [{ _id: 'large', text: 'x'.repeat(8000001) }] }, 413, 'document_too_large']
      ];
      for (const [body, status, error] of cases) {
        const answer = await server.post('bulk/_bulk_docs', body);
        assert.deepEqual([answer.status, answer.json.error], [status, error]);
      }
      assert.equal((await server.post('bulk/_bulk_docs', '{"docs":[]}', { 'content-type': 'text/plain' })).status, 415);
      assert.equal((await server.post('bulk/_bulk_docs', '{"docs":', { 'content-type': 'application/json' })).status, 400);
      assert.equal((await server.post('none/_bulk_docs', { docs: [] })).status, 404);
    });

    await t.test('gzip body', async () => {
      const body = zlib.gzipSync(JSON.stringify({ docs: [{ _id: 'zipped' }] }));
      const response = await fetch(`${server.url}bulk/_bulk_docs`, {
        method: 'POST', body, headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' }
      });
      assert.equal(response.status, 201);
    });

    await t.test('bulk get: a row for each, missing ones with their error', async () => {
      await server.put('bulkget');
      await server.put('bulkget/a', { n: 1 });
      const { json } = await server.post('bulkget/_bulk_get', { docs: [{ id: 'a' }, { id: 'none' }] });
      assert.deepEqual(json.results.map(({ id }) => id), ['a', 'none']);
      assert.equal(json.results[0].docs[0].ok.n, 1);
      assert.deepEqual(json.results[1].docs, [{ error: { id: 'none', rev: 'undefined', error: 'not_found', reason: 'missing' } }]);
      assert.equal((await server.post('bulkget/_bulk_get', {})).status, 400);
    });

    await t.test('attachments come back byte for byte', async () => {
      await server.put('files');
      const { json: { rev } } = await server.put('files/doc', { a: 1 });
      const bytes = Buffer.from(Array.from({ length: 100000 }, (_, i) => (i * i) % 256));
      const put = await fetch(`${server.url}files/doc/data?rev=${rev}`, {
        method: 'PUT', body: bytes, headers: { 'content-type': 'application/octet-stream' }
      });
      assert.equal(put.status, 201);
      assert.ok(bytes.equals(Buffer.from(await (await fetch(`${server.url}files/doc/data`)).arrayBuffer())));
    });

    await t.test('local documents are neither counted nor listed', async () => {
      await server.put('local');
      assert.equal((await server.put('local/_local/marker', { a: 1 })).status, 201);
      assert.equal((await server.get('local/_local/marker')).json.a, 1);
      assert.equal((await server.get('local')).json.doc_count, 0);
      assert.deepEqual((await server.get('local/_all_docs')).json.rows, []);
    });
  });
}

test('an idle connection stays open, one bad request ends nothing', async t => {
  const server = await start(t, '--memory');
  await server.put('db');
  assert.equal((await server.get('db/_changes?filter=no/such')).status, 501);
  assert.equal((await server.get('db/%')).status, 400);
  assert.equal((await server.get('_up')).status, 200);
});
