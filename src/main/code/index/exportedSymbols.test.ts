import path from 'node:path'
import { expect, test } from 'vitest'
import { languageOf } from './languages.ts'
import { createSymbolReader } from './symbolReader.ts'

const reader = createSymbolReader({
  grammars: path.join(import.meta.dirname, '../../../../resources/grammars'),
  onNotice: expect.fail,
  milliseconds: 60_000,
})

test.each([
  [
    'arrow.ts',
    'export const f = () => 1\nconst g = () => 2\nexport let h = 1, i = 2\nexport async function j() {}\nexport default class K {}\nexport enum L { A }\nexport namespace M {}\nfunction n() { const o = 1 }\n',
    ['f', 'h', 'i', 'j', 'K', 'L', 'A', 'M'],
  ],
  [
    'later.ts',
    'function a() {}\nconst b = () => 1\nclass C {}\nfunction d() {}\nexport { a as x, b }\nexport default C\nexport { y } from "./y"\n',
    ['a', 'b', 'C'],
  ],
  [
    'members.ts',
    'export class A { b() {}\n private c() {}\n #d = 1\n protected e() {} }\nclass F { g() {} }\n',
    ['A', 'b'],
  ],
  [
    'common.js',
    'function a() {}\nconst b = () => 1\nfunction c() {}\nmodule.exports = { a, x: b }\nexports.d = function () {}\n',
    ['a', 'b', 'd'],
  ],
  [
    'plain.py',
    'LIMIT = 1\n_hidden = 2\ndef open_all():\n    def inner(): pass\nclass Store:\n    def __init__(self): pass\n    def add(self): pass\n    def _check(self): pass\n',
    ['LIMIT', 'open_all', 'Store', '__init__', 'add'],
  ],
  [
    'listed.py',
    '__all__ = ["_used", \'Store\']\ndef _used(): pass\ndef unused(): pass\nclass Store: pass\n',
    ['_used', 'Store'],
  ],
  [
    'a.go',
    'package a\nfunc Open() {}\nfunc open() {}\ntype Store struct { Name string }\nfunc (s Store) Add() {}\nfunc (s Store) check() {}\n',
    ['Open', 'Store', 'Name', 'Add'],
  ],
  [
    'a.rs',
    'pub fn open() {}\nfn close() {}\npub struct T;\nimpl T { pub fn new() -> T { T } fn old() {} }\npub const LIMIT: u8 = 1;\nconst LOW: u8 = 1;\n',
    ['open', 'T', 'new', 'LIMIT'],
  ],
  [
    'A.java',
    'public class A { public void open() {} private void close() {} int low; }\nclass B { void c() {} }\n',
    ['A', 'open'],
  ],
  [
    'a.kt',
    'fun open() {}\nprivate fun close() {}\nclass A { fun add() {}\n private fun check() {} }\n',
    ['open', 'A', 'add'],
  ],
  ['a.c', 'int open_all(void) { return 1; }\nstatic int close_all(void) { return 1; }\n', ['open_all']],
])('%s: marks externally accessible symbols as exported', async (name, text, expected) => {
  const { found } = await reader.read(languageOf(name), text)
  expect(found.symbols.filter((symbol) => symbol.exported).map((symbol) => symbol.name)).toEqual(expected)
})
