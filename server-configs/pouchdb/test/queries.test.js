'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { start } = require('../testing/client.js');

test('views and Mango', async t => {
  const server = await start(t, '--memory');
  await server.put('db');
  await server.post('db/_bulk_docs', { docs: Array.from({ length: 60 }, (_, i) => ({ _id: `d${String(i).padStart(2, '0')}`, n: i, even: i % 2 === 0 })) });
  await server.put('db/_design/v', { views: {
    even: { map: 'function (doc) { emit([doc.even, doc.n], doc.n); }', reduce: '_count' },
    total: { map: 'function (doc) { emit(null, doc.n); };', reduce: '_stats' },
    own: { map: 'function (doc) { emit(null, doc.n); }', reduce: 'function (keys, values) { return sum(values) * 2; }' },
    throws: { map: 'function (doc) { doc.none.at.all; }' }
  } });

  await t.test('views', async () => {
    const cases = [
      ['even?group_level=1', rows => assert.deepEqual(rows, [{ key: [false], value: 30 }, { key: [true], value: 30 }])],
      ['even?reduce=false&limit=1', rows => assert.equal(rows.length, 1)],
      ['even?reduce=false&start_key=[true,50]&end_key=[true,{}]', rows => assert.equal(rows.length, 5)],
      ['even?reduce=false&descending=true&skip=1&limit=1&include_docs=true', rows => assert.equal(rows[0].doc.n, 56)],
      ['total', rows => assert.deepEqual(rows[0].value, { sum: 1770, count: 60, min: 0, max: 59, sumsqr: 70210 })],
      ['own', rows => assert.equal(rows[0].value, 3540)],
      ['throws', rows => assert.deepEqual(rows, [])]
    ];
    for (const [where, judge] of cases) {
      const { status, json } = await server.get(`db/_design/v/_view/${where}`);
      assert.equal(status, 200, where);
      judge(json.rows);
    }
    assert.equal((await server.get('db/_design/v/_view/none')).status, 404);
    assert.equal((await server.get('db/_design/none/_view/none')).status, 404);
    const { json } = await server.post('db/_design/v/_view/even/queries', { queries: [{ reduce: false, limit: 1 }, { group_level: 1 }] });
    assert.deepEqual(json.results.map(({ rows }) => rows.length), [1, 2]);
    assert.equal((await server.post('db/_temp_view', {})).status, 410);
  });

  await t.test('a map function that does not compile is refused when it is written', async () => {
    const { status, json } = await server.put('db/_design/bad', { views: { v: { map: 'function (doc) {' } } });
    assert.deepEqual([status, json.error], [400, 'compilation_error']);
  });

  await t.test('find: limit, warning, bookmark, statistics', async () => {
    const first = (await server.post('db/_find', { selector: { n: { $gte: 0 } } })).json;
    assert.equal(first.docs.length, 25);
    assert.match(first.warning, /No matching index found/i);
    const ids = new Set();
    let bookmark;
    for (;;) {
      const { docs, bookmark: next } = (await server.post('db/_find', { selector: { n: { $gte: 0 } }, limit: 20, bookmark })).json;
      if (!docs.length) break;
      docs.forEach(doc => ids.add(doc._id));
      bookmark = next;
    }
    assert.equal(ids.size, 60);
    assert.equal((await server.post('db/_find', { selector: {}, bookmark: 'junk' })).status, 400);
    const { json } = await server.post('db/_find', { selector: { n: 3 }, execution_stats: true });
    assert.equal(json.execution_stats.results_returned, 1);
    assert.equal(json.execution_stats.total_docs_examined, null);
  });

  await t.test('index: define, use, remove', async () => {
    assert.equal((await server.post('db/_find', { selector: { n: { $gt: null } }, sort: ['n'] })).json.error, 'no_usable_index');
    assert.equal((await server.post('db/_index', { index: { fields: ['n'] }, ddoc: 'i', name: 'n' })).json.result, 'created');
    const { json } = await server.post('db/_find', { selector: { n: { $gt: null } }, sort: [{ n: 'desc' }], limit: 1, use_index: ['_design/i', 'n'] });
    assert.equal(json.docs[0].n, 59);
    assert.equal(json.warning, undefined);
    assert.equal((await server.post('db/_explain', { selector: { n: 3 } })).json.index.name, 'n');
    assert.equal((await server.del('db/_index/i/json/n')).status, 200);
    assert.equal((await server.del('db/_index/i/json/n')).status, 404);
  });

  await t.test('"has a value": $gt null on an index, with documents that lack the member', async () => {
    await server.put('some');
    const docs = Array.from({ length: 30 }, (_, i) => ({ _id: String(i), ...(i % 3 ? { a: i % 3 === 1 ? i : false, b: i % 2 ? 1 : undefined } : {}) }));
    await server.post('some/_bulk_docs', { docs });
    const find = async query => (await server.post('some/_find', query)).json.docs.map(doc => doc._id).sort();
    const wanted = docs.filter(doc => doc.a !== undefined).map(doc => doc._id).sort();
    assert.deepEqual(await find({ selector: { a: { $gt: null } } }), wanted);
    await server.post('some/_index', { index: { fields: ['a'], partial_filter_selector: { b: { $exists: false } } }, ddoc: 'p', name: 'p' });
    const withoutB = docs.filter(doc => doc.a !== undefined && doc.b === undefined).map(doc => doc._id).sort();
    const indexed = { selector: { a: { $gt: null } }, use_index: ['p', 'p'] };
    assert.deepEqual(await find(indexed), withoutB);
    assert.deepEqual(await find({ ...indexed, limit: withoutB.length }), withoutB, 'the limit counts none that lack it');
    assert.deepEqual((await server.post('some/_explain', indexed)).json.index.name, 'p');
  });

  await t.test('text search through Mango needs an engine', async () => {
    assert.equal((await server.post('db/_index', { type: 'text', index: {} })).status, 503);
    assert.equal((await server.post('db/_find', { selector: { $text: 'x' } })).status, 503);
    assert.equal((await server.post('db/_find', { selector: { n: 'a "$text": in a value' } })).status, 200);
  });
});
