'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { start } = require('../testing/client.js');

const SONGS = [
  ['1', 'Rock the Casbah', 'clash', 'combat', 1982],
  ['2', 'We Will Rock You', 'queen', 'news', 1977],
  ['3', "Rock'n'Roll", 'zeppelin', 'iv', 1971],
  ['4', 'Rocks Off', 'stones', 'exile', 1972],
  ['5', 'Hard Rock Café', 'king', 'fantasy', 1977],
  ['6', 'The Wall: rock, rock!', 'ångström', 'x', 1999],
  ['7', 'Nothing', '😀', 'y', 2001],
  ['8', 'ＲＯＣＫ wide', '￠', 'z', 2002],
  ['9', 'Rock untitled', undefined, 'a', 2003]
];

const CLOUSEAU = `function (doc) {
  index('default', doc.name, { store: true });
  index('name', doc.name);
  if (doc.artist) index('artist', doc.artist, { store: true });
  if (doc.artist === undefined && doc.artless) index('artist', undefined);
  index('album', doc.album, { store: 'yes' });
  index('year', doc.year);
}`;
const NOUVEAU = `function (doc) {
  index('text', 'default', doc.name, { store: true });
  index('text', 'name', doc.name);
  if (doc.artist) index('string', 'artist', doc.artist, { store: true });
  index('string', 'album', doc.album, { store: true });
  index('double', 'year', doc.year);
}`;
const EXACT = { name: 'perfield', default: 'standard', fields: { artist: 'keyword', album: 'keyword' } };

test('full-text search', async t => {
  const server = await start(t, '--memory');
  const docs = SONGS.map(([_id, name, artist, album, year]) => ({ _id, name, artist, album, year }));
  const create = async () => {
    await server.put('db');
    await server.post('db/_bulk_docs', { docs });
    const { status } = await server.put('db/_design/s', {
      indexes: { songs: { analyzer: EXACT, index: CLOUSEAU }, stemmed: { analyzer: 'english', index: CLOUSEAU }, odd: { analyzer: 'klingon', index: CLOUSEAU } },
      nouveau: { songs: { field_analyzers: { artist: 'keyword', album: 'keyword' }, index: NOUVEAU }, stemmed: { default_analyzer: 'english', index: NOUVEAU } }
    });
    assert.equal(status, 201);
  };
  await create();
  const search = (body, index = 'songs') => server.post(`db/_design/s/_search/${index}`, { limit: 200, ...body });
  const nouveau = (body, index = 'songs') => server.post(`db/_design/s/_nouveau/${index}`, { limit: 200, ...body });
  const idsOf = ({ json, status }) => {
    assert.equal(status, 200, JSON.stringify(json));
    return (json.rows || json.hits).map(row => row.id);
  };

  await t.test('query syntax, alike in both engines', async () => {
    const cases = [
      ['rock', '12569'],
      ['name:rock', '12569'],
      ['name:ROCK', '12569'],
      ['rocks', '4'],
      ['name:rock AND artist:queen', '2'],
      ['name:rock artist:stones', '124569'],
      ['name:rock AND NOT artist:queen', '1569'],
      ['name:rock NOT artist:queen', '1569'],
      ['name:rock -artist:queen', '1569'],
      ['+name:rock +year:[1977 TO 1982]', '125'],
      ['artist:queen OR name:rock AND year:1982', '1'],
      ['artist:queen OR (name:rock AND year:1982)', '12'],
      ['NOT name:rock', ''],
      ['*:* NOT name:rock', '3478'],
      ['*:*', '123456789'],
      ['name:(casbah OR wall)', '16'],
      ['name:rock*', '1234569'],
      ['name:r?ck', '12569'],
      ['name:RO*', '1234569'],
      ['name:"hard rock"', '5'],
      ['name:"rock hard"', ''],
      ['name:café', '5'],
      ['name:cafe', ''],
      ['name:"rock rock"', '6'],
      ['artist:ångström', '6'],
      ['artist:q*', '2'],
      ['artist:Queen', ''],
      ['artist:[king TO queen]', '25'],
      ['year:[1977 TO 1982]', '125'],
      ['year:{1977 TO 1982]', '1'],
      ['year:[2000 TO *]', '789'],
      ['year:[-Infinity TO 1971]', '3'],
      ['none:rock', '']
    ];
    for (const [q, expected] of cases) {
      for (const [name, engine] of [['_search', search], ['_nouveau', nouveau]]) {
        assert.equal(idsOf(await engine({ q })).sort().join(''), expected, `${name} ${q}`);
      }
    }
  });

  await t.test('what cannot be answered is refused', async () => {
    for (const body of [{ q: 'name:(' }, { q: '' }, {}, { q: 'rok~' }, { q: '"a b"~2' }, { q: '/ro.k/' }, { q: 'a', limit: 201 },
      { q: 'a', limit: -1 }, { q: 'a', limit: 'x' }, { q: 'a', counts: ['x'] }, { q: 'a', sort: 'a<b<' }, { q: 'a', sort: 'a<nope>' },
      { q: 'rock', sort: 'name<string>' }, { q: 'rock', sort: [1] }, { q: 'a', bookmark: 'junk' }]) {
      for (const engine of [search, nouveau]) assert.equal((await engine(body)).status, 400, JSON.stringify(body));
    }
    for (const body of [{ q: 'rock', sort: 'artist' }, { q: 'rock', update: false }]) assert.equal((await search(body)).status, 400);
    for (const body of [{ query: 'rock' }, { q: 'rock', limit: 0 }, { q: 'rock', sort: 'artist<string>' }, { q: 'rock', sort: 'name' }]) {
      assert.equal((await nouveau(body)).status, 400, JSON.stringify(body));
    }
    assert.equal((await search({ q: 'a' }, 'odd')).status, 400);
    assert.equal((await search({ q: 'a' }, 'none')).status, 404);
    assert.equal((await server.get('db/_design/none/_search/x?q=a')).status, 404);
    assert.equal((await server.get('none/_design/s/_search/x?q=a')).status, 404);
  });

  await t.test('stop words: dropped by _search, kept by _nouveau', async () => {
    assert.deepEqual(idsOf(await search({ q: 'name:the' })), []);
    assert.deepEqual(idsOf(await nouveau({ q: 'name:the' })).sort(), ['1', '6']);
  });

  await t.test('English stemming', async () => {
    for (const engine of [search, nouveau]) assert.equal(idsOf(await engine({ q: 'name:rock' }, 'stemmed')).sort().join(''), '124569');
  });

  await t.test('sort: by code point, missing first, ties by id', async () => {
    const cases = [
      [['artist<string>', 'album<string>'], ['9', '1', '5', '2', '6']],
      [['-artist<string>'], ['6', '2', '5', '1', '9']],
      ['year<number>', ['2', '5', '1', '6', '9']],
      [['-year<number>', '-album<string>'], ['9', '6', '1', '2', '5']],
      ['-year', ['9', '6', '1', '2', '5']]
    ];
    for (const [sort, expected] of cases) {
      for (const engine of [search, nouveau]) {
        const native = engine === nouveau ? JSON.parse(JSON.stringify(sort).replace(/<\w+>/g, '')) : sort;
        assert.deepEqual(idsOf(await engine({ q: 'rock', sort: native })), expected, JSON.stringify(sort));
      }
    }
    assert.deepEqual(idsOf(await search({ q: 'year:[2001 TO 2002]', sort: 'artist<string>' })), ['8', '7'], 'beyond the basic plane');
    assert.deepEqual(idsOf(await search({ q: 'rock' }))[0], '6', 'relevance without a sort');
  });

  await t.test('form of the answers', async () => {
    const { json } = await search({ q: 'casbah', sort: ['artist<string>'], include_docs: true });
    assert.equal(json.total_rows, 1);
    assert.deepEqual(json.rows, [{ id: '1', order: ['clash', 0], fields: { default: 'Rock the Casbah', artist: 'clash', album: 'combat' }, doc: json.rows[0].doc }]);
    assert.equal(json.rows[0].doc.year, 1982);
    assert.deepEqual((await search({ q: 'casbah', include_fields: ['album'] })).json.rows[0].fields, { album: 'combat' });

    const other = (await nouveau({ q: 'casbah', sort: ['artist', 'year', 'unknown'] })).json;
    assert.equal(other.total_hits, 1);
    assert.equal(other.total_hits_relation, 'EQUAL_TO');
    assert.equal(typeof other.update_latency, 'number');
    assert.deepEqual(other.hits[0].order, [{ '@type': 'string', value: 'clash' }, { '@type': 'double', value: 1982 }, { '@type': 'null', value: null }, { '@type': 'string', value: '1' }]);
    assert.equal((await nouveau({ q: 'casbah' })).json.hits[0].order[0]['@type'], 'float');
  });

  await t.test('GET, limit and bookmark', async () => {
    const seen = [];
    let bookmark = '';
    for (;;) {
      const where = `db/_design/s/_search/songs?q=rock&limit=2&sort=${encodeURIComponent('["artist<string>"]')}&bookmark=${bookmark}`;
      const { json } = await server.get(where);
      assert.equal(json.total_rows, 5);
      if (!json.rows.length) {
        assert.equal(json.bookmark, bookmark);
        break;
      }
      seen.push(...json.rows.map(row => row.id));
      bookmark = json.bookmark;
    }
    assert.deepEqual(seen, ['9', '1', '5', '2', '6']);
    assert.equal((await server.get('db/_design/s/_nouveau/songs?q=rock&limit=201')).status, 400);
    assert.equal((await server.get('db/_design/s/_nouveau/songs?q=rock&limit=200&include_docs=true')).json.hits.length, 5);
  });

  await t.test('follows changes, deletions and a database made anew', async () => {
    await server.put('db/10', { name: 'New rock', artist: 'b', album: 'b', year: 1 });
    assert.equal(idsOf(await search({ q: 'rock' })).length, 6);
    const { _rev } = (await server.get('db/10')).json;
    await server.put('db/10', { _rev, name: 'Changed', artist: 'b', album: 'b', year: 1 });
    assert.equal(idsOf(await search({ q: 'rock' })).length, 5);
    assert.deepEqual(idsOf(await search({ q: 'changed' })), ['10']);
    await server.del(`db/10?rev=${(await server.get('db/10')).json._rev}`);
    assert.deepEqual(idsOf(await search({ q: 'changed' })), []);
    await server.put('db/11', { name: 'rock without an album' });
    assert.equal(idsOf(await search({ q: 'rock' })).length, 5, 'an index function that fails leaves the document out');
    await server.del('db');
    assert.equal((await search({ q: 'rock' })).status, 404);
    await create();
    assert.equal(idsOf(await search({ q: 'rock' })).length, 5);
  });
});
