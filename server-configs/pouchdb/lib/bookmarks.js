'use strict';
// A bookmark is the position of the next row, packed so that clients take it for what it is: opaque.

const { httpError } = require('./reply.js');

const make = position => Buffer.from(`tc:${position}`).toString('base64url');

function position(bookmark, otherwise) {
  if (bookmark === undefined || bookmark === null || bookmark === '' || bookmark === 'nil') return otherwise;
  const [, digits] = /^tc:(\d+)$/.exec(Buffer.from(String(bookmark), 'base64url').toString()) || [];
  if (digits === undefined) throw httpError(400, 'invalid_bookmark', `Invalid bookmark value: ${JSON.stringify(bookmark)}`);
  return Number(digits);
}

module.exports = { make, position };
