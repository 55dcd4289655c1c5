import { expect, test } from 'vitest'
import { graphOf } from '../../testing/graphEdges.ts'
import type { EdgeKind } from '../index/symbolTypes.ts'

interface Case {
  language: string
  files: Record<string, string>
  edges: readonly [id: string, kind: EdgeKind, edges: readonly string[]][]
}

const cases: readonly Case[] = [
  {
    language: 'JavaScript (CommonJS)',
    files: {
      'lib/errors.js':
        "'use strict'\nclass BadInput extends Error {}\nclass Gone extends BadInput {}\nmodule.exports = { BadInput, Lost: Gone }\n",
      'lib/pool.js':
        "const { BadInput, Lost: NotThere } = require('./errors')\nconst Client = require('./client')\nconst errors = require('./errors')\nfunction take() {\n  new Client().close()\n  if (1) throw new BadInput()\n  throw new NotThere(errors.BadInput)\n}\nexports.take = take\n",
      'lib/client.js': 'module.exports = class Client {\n  close() {}\n}\n',
      'index.js':
        "module.exports.Client = require('./lib/client')\nconst { take } = require('./lib/pool')\nconst Client = require('./lib/client')\ntake()\nmodule.exports = { Client, take }\n",
      'use.mjs': "import Client from './lib/client.js'\nimport { take } from './index.js'\nnew Client()\ntake()\n",
    },
    edges: [
      ['lib/errors.js::BadInput#class', 'call', ['in lib/pool.js:6 resolved lib/pool.js::take#function']],
      ['lib/errors.js::Gone#class', 'call', ['in lib/pool.js:7 resolved lib/pool.js::take#function']],
      [
        'lib/client.js::Client#class',
        'call',
        ['in lib/pool.js:5 resolved lib/pool.js::take#function', 'in use.mjs:3 resolved -'],
      ],
      ['lib/client.js::Client.close#method', 'call', ['in lib/pool.js:5 resolved lib/pool.js::take#function']],
      [
        'lib/pool.js::take#function',
        'call',
        [
          'in index.js:4 resolved -',
          'in use.mjs:4 resolved -',
          'out lib/pool.js:5 resolved lib/client.js::Client#class',
          'out lib/pool.js:5 resolved lib/client.js::Client.close#method',
          'out lib/pool.js:6 resolved lib/errors.js::BadInput#class',
          'out lib/pool.js:7 resolved lib/errors.js::Gone#class',
        ],
      ],
    ],
  },
  {
    language: 'TypeScript',
    files: {
      'src/shape.ts':
        'export interface Drawable { draw(): void }\nexport class Shape implements Drawable {\n  draw(): void { this.paint() }\n  paint(): void {}\n}\n',
      'src/round.ts':
        "import { Shape as Base } from './index'\nexport default class Round extends Base {\n  draw(): void { super.draw(); this.paint() }\n}\n",
      'src/index.ts':
        "export * from './shape'\nexport { default as Round } from './round'\nexport * as tools from './tools'\n",
      'src/tools.ts':
        "import { Round, tools } from './index'\nimport type { Shape } from './shape'\nexport function make(): Round { return new Round() }\nexport function each(shape: Shape, other) { make().draw(); shape.paint(); other.paint(); tools.make() }\n",
      'src/over.ts':
        'export function over(a: string): void\nexport function over(a: number): void\nexport function over(a: unknown): void { inner(a); function inner(b: unknown) { b } }\n',
    },
    edges: [
      [
        'src/shape.ts::Shape.paint#method',
        'call',
        [
          'in src/round.ts:3 resolved src/round.ts::Round.draw#method',
          'in src/shape.ts:3 resolved src/shape.ts::Shape.draw#method',
          'in src/tools.ts:4 resolved src/tools.ts::each#function',
          'in src/tools.ts:4 name src/tools.ts::each#function',
        ],
      ],
      [
        'src/shape.ts::Shape.draw#method',
        'call',
        [
          'in src/round.ts:3 resolved src/round.ts::Round.draw#method',
          'out src/shape.ts:3 resolved src/shape.ts::Shape.paint#method',
        ],
      ],
      [
        'src/tools.ts::make#function',
        'call',
        [
          'in src/tools.ts:4 resolved src/tools.ts::each#function',
          'in src/tools.ts:4 resolved src/tools.ts::each#function',
          'out src/tools.ts:3 resolved src/round.ts::Round#class',
        ],
      ],
      [
        'src/round.ts::Round#class',
        'call',
        [
          'in src/tools.ts:3 resolved src/tools.ts::make#function',
          'out src/round.ts:3 resolved src/shape.ts::Shape.draw#method',
          'out src/round.ts:3 resolved src/shape.ts::Shape.paint#method',
        ],
      ],
      ['src/shape.ts::Shape#class', 'extends', ['in src/round.ts:2 resolved src/round.ts::Round#class']],
      ['src/round.ts::Round#class', 'extends', ['out src/round.ts:2 resolved src/shape.ts::Shape#class']],
      ['src/shape.ts::Drawable#interface', 'implements', ['in src/shape.ts:2 resolved src/shape.ts::Shape#class']],
      ['src/shape.ts::Shape#class', 'import', ['in src/round.ts:1 resolved -', 'in src/tools.ts:2 resolved -']],
      ['src/round.ts::Round#class', 'export', ['in src/index.ts:2 resolved -', 'in src/round.ts:2 resolved -']],
      ['src/shape.ts::Shape#class', 'usage', ['in src/tools.ts:4 resolved src/tools.ts::each#function']],
      [
        'src/shape.ts::Shape#class',
        'contains',
        [
          'out src/shape.ts:3 resolved src/shape.ts::Shape.draw#method',
          'out src/shape.ts:4 resolved src/shape.ts::Shape.paint#method',
        ],
      ],
      ['src/over.ts::over#function~3', 'call', ['out src/over.ts:3 resolved src/over.ts::over.inner#function']],
    ],
  },
  {
    language: 'Python',
    files: {
      'app/base.py':
        'class Base:\n    def save(self):\n        return self.check()\n    def check(self):\n        return helper()\ndef helper():\n    return 1\n',
      'app/user.py':
        'from .base import Base, helper as h\nfrom . import base\nclass User(Base):\n    def save(self):\n        super().save()\n        base.helper()\n        return h()\ndef use(thing, user: User):\n    thing.check()\n    user.check()\n',
      'app/__init__.py': '',
    },
    edges: [
      [
        'app/base.py::Base.check#method',
        'call',
        [
          'in app/base.py:3 resolved app/base.py::Base.save#method',
          'in app/user.py:10 resolved app/user.py::use#function',
          'out app/base.py:5 resolved app/base.py::helper#function',
          'in app/user.py:9 name app/user.py::use#function',
        ],
      ],
      [
        'app/base.py::helper#function',
        'call',
        [
          'in app/base.py:5 resolved app/base.py::Base.check#method',
          'in app/user.py:6 resolved app/user.py::User.save#method',
          'in app/user.py:7 resolved app/user.py::User.save#method',
        ],
      ],
      [
        'app/base.py::Base.save#method',
        'call',
        [
          'in app/user.py:5 resolved app/user.py::User.save#method',
          'out app/base.py:3 resolved app/base.py::Base.check#method',
        ],
      ],
      ['app/base.py::Base#class', 'extends', ['in app/user.py:3 resolved app/user.py::User#class']],
      ['app/base.py::Base#class', 'import', ['in app/user.py:1 resolved -']],
    ],
  },
  {
    language: 'Rust',
    files: {
      'src/lib.rs':
        'mod shape;\nmod round;\nuse crate::shape::{area, Shape};\npub fn total(shape: &Shape) -> i32 { area() + shape.size() + crate::shape::area() }\n',
      'src/shape.rs':
        'pub struct Shape { size: i32 }\npub trait Draw { fn draw(&self); }\nimpl Shape {\n    pub fn new() -> Self { Shape { size: area() } }\n    pub fn size(&self) -> i32 { self.inner() }\n    fn inner(&self) -> i32 { 1 }\n}\nimpl Draw for Shape {\n    fn draw(&self) { self.size(); }\n}\npub fn area() -> i32 { 1 }\n',
      'src/round.rs':
        'use crate::shape::Shape;\npub trait Named {}\npub trait Round: Named {}\npub fn make(x: Unknown) { let s = Shape::new(); x.inner(); }\n',
    },
    edges: [
      [
        'src/shape.rs::area#function',
        'call',
        [
          'in src/lib.rs:4 resolved src/lib.rs::total#function',
          'in src/lib.rs:4 resolved src/lib.rs::total#function',
          'in src/shape.rs:4 resolved src/shape.rs::Shape.new#method',
        ],
      ],
      [
        'src/shape.rs::Shape.inner#method',
        'call',
        [
          'in src/shape.rs:5 resolved src/shape.rs::Shape.size#method',
          'in src/round.rs:4 name src/round.rs::make#function',
        ],
      ],
      [
        'src/shape.rs::Shape.size#method',
        'call',
        [
          'in src/lib.rs:4 resolved src/lib.rs::total#function',
          'in src/shape.rs:9 resolved src/shape.rs::Shape.draw#method',
          'out src/shape.rs:5 resolved src/shape.rs::Shape.inner#method',
        ],
      ],
      [
        'src/shape.rs::Shape.new#method',
        'call',
        [
          'in src/round.rs:4 resolved src/round.rs::make#function',
          'out src/shape.rs:4 resolved src/shape.rs::area#function',
        ],
      ],
      ['src/shape.rs::Draw#trait', 'implements', ['in src/shape.rs:8 resolved src/shape.rs::Shape#impl~2']],
      ['src/round.rs::Named#trait', 'extends', ['in src/round.rs:3 resolved src/round.rs::Round#trait']],
      ['src/shape.rs::Shape#struct', 'import', ['in src/lib.rs:3 resolved -', 'in src/round.rs:1 resolved -']],
    ],
  },
  {
    language: 'Rust, modules inside a file',
    files: {
      'src/lib.rs':
        'pub mod inner { pub fn run() {} pub struct S; impl S { pub fn stop(&self) {} } pub mod deep { pub fn dive() {} } }\n' +
        'use inner::{run, S};\nuse self::inner::deep::*;\nfn plain(s: S) { run(); s.stop(); }\nfn all() { dive(); }\nfn own(run: fn()) { run(); }\n' +
        'trait Go { fn run(&self); }\nimpl Go for u8 { fn run(&self) {} }\nimpl Go for [u8] { fn run(&self) {} }\nimpl Go for &i8 { fn run(&self) {} }\n' +
        'fn bound(x: Option<fn()>) { if let Some(run) = x { run(); } match x { Some(run) => run(), None => {} } }\n',
    },
    edges: [
      ['src/lib.rs::inner.run#function', 'call', ['in src/lib.rs:4 resolved src/lib.rs::plain#function']],
      ['src/lib.rs::inner.S.stop#method', 'call', ['in src/lib.rs:4 resolved src/lib.rs::plain#function']],
      ['src/lib.rs::inner.deep.dive#function', 'call', ['in src/lib.rs:5 resolved src/lib.rs::all#function']],
    ],
  },
  {
    language: 'Go',
    files: {
      'go.mod': 'module example.com/app\n\ngo 1.22\n',
      'store/store.go':
        'package store\n\ntype Store struct { Base }\ntype Base struct{}\nfunc (b *Base) Close() {}\nfunc (s *Store) Save() { s.check(); s.Close(); helper() }\nfunc (s *Store) check() {}\nfunc Open() *Store { return &Store{} }\n',
      'store/helper.go': 'package store\n\nfunc helper() {}\n',
      'main.go':
        'package main\n\nimport "example.com/app/store"\n\nfunc main() { s := store.Open(); s.Save(); run(nil) }\nfunc again() { run(1) }\nfunc run(x any) { x.check() }\n',
    },
    edges: [
      ['store/helper.go::helper#function', 'call', ['in store/store.go:6 resolved store/store.go::Store.Save#method']],
      [
        'store/store.go::Store.check#method',
        'call',
        ['in store/store.go:6 resolved store/store.go::Store.Save#method', 'in main.go:7 name main.go::run#function'],
      ],
      ['store/store.go::Base.Close#method', 'call', ['in store/store.go:6 resolved store/store.go::Store.Save#method']],
      ['store/store.go::Open#function', 'call', ['in main.go:5 resolved main.go::main#function']],
      [
        'store/store.go::Store.Save#method',
        'call',
        [
          'in main.go:5 resolved main.go::main#function',
          'out store/store.go:6 resolved store/store.go::Store.check#method',
          'out store/store.go:6 resolved store/store.go::Base.Close#method',
          'out store/store.go:6 resolved store/helper.go::helper#function',
        ],
      ],
      ['store/store.go::Base#struct', 'extends', ['in store/store.go:3 resolved store/store.go::Store#struct']],
      [
        'main.go::run#function',
        'call',
        [
          'in main.go:5 resolved main.go::main#function',
          'in main.go:6 resolved main.go::again#function',
          'out main.go:7 name store/store.go::Store.check#method',
        ],
      ],
    ],
  },
  {
    language: 'Java',
    files: {
      'src/main/java/app/Base.java':
        'package app;\npublic class Base implements Runnable {\n  public void save() { this.check(); check(); }\n  void check() {}\n  void check(int times) {}\n  public void run() {}\n}\n',
      'src/main/java/app/Peer.java':
        'package app;\nclass Peer { void go() { Base base = new Base(); base.save(); } }\n',
      'src/main/java/app/sub/User.java':
        'package app.sub;\nimport app.Base;\ninterface Named extends Runnable {}\npublic class User extends Base implements Named {\n  void go(Object other) { save(); super.save(); other.check(); }\n}\n',
    },
    edges: [
      [
        'src/main/java/app/Base.java::Base.check#method',
        'call',
        [
          'in src/main/java/app/Base.java:3 name src/main/java/app/Base.java::Base.save#method',
          'in src/main/java/app/Base.java:3 name src/main/java/app/Base.java::Base.save#method',
          'in src/main/java/app/sub/User.java:5 name src/main/java/app/sub/User.java::User.go#method',
        ],
      ],
      [
        'src/main/java/app/Base.java::Base.check#method~2',
        'call',
        [
          'in src/main/java/app/Base.java:3 name src/main/java/app/Base.java::Base.save#method',
          'in src/main/java/app/Base.java:3 name src/main/java/app/Base.java::Base.save#method',
          'in src/main/java/app/sub/User.java:5 name src/main/java/app/sub/User.java::User.go#method',
        ],
      ],
      [
        'src/main/java/app/Base.java::Base.save#method',
        'call',
        [
          'in src/main/java/app/Peer.java:2 resolved src/main/java/app/Peer.java::Peer.go#method',
          'in src/main/java/app/sub/User.java:5 resolved src/main/java/app/sub/User.java::User.go#method',
          'in src/main/java/app/sub/User.java:5 resolved src/main/java/app/sub/User.java::User.go#method',
          'out src/main/java/app/Base.java:3 name src/main/java/app/Base.java::Base.check#method',
          'out src/main/java/app/Base.java:3 name src/main/java/app/Base.java::Base.check#method~2',
          'out src/main/java/app/Base.java:3 name src/main/java/app/Base.java::Base.check#method',
          'out src/main/java/app/Base.java:3 name src/main/java/app/Base.java::Base.check#method~2',
        ],
      ],
      [
        'src/main/java/app/Base.java::Base#class',
        'call',
        [
          'in src/main/java/app/Peer.java:2 resolved src/main/java/app/Peer.java::Peer.go#method',
          'out src/main/java/app/Base.java:3 name src/main/java/app/Base.java::Base.check#method',
          'out src/main/java/app/Base.java:3 name src/main/java/app/Base.java::Base.check#method~2',
          'out src/main/java/app/Base.java:3 name src/main/java/app/Base.java::Base.check#method',
          'out src/main/java/app/Base.java:3 name src/main/java/app/Base.java::Base.check#method~2',
        ],
      ],
      [
        'src/main/java/app/Base.java::Base#class',
        'extends',
        ['in src/main/java/app/sub/User.java:4 resolved src/main/java/app/sub/User.java::User#class'],
      ],
      [
        'src/main/java/app/sub/User.java::Named#interface',
        'implements',
        ['in src/main/java/app/sub/User.java:4 resolved src/main/java/app/sub/User.java::User#class'],
      ],
      ['src/main/java/app/Base.java::Base#class', 'import', ['in src/main/java/app/sub/User.java:2 resolved -']],
    ],
  },
  {
    language: 'C',
    files: {
      'util.h':
        '#define TWICE(x) twice(x)\nstatic inline int twice(int x) { return x * 2; }\ntypedef struct node { int size; } node;\n',
      'main.c':
        '#include "util.h"\nstatic int local(node *n) { return twice(n->size); }\nint main(void) { return local(0) + TWICE(2) + far(1); }\n',
      'far.c': 'int far(int x) { return x; }\n',
    },
    edges: [
      ['util.h::twice#function', 'call', ['in main.c:2 resolved main.c::local#function']],
      [
        'main.c::local#function',
        'call',
        ['in main.c:3 resolved main.c::main#function', 'out main.c:2 resolved util.h::twice#function'],
      ],
      ['far.c::far#function', 'call', ['in main.c:3 name main.c::main#function']],
      ['util.h::TWICE#function', 'call', ['in main.c:3 resolved main.c::main#function']],
    ],
  },
  {
    language: 'C++',
    files: {
      'shape.hpp':
        '#pragma once\nclass Shape {\n public:\n  virtual int area() { return size(); }\n  int size() { return this->area(); }\n  int scale(int by);\n};\n',
      'round.cpp':
        '#include "shape.hpp"\nclass Round : public Shape {\n public:\n  int area() { return size() + Shape::size(); }\n};\nint Shape::scale(int by) { return size() * by; }\nint use(Thing *thing) { return thing->size(); }\n',
    },
    edges: [
      [
        'shape.hpp::Shape.size#method',
        'call',
        [
          'in round.cpp:4 resolved round.cpp::Round.area#method',
          'in round.cpp:4 resolved round.cpp::Round.area#method',
          'in shape.hpp:4 resolved shape.hpp::Shape.area#method',
          'out shape.hpp:5 resolved shape.hpp::Shape.area#method',
          'in round.cpp:6 name round.cpp::Shape.scale#method',
          'in round.cpp:7 name round.cpp::use#function',
        ],
      ],
      [
        'shape.hpp::Shape.area#method',
        'call',
        [
          'in shape.hpp:5 resolved shape.hpp::Shape.size#method',
          'out shape.hpp:4 resolved shape.hpp::Shape.size#method',
        ],
      ],
      ['shape.hpp::Shape#class', 'extends', ['in round.cpp:2 resolved round.cpp::Round#class']],
    ],
  },
  {
    language: 'C#',
    files: {
      'Base.cs':
        'namespace App {\n  public class Base {\n    public void Save() { this.Check(); Check(); }\n    void Check() {}\n    void Check(int times) {}\n  }\n}\n',
      'User.cs':
        'using App;\nnamespace App.Sub {\n  interface INamed : IOther {}\n  interface IOther {}\n  class User : Base, INamed {\n    void Go(Other other) { Save(); base.Save(); other.Check(); new Base(); }\n  }\n  struct Point : INamed {}\n}\n',
    },
    edges: [
      [
        'Base.cs::App.Base.Check#method',
        'call',
        [
          'in Base.cs:3 name Base.cs::App.Base.Save#method',
          'in Base.cs:3 name Base.cs::App.Base.Save#method',
          'in User.cs:6 name User.cs::App.Sub.User.Go#method',
        ],
      ],
      [
        'Base.cs::App.Base.Check#method~2',
        'call',
        [
          'in Base.cs:3 name Base.cs::App.Base.Save#method',
          'in Base.cs:3 name Base.cs::App.Base.Save#method',
          'in User.cs:6 name User.cs::App.Sub.User.Go#method',
        ],
      ],
      [
        'Base.cs::App.Base.Save#method',
        'call',
        [
          'in User.cs:6 resolved User.cs::App.Sub.User.Go#method',
          'in User.cs:6 resolved User.cs::App.Sub.User.Go#method',
          'out Base.cs:3 name Base.cs::App.Base.Check#method',
          'out Base.cs:3 name Base.cs::App.Base.Check#method~2',
          'out Base.cs:3 name Base.cs::App.Base.Check#method',
          'out Base.cs:3 name Base.cs::App.Base.Check#method~2',
        ],
      ],
      [
        'Base.cs::App.Base#class',
        'call',
        [
          'in User.cs:6 resolved User.cs::App.Sub.User.Go#method',
          'out Base.cs:3 name Base.cs::App.Base.Check#method',
          'out Base.cs:3 name Base.cs::App.Base.Check#method~2',
          'out Base.cs:3 name Base.cs::App.Base.Check#method',
          'out Base.cs:3 name Base.cs::App.Base.Check#method~2',
        ],
      ],
      ['Base.cs::App.Base#class', 'extends', ['in User.cs:5 resolved User.cs::App.Sub.User#class']],
      [
        'User.cs::App.Sub.INamed#interface',
        'implements',
        ['in User.cs:5 resolved User.cs::App.Sub.User#class', 'in User.cs:8 resolved User.cs::App.Sub.Point#struct'],
      ],
      ['User.cs::App.Sub.IOther#interface', 'extends', ['in User.cs:3 resolved User.cs::App.Sub.INamed#interface']],
    ],
  },
  {
    language: 'Ruby',
    files: {
      'lib/base.rb':
        'module Named\n  def name; label; end\n  def label; end\nend\nclass Base\n  include Named\n  def save; self.check; end\n  def check; end\n  def self.open; end\nend\n',
      'lib/user.rb':
        "require_relative 'base'\nclass User < Base\n  def go(other)\n    save()\n    other.check\n    Base.open\n    name()\n  end\nend\n",
    },
    edges: [
      [
        'lib/base.rb::Base.check#method',
        'call',
        [
          'in lib/base.rb:7 resolved lib/base.rb::Base.save#method',
          'in lib/user.rb:5 name lib/user.rb::User.go#method',
        ],
      ],
      [
        'lib/base.rb::Base.save#method',
        'call',
        [
          'in lib/user.rb:4 resolved lib/user.rb::User.go#method',
          'out lib/base.rb:7 resolved lib/base.rb::Base.check#method',
        ],
      ],
      ['lib/base.rb::Base.open#method', 'call', ['in lib/user.rb:6 resolved lib/user.rb::User.go#method']],
      ['lib/base.rb::Named.name#method', 'call', ['in lib/user.rb:7 resolved lib/user.rb::User.go#method']],
      ['lib/base.rb::Base#class', 'extends', ['in lib/user.rb:2 resolved lib/user.rb::User#class']],
      ['lib/base.rb::Named#module', 'implements', ['in lib/base.rb:6 resolved lib/base.rb::Base#class']],
    ],
  },
  {
    language: 'Swift',
    files: {
      'Sources/Core/Named.swift':
        'public protocol Named { func label() -> String }\npublic class Base {\n  public func save() { check() }\n  func check() {}\n}\n',
      'Sources/Core/Round.swift':
        'public class Round: Base, Named {\n  public func label() -> String { self.save(); return helper() }\n}\nclass Flat: Named { func label() -> String { "" } }\nfunc helper() -> String { "" }\n',
      'Sources/App/main.swift':
        'import Core\nimport Foundation\nextension Round: Titled { func title() -> String { label() } }\nprotocol Titled: Named {}\nfunc use(round: Round, other: Any) { Round(); other.check() }\n',
    },
    edges: [
      [
        'Sources/Core/Named.swift::Base.check#method',
        'call',
        [
          'in Sources/Core/Named.swift:3 resolved Sources/Core/Named.swift::Base.save#method',
          'in Sources/App/main.swift:5 name Sources/App/main.swift::use#function',
        ],
      ],
      [
        'Sources/Core/Named.swift::Base.save#method',
        'call',
        [
          'in Sources/Core/Round.swift:2 resolved Sources/Core/Round.swift::Round.label#method',
          'out Sources/Core/Named.swift:3 resolved Sources/Core/Named.swift::Base.check#method',
        ],
      ],
      [
        'Sources/Core/Round.swift::helper#function',
        'call',
        ['in Sources/Core/Round.swift:2 resolved Sources/Core/Round.swift::Round.label#method'],
      ],
      [
        'Sources/Core/Round.swift::Round#class',
        'extends',
        ['out Sources/Core/Round.swift:1 resolved Sources/Core/Named.swift::Base#class'],
      ],
      [
        'Sources/Core/Round.swift::Round#class',
        'implements',
        ['out Sources/Core/Round.swift:1 resolved Sources/Core/Named.swift::Named#interface'],
      ],
      [
        'Sources/Core/Named.swift::Named#interface',
        'implements',
        [
          'in Sources/Core/Round.swift:1 resolved Sources/Core/Round.swift::Round#class',
          'in Sources/Core/Round.swift:4 resolved Sources/Core/Round.swift::Flat#class',
        ],
      ],
      [
        'Sources/Core/Named.swift::Named#interface',
        'extends',
        ['in Sources/App/main.swift:4 resolved Sources/App/main.swift::Titled#interface'],
      ],
      [
        'Sources/Core/Round.swift::Round#class',
        'usage',
        [
          'in Sources/App/main.swift:5 resolved Sources/App/main.swift::use#function',
          'out Sources/Core/Round.swift:2 name -',
        ],
      ],
      [
        'Sources/App/main.swift::use#function',
        'call',
        [
          'out Sources/App/main.swift:5 resolved Sources/Core/Round.swift::Round#class',
          'out Sources/App/main.swift:5 name Sources/Core/Named.swift::Base.check#method',
        ],
      ],
      [
        'Sources/App/main.swift::Round#impl',
        'contains',
        ['out Sources/App/main.swift:3 resolved Sources/App/main.swift::Round.title#method'],
      ],
      [
        'Sources/App/main.swift::Round.title#method',
        'call',
        ['out Sources/App/main.swift:3 resolved Sources/Core/Named.swift::Named.label#method'],
      ],
    ],
  },
  {
    language: 'PHP',
    files: {
      'src/Base.php':
        '<?php\nnamespace App;\ninterface Named { public function name(); }\nabstract class Base implements Named {\n  public function save() { $this->check(); self::open(); }\n  public function check() {}\n  public static function open() {}\n}\n',
      'src/User.php':
        '<?php\nnamespace App\\Sub;\nuse App\\Base as Root;\nclass User extends Root {\n  public function name() { $this->check(); parent::save(); }\n}\nfunction go($other) { $other->check(); Root::open(); go(1); new User(); }\n',
    },
    edges: [
      [
        'src/Base.php::Base.check#method',
        'call',
        [
          'in src/Base.php:5 resolved src/Base.php::Base.save#method',
          'in src/User.php:5 resolved src/User.php::User.name#method',
          'in src/User.php:7 name src/User.php::go#function',
        ],
      ],
      [
        'src/Base.php::Base.save#method',
        'call',
        [
          'in src/User.php:5 resolved src/User.php::User.name#method',
          'out src/Base.php:5 resolved src/Base.php::Base.check#method',
          'out src/Base.php:5 resolved src/Base.php::Base.open#method',
        ],
      ],
      [
        'src/Base.php::Base.open#method',
        'call',
        [
          'in src/Base.php:5 resolved src/Base.php::Base.save#method',
          'in src/User.php:7 resolved src/User.php::go#function',
        ],
      ],
      [
        'src/User.php::User#class',
        'call',
        [
          'in src/User.php:7 resolved src/User.php::go#function',
          'out src/User.php:5 resolved src/Base.php::Base.check#method',
          'out src/User.php:5 resolved src/Base.php::Base.save#method',
        ],
      ],
      ['src/Base.php::Base#class', 'extends', ['in src/User.php:4 resolved src/User.php::User#class']],
      ['src/Base.php::Named#interface', 'implements', ['in src/Base.php:4 resolved src/Base.php::Base#class']],
      [
        'src/User.php::go#function',
        'call',
        [
          'in src/User.php:7 resolved src/User.php::go#function',
          'out src/User.php:7 resolved src/Base.php::Base.open#method',
          'out src/User.php:7 resolved src/User.php::go#function',
          'out src/User.php:7 resolved src/User.php::User#class',
          'out src/User.php:7 name src/Base.php::Base.check#method',
        ],
      ],
    ],
  },
  {
    language: 'Bash',
    files: {
      'lib.sh': 'say() { echo "$1"; }\nshout() { say hi; }\n',
      'run.sh': 'source ./lib.sh\nmain() { say hello; other; }\nmain\n',
      'other.sh': 'other() { :; }\n',
    },
    edges: [
      [
        'lib.sh::say#function',
        'call',
        [
          'in lib.sh:2 resolved lib.sh::shout#function',
          'in run.sh:2 resolved run.sh::main#function',
          'out lib.sh:1 name -',
        ],
      ],
      [
        'run.sh::main#function',
        'call',
        [
          'in run.sh:3 resolved -',
          'out run.sh:2 resolved lib.sh::say#function',
          'out run.sh:2 name other.sh::other#function',
        ],
      ],
      ['other.sh::other#function', 'call', ['in run.sh:2 name run.sh::main#function', 'out other.sh:1 name -']],
    ],
  },
]

test.each(cases)(
  '$language: edges of every kind, resolved only where scopes and imports lead',
  async ({ files, edges }) => {
    await graphOf(files, async (ask) => {
      const found = await Promise.all(edges.map(async ([id, kind]) => [id, kind, await ask(id, kind)]))
      expect(found).toEqual(edges)
    })
  },
)
