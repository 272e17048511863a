'use strict';
// One administrator, by Basic authentication or by the AuthSession cookie of POST /_session,
// as CouchDB answers them. Without --admin everything is open.

const crypto = require('crypto');
const express = require('express');
const { jsonBody, send, fail } = require('./reply.js');

const OPEN_TO_ALL = new Set(['/', '/_up', '/_session']);
const sha256 = text => crypto.createHash('sha256').update(text).digest();
const same = (a, b) => crypto.timingSafeEqual(sha256(a), sha256(b));

// AuthSession holds name:time:signature, time in hexadecimal seconds.
function cookieJar(user, timeout) {
  const secret = crypto.randomBytes(32);
  const sign = text => crypto.createHmac('sha256', secret).update(text).digest('hex');
  const now = () => Math.floor(Date.now() / 1000);
  return {
    make() {
      const text = `${user}:${now().toString(16).toUpperCase()}`;
      return Buffer.from(`${text}:${sign(text)}`).toString('base64url');
    },
    // seconds since the cookie was made; undefined when it is not ours or no longer good
    age(value) {
      const [, text, time, signature] = /^(.*:([0-9A-F]+)):([0-9a-f]+)$/.exec(Buffer.from(value, 'base64url').toString()) || [];
      if (!text || !same(signature, sign(text))) return undefined;
      const age = now() - parseInt(time, 16);
      return age < timeout ? age : undefined;
    }
  };
}

module.exports = function installAuth(app, { admin, 'session-timeout': timeout }) {
  const [, user, password] = /^([^:]*):([^]*)$/.exec(admin || '') || [];
  const jar = cookieJar(user, timeout);
  const setCookie = (res, value, age) =>
    res.append('Set-Cookie', `AuthSession=${value}; Version=1; Max-Age=${age}; Path=/; HttpOnly`);

  // What a request proves: { by: 'default' | 'cookie' }, null for nothing, undefined for a wrong password.
  function identify(req, res) {
    const basic = /^Basic +(\S+)$/i.exec(req.headers.authorization || '');
    if (basic) return same(Buffer.from(basic[1], 'base64').toString(), admin) ? { by: 'default' } : undefined;
    const cookie = /(?:^|;\s*)AuthSession=([^;\s]+)/.exec(req.headers.cookie || '');
    const age = cookie ? jar.age(cookie[1]) : undefined;
    if (age === undefined) return null;
    if (age > timeout / 10) setCookie(res, jar.make(), timeout); // renewed while in use, as CouchDB does
    return { by: 'cookie' };
  }

  if (admin) {
    app.use((req, res, next) => {
      req.identity = identify(req, res);
      if (req.identity || (req.identity === null && OPEN_TO_ALL.has(req.path))) return next();
      if (req.path === '/_session' && req.method !== 'GET') return next(); // logging in anew with a stale header
      if (req.identity === null) res.set('WWW-Authenticate', 'Basic realm="administrator"');
      fail(res, 401, 'unauthorized', req.identity === null ? 'Authentication required.' : 'Name or password is incorrect.');
    });
  }

  app.get('/_session', (req, res) => {
    const known = !admin || req.identity;
    send(res, 200, {
      ok: true,
      userCtx: { name: admin && known ? user : null, roles: known ? ['_admin'] : [] },
      info: { authentication_handlers: ['cookie', 'default'], ...(req.identity ? { authenticated: req.identity.by } : {}) }
    });
  });
  app.post('/_session', jsonBody, express.urlencoded({ extended: false }), (req, res) => {
    const body = req.body || {};
    const name = body.name === undefined ? body.username : body.name;
    if (!admin || !same(`${name}:${body.password}`, admin)) {
      return fail(res, 401, 'unauthorized', 'Name or password is incorrect.');
    }
    setCookie(res, jar.make(), timeout);
    send(res, 200, { ok: true, name: user, roles: ['_admin'] });
  });
  app.delete('/_session', (req, res) => {
    setCookie(res, '', 0);
    send(res, 200, { ok: true });
  });
};
