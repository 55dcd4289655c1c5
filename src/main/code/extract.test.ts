import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { extract } from './extract.ts'
import { createGrammars } from './grammars.ts'
import { languageOf, languages } from './languages.ts'
import type { Extraction } from './symbols.ts'

const grammars = createGrammars(fileURLToPath(new URL('../../../resources/grammars', import.meta.url)))

async function read(file: string, text: string): Promise<Extraction> {
  const language = languageOf(file)
  const grammar = language && (await grammars.get(language))
  if (!grammar) throw new Error(`${file} has no grammar.`)
  return extract(grammar, text)
}
const definitions = ({ symbols }: Extraction) => symbols.map(({ kind, qualified, range }) => `${kind} ${qualified} ${range.line}-${range.endLine}`)
const references = ({ references: found, symbols }: Extraction) =>
  found.filter(({ kind }) => kind !== 'usage').map(({ kind, receiver, name, from }) => `${from === null ? '' : symbols[from]?.qualified} ${kind} ${receiver === null ? '' : `${receiver}.`}${name}`.trim())
const links = ({ links: found }: Extraction) => found.map(({ kind, local, original, source }) => `${kind} ${local} = ${original} of ${source}`)

// Short texts in the style of real programs, written for these tests.
const cases: readonly { file: string; text: string; definitions: string[]; references: string[]; links?: string[] }[] = [
  {
    file: 'vanilla.ts',
    text: `import type { Mutate } from './types'
export interface StoreApi<T> {
  setState: SetStateInternal<T>
  subscribe(listener: Listener): () => void
}
type Listener = () => void
const createStoreImpl: CreateStoreImpl = (createState) => {
  const listeners: Set<Listener> = new Set()
  const setState = (partial) => {
    listeners.forEach((listener) => listener(state))
  }
  return Object.assign(createState(setState), { setState })
}
export const createStore = ((createState) => createState ? createStoreImpl(createState) : createStoreImpl) as CreateStore
enum Level { Debug, Info = 2 }
namespace Tools { export function trim(): void {} }
abstract class Shape extends Base implements Drawable {
  private size = 1
  abstract area(): number
  draw(): void { this.area(); render(this.size) }
}
`,
    definitions: [
      'interface StoreApi 2-5', 'property StoreApi.setState 3-3', 'method StoreApi.subscribe 4-4', 'type Listener 6-6', 'function createStoreImpl 7-13',
      'function createStoreImpl.setState 9-11', 'constant createStore 14-14', 'enum Level 15-15', 'enum_member Level.Debug 15-15', 'enum_member Level.Info 15-15',
      'namespace Tools 16-16', 'function Tools.trim 16-16', 'class Shape 17-21', 'property Shape.size 18-18', 'method Shape.area 19-19', 'method Shape.draw 20-20',
    ],
    references: [
      'createStoreImpl call Set', 'createStoreImpl.setState call (listeners).forEach', 'createStoreImpl call Object.assign', 'createStore call createStoreImpl',
      'Shape extends Base', 'Shape implements Drawable', 'Shape.draw call this.area', 'Shape.draw call render',
    ],
    links: ['import Mutate = Mutate of ./types'],
  },
  {
    file: 'Button.tsx',
    text: `import React, { useState as state } from 'react'
import * as styles from './styles'
export default function Button({ label }: Props) { const [on] = state(false); return <Icon name={styles.plain(label)} /> }
export { Icon as Picture } from './Icon'
export * from './parts'
`,
    definitions: ['function Button 3-3'],
    references: ['Button call state', 'Button call styles.plain'],
    links: [
      'import React = default of react', 'import state = useState of react', 'import styles = * of ./styles', 'export default = Button of null',
      'export Picture = Icon of ./Icon', 'export * = * of ./parts',
    ],
  },
  {
    file: 'response.js',
    text: `var mime = require('send').mime;
var res = Object.create(http.ServerResponse.prototype)
res.status = function status(code) {
  this.statusCode = code;
  return this;
};
function sendfile(res, file, callback) { var done = false; file.pipe(res); onfinish(done) }
class View extends Base { static cache = {}; lookup(name) { return super.lookup(name) } }
module.exports.escape = function (html) { return escapeHtml(html) }
`,
    definitions: [
      'variable mime 1-1', 'variable res 2-2', 'method res.status 3-6', 'function sendfile 7-7', 'class View 8-8', 'property View.cache 8-8', 'method View.lookup 8-8', 'function escape 9-9',
    ],
    references: ['mime call require', 'res call Object.create', 'sendfile call (file).pipe', 'sendfile call onfinish', 'View extends Base', 'View.lookup call super.lookup', 'escape call escapeHtml'],
    links: [],
  },
  {
    file: 'decoder.py',
    text: `import re
from json import scanner as s, encoder
FLAGS = re.VERBOSE | re.MULTILINE
class JSONDecodeError(ValueError):
    """Subclass of ValueError with the following additional properties."""
    colno = 0
    def __init__(self, msg, doc, pos):
        lineno = doc.count('\\n', 0, pos) + 1
        ValueError.__init__(self, msg)
        self.report(lineno)
    def report(self, lineno): pass
def py_scanstring(s, end, _m=STRINGCHUNK.match):
    # Not a docstring
    chunk = _m(s, end)
    return encoder.encode(chunk)
`,
    definitions: [
      'constant FLAGS 3-3', 'class JSONDecodeError 4-11', 'property JSONDecodeError.colno 6-6', 'method JSONDecodeError.__init__ 7-10', 'method JSONDecodeError.report 11-11',
      'function py_scanstring 12-15',
    ],
    references: [
      'JSONDecodeError extends ValueError', 'JSONDecodeError.__init__ call (doc).count', 'JSONDecodeError.__init__ call ValueError.__init__', 'JSONDecodeError.__init__ call self.report',
      'py_scanstring call encoder.encode',
    ],
    links: ['import re = * of re', 'import s = scanner of json', 'import encoder = encoder of json'],
  },
  {
    file: 'walk.rs',
    text: `use std::{ffi::OsStr, path::{Path}};
use crate::dir::{Ignore, IgnoreBuilder as Builder};
/// A directory entry with a possible error attached.
#[derive(Clone)]
pub struct DirEntry { dent: DirEntryInner, err: Option<Error> }
impl DirEntry {
    pub fn path(&self) -> &Path { self.dent.path() }
    fn new_stdin() -> DirEntry { DirEntry::from_inner(inner()) }
}
impl Iterator for Walk { fn next(&mut self) -> Option<DirEntry> { let ent = skip_entry(self); Self::step(ent) } }
enum WalkEvent { Dir(DirEntry), Exit }
trait ParallelVisitor: Send { fn visit(&mut self) -> WalkState; }
const MAX: usize = 3;
macro_rules! tri { () => {} }
`,
    definitions: [
      'struct DirEntry 5-5', 'property DirEntry.dent 5-5', 'property DirEntry.err 5-5', 'impl DirEntry 6-9', 'method DirEntry.path 7-7', 'method DirEntry.new_stdin 8-8', 'impl Walk 10-10',
      'method Walk.next 10-10', 'enum WalkEvent 11-11', 'enum_member WalkEvent.Dir 11-11', 'enum_member WalkEvent.Exit 11-11', 'trait ParallelVisitor 12-12', 'method ParallelVisitor.visit 12-12',
      'constant MAX 13-13', 'function tri 14-14',
    ],
    references: [
      'DirEntry.path call self.dent.path', 'DirEntry.new_stdin call DirEntry.from_inner', 'DirEntry.new_stdin call inner', 'Walk implements Iterator', 'Walk.next call skip_entry', 'Walk.next call Self.step',
      'ParallelVisitor extends Send',
    ],
    links: ['import Ignore = Ignore of crate::dir', 'import Builder = IgnoreBuilder of crate::dir'],
  },
  {
    file: 'server.go',
    text: `package http
import (
	"fmt"
	urlpkg "net/url"
)
const DefaultMaxHeaderBytes = 1 << 20
type Handler interface {
	ServeHTTP(ResponseWriter, *Request)
}
type conn struct {
	server *Server
	Pool
}
type HandlerFunc func(ResponseWriter, *Request)
var ErrBody = errors.New("x")
// ServeHTTP calls f(w, r).
func (f HandlerFunc) ServeHTTP(w ResponseWriter, r *Request) {
	f(w, r)
}
func (c *conn) serve() { fmt.Println(urlpkg.Parse("x")); c.server.track(newConn()) }
func newConn() *conn { return &conn{} }
`,
    definitions: [
      'constant DefaultMaxHeaderBytes 6-6', 'interface Handler 7-9', 'method Handler.ServeHTTP 8-8', 'struct conn 10-13', 'property conn.server 11-11', 'type HandlerFunc 14-14', 'variable ErrBody 15-15',
      'method HandlerFunc.ServeHTTP 17-19', 'method conn.serve 20-20', 'function newConn 21-21',
    ],
    references: ['conn extends Pool', 'call errors.New', 'conn.serve call fmt.Println', 'conn.serve call urlpkg.Parse', 'conn.serve call c.server.track', 'conn.serve call newConn'],
    links: ['import fmt = * of fmt', 'import urlpkg = * of net/url'],
  },
  {
    file: 'Splitter.java',
    text: `package com.google.common.base;
import static com.google.common.base.Preconditions.checkNotNull;
import java.util.ArrayList;
public final class Splitter extends Base implements Iterable<String> {
  private final CharMatcher trimmer;
  static final int LIMIT = 3;
  Splitter(Strategy strategy) { this(strategy, false); }
  public List<String> split(CharSequence sequence) { checkNotNull(sequence); Iterator<String> it = this.iterate(sequence); return new ArrayList<>(it); }
  private interface Strategy { Iterator<String> iterator(Splitter splitter); }
  enum Mode { ON, OFF }
}
`,
    definitions: [
      'class Splitter 4-11', 'property Splitter.trimmer 5-5', 'constant Splitter.LIMIT 6-6', 'method Splitter.Splitter 7-7', 'method Splitter.split 8-8', 'interface Splitter.Strategy 9-9',
      'method Splitter.Strategy.iterator 9-9', 'enum Splitter.Mode 10-10', 'enum_member Splitter.Mode.ON 10-10', 'enum_member Splitter.Mode.OFF 10-10',
    ],
    references: ['Splitter extends Base', 'Splitter implements Iterable', 'Splitter.split call checkNotNull', 'Splitter.split call this.iterate', 'Splitter.split call ArrayList'],
    links: ['import checkNotNull = checkNotNull of com.google.common.base.Preconditions.checkNotNull', 'import ArrayList = ArrayList of java.util.ArrayList'],
  },
  {
    file: 'zstream.c',
    text: `#include "zutil.h"
#define MAX_WBITS 15
#define CHECK(s) inflateCheck(s)
typedef struct internal_state { int status; char *pending; } deflate_state;
enum block_state { need_more, block_done };
static const char copyright[] = " deflate ";
int deflateInit_(z_streamp strm, int level);
static int *longest_match(deflate_state *s, int cur) { unsigned chain = s->max; fill_window(s); s->read(chain); return zcalloc(cur); }
`,
    definitions: [
      'constant MAX_WBITS 2-2', 'function CHECK 3-3', 'type deflate_state 4-4', 'struct deflate_state.internal_state 4-4', 'property deflate_state.internal_state.status 4-4',
      'property deflate_state.internal_state.pending 4-4', 'enum block_state 5-5', 'enum_member block_state.need_more 5-5', 'enum_member block_state.block_done 5-5', 'variable copyright 6-6', 'function longest_match 8-8',
    ],
    references: ['longest_match call fill_window', 'longest_match call (s).read', 'longest_match call zcalloc'],
    links: ['import * = * of "zutil.h"'],
  },
  {
    file: 'format.cpp',
    text: `namespace fmt {
template <typename T> class basic_buffer : public container<T>, base {
 public:
  virtual void grow(size_t n) = 0;
  size_t size() const { return compute(); }
  T* data_;
};
}
void fmt::buffer::append(const char* s) { this->grow(1); helper(s); new Node(s); detail::copy(s); }
using string_view = basic_string_view<char>;
`,
    definitions: ['namespace fmt 1-8', 'class fmt.basic_buffer 2-7', 'method fmt.basic_buffer.grow 4-4', 'method fmt.basic_buffer.size 5-5', 'property fmt.basic_buffer.data_ 6-6', 'method buffer.append 9-9', 'type string_view 10-10'],
    references: [
      'fmt.basic_buffer extends container', 'fmt.basic_buffer extends base', 'fmt.basic_buffer.size call compute', 'buffer.append call this.grow', 'buffer.append call helper', 'buffer.append call Node',
      'buffer.append call detail.copy',
    ],
  },
  {
    file: 'JsonReader.cs',
    text: `using System.Text;
namespace Newtonsoft.Json {
  public abstract class JsonReader : IDisposable {
    internal enum State { Start, Complete }
    private const int Max = 64;
    private char _quote;
    public virtual char QuoteChar { get; set; }
    protected JsonReader() { _quote = Convert.ToChar(1); }
    public bool Read(string s) { var t = this.Next(s); Push(new Token()); return t.Ok(); }
  }
  interface ILine { bool HasLine(); }
}
`,
    definitions: [
      'namespace Newtonsoft.Json 2-12', 'class Newtonsoft.Json.JsonReader 3-10', 'enum Newtonsoft.Json.JsonReader.State 4-4', 'enum_member Newtonsoft.Json.JsonReader.State.Start 4-4',
      'enum_member Newtonsoft.Json.JsonReader.State.Complete 4-4', 'constant Newtonsoft.Json.JsonReader.Max 5-5', 'property Newtonsoft.Json.JsonReader._quote 6-6',
      'property Newtonsoft.Json.JsonReader.QuoteChar 7-7', 'method Newtonsoft.Json.JsonReader.JsonReader 8-8', 'method Newtonsoft.Json.JsonReader.Read 9-9', 'interface Newtonsoft.Json.ILine 11-11',
      'method Newtonsoft.Json.ILine.HasLine 11-11',
    ],
    references: [
      'Newtonsoft.Json.JsonReader extends IDisposable', 'Newtonsoft.Json.JsonReader.JsonReader call Convert.ToChar', 'Newtonsoft.Json.JsonReader.Read call this.Next',
      'Newtonsoft.Json.JsonReader.Read call Push', 'Newtonsoft.Json.JsonReader.Read call Token', 'Newtonsoft.Json.JsonReader.Read call (t).Ok',
    ],
  },
  {
    file: 'request.rb',
    text: `module Rack
  # Provides a convenient interface to a Rack environment.
  class Request < Base
    include Env
    ALLOWED = %w[https].freeze
    attr_reader :env
    def initialize(env)
      @env = env
      parse(env)
    end
    def self.ip_filter(value) = value
    def params; self.get.merge(Utils.parse(1)); end
  end
end
`,
    definitions: [
      'module Rack 1-14', 'class Rack.Request 3-13', 'constant Rack.Request.ALLOWED 5-5', 'property Rack.Request.env 6-6', 'method Rack.Request.initialize 7-10', 'method Rack.Request.ip_filter 11-11',
      'method Rack.Request.params 12-12',
    ],
    references: [
      'Rack.Request extends Base', 'Rack.Request call include', 'Rack.Request implements Env', 'Rack.Request.ALLOWED call %w[https].freeze', 'Rack.Request call attr_reader', 'Rack.Request.initialize call parse', 'Rack.Request.params call self.get',
      'Rack.Request.params call self.get.merge', 'Rack.Request.params call Utils.parse',
    ],
  },
  {
    file: 'Logger.php',
    text: `<?php
namespace Monolog;
use Psr\\Log\\LoggerInterface as Base;
class Logger extends Core implements Base {
    use Helper;
    public const DEBUG = 100;
    protected $name;
    public function pushHandler(Handler $handler): self { array_unshift($this->handlers, $handler); $this->sort(); Registry::add($handler); return new Logger(); }
}
interface Handler { public function handle($record); }
trait Helper {}
enum Level { case Debug; }
function now() { return time(); }
`,
    definitions: [
      'namespace Monolog 2-2', 'class Logger 4-9', 'constant Logger.DEBUG 6-6', 'property Logger.name 7-7', 'method Logger.pushHandler 8-8', 'interface Handler 10-10', 'method Handler.handle 10-10', 'trait Helper 11-11',
      'enum Level 12-12', 'enum_member Level.Debug 12-12', 'function now 13-13',
    ],
    references: [
      'Logger extends Core', 'Logger implements Base', 'Logger implements Helper', 'Logger.pushHandler call array_unshift', 'Logger.pushHandler call $this.sort', 'Logger.pushHandler call Registry.add',
      'Logger.pushHandler call Logger', 'now call time',
    ],
    links: ['import Base = LoggerInterface of Psr\\Log\\LoggerInterface'],
  },
  {
    file: 'nvm.sh',
    text: `NVM_VERSION=1
readonly NVM_HOME=/opt
nvm_echo() {
  command printf %s "$*"
}
function nvm_cd { nvm_echo "$1" | sed s/a/b/; }
`,
    definitions: ['variable NVM_VERSION 1-1', 'variable NVM_HOME 2-2', 'function nvm_echo 3-5', 'function nvm_cd 6-6'],
    references: ['nvm_echo call command', 'nvm_cd call nvm_echo', 'nvm_cd call sed'],
  },
  {
    file: 'base.css',
    text: ':root { --accent: red }\n.card, .card > a { color: var(--accent) }\n@keyframes spin { from { top: 0 } }\n',
    definitions: ['class :root 1-1', 'property :root.--accent 1-1', 'class .card, .card > a 2-2', 'function spin 3-3'],
    references: [],
  },
  {
    file: 'Get.ps1',
    text: 'class Point { [int]$X }\nfunction Get-Point { Write-Output 1 }\n',
    definitions: ['class Point 1-1', 'function Get-Point 2-2'],
    references: ['Get-Point call Write-Output'],
  },
]

test.each(cases)('$file: what it defines and refers to', async ({ file, text, ...expected }) => {
  const found = await read(file, text)
  expect(found.broken).toBe(false)
  expect(definitions(found)).toEqual(expected.definitions)
  expect(references(found)).toEqual(expected.references)
  if (expected.links) expect(links(found)).toEqual(expected.links)
})

test('a symbol has its signature, its comment and the range of its body', async () => {
  const { symbols } = await read('a.ts', `/**\n * Adds two numbers.\n * @returns the sum\n */\nexport async function add(a: number,\n  b: number): Promise<number> {\n  return a + b\n}\n\n// Not about it.\n\nconst x = 1 // One.\n`)
  expect(symbols[0]).toMatchObject({
    signature: 'async function add(a: number, b: number): Promise<number>',
    doc: 'Adds two numbers.\n@returns the sum',
    exported: true,
    range: { line: 5, column: 8, endLine: 8, endColumn: 2 },
    body: { line: 6, endLine: 8 },
  })
  expect(symbols[1]).toMatchObject({ name: 'x', doc: '' })
  const python = await read('a.py', `def add(a, b):\n    """Adds two numbers.\n\n    The sum."""\n    return a + b\n`)
  expect(python.symbols[0]).toMatchObject({ signature: 'def add(a, b)', doc: 'Adds two numbers.\n\nThe sum.' })
})

test('a text with errors still gives what can be read', async () => {
  const found = await read('a.ts', 'function whole() {}\nfunction broken( {\nclass')
  expect(found.broken).toBe(true)
  expect(found.symbols.map(({ name }) => name)).toContain('whole')
})

test('at least fifty languages are known by name', () => {
  expect(new Set(languages.map(({ id }) => id)).size).toBeGreaterThanOrEqual(50)
  expect(languageOf('lib/Makefile')?.title).toBe('Makefile')
  expect(languageOf('a/b.test.MTS')?.title).toBe('TypeScript')
  expect(languageOf('notes')).toBeUndefined()
  const extensions = languages.flatMap((language) => language.extensions)
  expect(extensions.filter((extension, index) => extensions.indexOf(extension) !== index)).toEqual([])
})

test.each(languages.filter(({ grammar }) => grammar))('$title: grammar and tag query fit together', async (language) => {
  expect(await grammars.get(language)).not.toBeNull()
})
