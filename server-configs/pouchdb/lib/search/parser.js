'use strict';
// Lucene's classic query syntax -> a tree of clauses. (The npm package `lucene` was tried: it reads
// -field:word as a field named "-field" and knows no +(…) or -(…).)
//
//   query  = clause*                         a group of clauses
//   clause = [AND | OR | && | ||] [+ | - | ! | NOT] [field:] (word | "phrase" | [from TO to] | (query)) [^boost]
//
// AND, OR, NOT, + and - are marks on clauses, must or mustNot, not operators with a precedence:
// that is how Lucene itself reads them.

const { httpError } = require('../reply.js');

const SPACE = /\s+/uy;
const CONJUNCTION = /(AND|OR|&&|\|\|)(?![^\s(+\-!"])/uy;
const MODIFIER = /(\+|-|!|NOT(?![^\s(+\-!"]))/uy;
const WORD = /(?:\\.|[^\s+\-!(){}[\]^"~*?:\\/]|[*?])(?:\\.|[^\s!(){}[\]^"~:\\/])*/suy;
const PHRASE = /"((?:\\.|[^"\\])*)"/suy;
const RANGE = /([[{])\s*("(?:\\.|[^"\\])*"|[^\s\]}]+)\s+TO\s+("(?:\\.|[^"\\])*"|[^\s\]}]+)\s*([\]}])/suy;
const BOOST = /\^(\d+(?:\.\d+)?)/uy;

const unescape = text => text.replace(/\\(.)/gsu, '$1');

class Parser {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  fail(reason) {
    throw httpError(400, 'bad_request', `Cannot parse '${this.text}' at position ${this.at}: ${reason}`);
  }

  // The match of a sticky pattern here, after white space; null leaves everything as it was.
  take(pattern) {
    SPACE.lastIndex = this.at;
    const space = SPACE.exec(this.text);
    pattern.lastIndex = this.at + (space ? space[0].length : 0);
    const match = pattern.exec(this.text);
    if (match) this.at = pattern.lastIndex;
    return match;
  }

  query() {
    const clauses = [];
    for (;;) {
      if (this.take(/(?=\)|$)/uy)) return { type: 'group', clauses };
      const [, conjunction] = this.take(CONJUNCTION) || [];
      const [, modifier] = this.take(MODIFIER) || [];
      if (conjunction && !clauses.length) this.fail(`nothing before ${conjunction}`);
      const and = conjunction === 'AND' || conjunction === '&&';
      const mustNot = modifier !== undefined && modifier !== '+';
      const before = clauses[clauses.length - 1];
      if (and && !before.mustNot) before.must = true;
      clauses.push({ node: this.clause(), must: !mustNot && (and || modifier === '+'), mustNot });
    }
  }

  clause() {
    const start = this.at;
    const [name] = this.take(WORD) || this.take(/\*(?=:)/uy) || [];
    let field;
    if (name !== undefined && this.text[this.at] === ':') {
      this.at++;
      field = unescape(name);
    } else {
      this.at = start;
    }
    const node = this.body();
    if (field !== undefined) node.field = field;
    if (/[~]/.test(this.text[this.at] || '')) this.fail('~ is not supported by this server');
    BOOST.lastIndex = this.at;
    const boost = BOOST.exec(this.text);
    if (boost) {
      this.at = BOOST.lastIndex;
      node.boost = Number(boost[1]);
    }
    return node;
  }

  body() {
    if (this.take(/\(/uy)) {
      const node = this.query();
      if (!this.take(/\)/uy)) this.fail('missing )');
      if (!node.clauses.length) this.fail('nothing between ( and )');
      return node;
    }
    const phrase = this.take(PHRASE);
    if (phrase) return { type: 'phrase', text: unescape(phrase[1]) };
    const range = this.take(RANGE);
    if (range) return { type: 'range', from: range[2], to: range[3], includes: { from: range[1] === '[', to: range[4] === ']' } };
    if (this.take(/\//uy)) this.fail('regular expressions are not supported by this server');
    const word = this.take(WORD);
    if (!word) this.fail('a word was expected');
    return { type: 'word', text: word[0] };
  }
}

function parse(text) {
  const parser = new Parser(text);
  const tree = parser.query();
  if (parser.at < text.trimEnd().length) parser.fail('unexpected )');
  if (!tree.clauses.length) parser.fail('nothing to search for');
  return tree;
}

module.exports = { parse, unescape };
