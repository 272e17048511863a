'use strict';
// Starts the server as a process of its own, as people do, and talks to it with fetch.

const { spawn } = require('child_process');
const path = require('path');

const ADMIN = 'admin:s3:cret';

// Stopped at the end of test t however that ends.
async function start(t, ...options) {
  const child = spawn(process.execPath, [path.join(__dirname, '../server.js'), '--parent', String(process.pid), ...options],
    { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  child.stderr.on('data', data => { log += data; });
  t.after(() => { child.kill(); });
  const exited = new Promise(resolve => child.on('exit', (code, signal) => resolve({ code, signal, log })));
  const url = await new Promise((resolve, reject) => {
    let output = '';
    child.stdout.on('data', data => {
      output += data;
      const [, found] = /ready (http\S+)\n/.exec(output) || [];
      if (found) resolve(found);
    });
    exited.then(({ code }) => reject(Object.assign(new Error(`server ended with ${code}: ${log}`), { code })));
  });
  const stop = () => { child.kill(); return exited; };
  return { url, child, exited, stop, ...client(url, options.includes('--admin') ? ADMIN : undefined) };
}

function client(url, credentials) {
  async function request(method, where, body, headers = {}) {
    const response = await fetch(url + where, {
      method,
      headers: {
        ...(credentials ? { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } : {}),
        ...(body === undefined || typeof body === 'string' ? {} : { 'content-type': 'application/json' }),
        ...headers
      },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    });
    const text = await response.text();
    let json;
    try { json = JSON.parse(text); } catch { json = undefined; }
    return { status: response.status, headers: response.headers, text, json };
  }
  return {
    request,
    get: (where, headers) => request('GET', where, undefined, headers),
    put: (where, body, headers) => request('PUT', where, body, headers),
    post: (where, body, headers) => request('POST', where, body, headers),
    del: (where, headers) => request('DELETE', where, undefined, headers)
  };
}

module.exports = { start, client, ADMIN };
