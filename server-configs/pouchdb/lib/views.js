'use strict';
// A PouchDB plugin: JavaScript views compiled once per function. PouchDB's own plugin makes
// a context per document, which is most of the time of an index build.

const vm = require('vm');
const abstractMapReduce = require('pouchdb-abstract-mapreduce');
const { NotFoundError, BuiltInError } = require('pouchdb-mapreduce-utils');

function notNumbers(name) {
  return new BuiltInError(`builtin ${name} function requires map values to be numbers or number arrays`);
}

// Numbers, or arrays of numbers added by position.
function sum(values) {
  return values.reduce((total, value) => {
    if (typeof value === 'number') {
      if (typeof total === 'number') return total + value;
      total[0] += value;
      return total;
    }
    if (!Array.isArray(value)) throw notNumbers('_sum');
    const totals = typeof total === 'number' ? [total] : total;
    value.forEach((item, i) => {
      if (typeof item !== 'number') throw notNumbers('_sum');
      totals[i] = (totals[i] || 0) + item;
    });
    return totals;
  }, 0);
}

function stats(values) {
  const result = { sum: sum(values), count: values.length, min: Infinity, max: -Infinity, sumsqr: 0 };
  for (const value of values) {
    if (typeof value !== 'number') throw notNumbers('_stats');
    result.min = Math.min(result.min, value);
    result.max = Math.max(result.max, value);
    result.sumsqr += value * value;
  }
  return result;
}

const BUILT_IN = {
  _sum: (keys, values) => sum(values),
  _count: (keys, values) => values.length,
  _stats: (keys, values) => stats(values)
};

// The function that a design document holds as text, run in a context of its own.
function compile(source, globals) {
  return vm.runInNewContext(`(${source.replace(/;\s*$/, '')})`, {
    sum, log() {}, isArray: Array.isArray, toJSON: JSON.stringify, ...globals
  });
}

function mapper(map, emit) {
  return typeof map === 'function' && map.length === 2 ? doc => map(doc, emit) : compile(String(map), { emit });
}

function reducer(reduce) {
  const source = String(reduce).trim();
  if (!source.startsWith('_')) return compile(source);
  if (!Object.hasOwn(BUILT_IN, source)) throw new Error(`${source} is not a supported reduce function.`);
  return BUILT_IN[source];
}

function validate(ddoc, name) {
  const view = ddoc.views && ddoc.views[name];
  if (!view || typeof view.map !== 'string') throw new NotFoundError(`ddoc ${ddoc._id} has no string view named ${name}`);
}

const engine = abstractMapReduce('mrviews', mapper, reducer, validate);

module.exports = {
  compile,
  plugin: {
    query(view, options, callback) { return engine.query.call(this, view, options, callback); },
    viewCleanup(options, callback) { return engine.viewCleanup.call(this, typeof options === 'function' ? options : callback); }
  }
};
