'use strict';
// Answers in CouchDB's form: JSON that ends in a newline, errors as { error, reason }.

const express = require('express');

// As large as CouchDB's max_http_request_size; gzip bodies are unpacked by express.
const jsonBody = express.json({ limit: '4gb' });

function send(res, status, body) {
  const bytes = Buffer.from(JSON.stringify(body) + '\n');
  res.statusCode = status;
  res.setHeader('Content-Type', 'application/json');
  res.setHeader('Content-Length', bytes.length);
  res.end(bytes);
}

function fail(res, status, error, reason) {
  send(res, status, { error, reason });
}

// An error that a handler may throw; PouchDB's own errors have the same three members.
function httpError(status, name, reason) {
  return Object.assign(new Error(reason), { status, name, reason });
}

function failWith(res, error) {
  fail(res, error.status || 500, error.name || 'error', error.reason || error.message);
}

// Wraps an async handler so that whatever it throws becomes an answer.
const answering = handler => async (req, res, next) => {
  try {
    await handler(req, res, next);
  } catch (error) {
    failWith(res, error);
  }
};

module.exports = { jsonBody, send, fail, failWith, httpError, answering };
