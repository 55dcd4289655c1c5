import { expect, test } from 'vitest'
import { graphOf } from '../testing/graphEdges.ts'

/** Calls of functions by their ids. */
async function callsOf(
  files: Readonly<Record<string, string>>,
  ids: readonly string[],
): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  await graphOf(files, async (ask) => {
    for (const id of ids) found[id] = (await ask(id, 'call')).filter((line) => line.startsWith('in '))
  })
  return found
}

const json = (value: unknown): string => JSON.stringify(value, null, 2)

test('TypeScript: resolves paths and baseUrl of an extended configuration with comments and trailing commas', async () => {
  const files = {
    'tsconfig.base.json':
      '{\n  // Shared. "quoted // text"\n  "compilerOptions": { "baseUrl": ".", "paths": { "@lib/*": ["missing/*", "packages/lib/src/*",], "config": ["packages/lib/src/config.ts"] } },\n}\n',
    'packages/app/tsconfig.json': json({ extends: '../../tsconfig.base' }),
    'packages/app/main.ts':
      "import { open } from '@lib/store'\nimport { config } from 'config'\nimport { close } from 'packages/lib/src/store'\nopen()\nconfig()\nclose()\n",
    'packages/lib/src/store.ts': 'export function open() {}\nexport function close() {}\n',
    'packages/lib/src/config.ts': 'export const config = () => 1\n',
    // A configuration with references has the paths in a referenced one.
    'web/tsconfig.json': json({ files: [], references: [{ path: './tsconfig.app.json' }] }),
    'web/tsconfig.app.json': json({ compilerOptions: { paths: { '@/*': ['./src/*'] } } }),
    'web/src/deep/view.ts': "import { paint } from '@/paint'\npaint()\n",
    'web/src/paint.ts': 'export function paint() {}\n',
  }
  expect(
    await callsOf(files, [
      'packages/lib/src/store.ts::open#function',
      'packages/lib/src/config.ts::config#function',
      'packages/lib/src/store.ts::close#function',
      'web/src/paint.ts::paint#function',
    ]),
  ).toEqual({
    'packages/lib/src/store.ts::open#function': ['in packages/app/main.ts:4 resolved -'],
    'packages/lib/src/config.ts::config#function': ['in packages/app/main.ts:5 resolved -'],
    'packages/lib/src/store.ts::close#function': ['in packages/app/main.ts:6 resolved -'],
    'web/src/paint.ts::paint#function': ['in web/src/deep/view.ts:2 resolved -'],
  })
})

test('JavaScript and TypeScript: resolves workspace packages through exports, main and imports, even without build output', async () => {
  const files = {
    'package.json': json({ private: true, workspaces: ['packages/*'] }),
    'packages/app/package.json': json({ name: 'app', imports: { '#own/*': './src/own/*.ts' } }),
    'packages/app/src/own/part.ts': 'export function part() {}\n',
    'packages/app/src/main.ts':
      "import { Widget } from '@team/ui'\nimport { paint } from '@team/ui/paint'\nimport { hidden } from '@team/ui/hidden'\nimport { part } from '#own/part'\nimport { plain } from 'plain'\nimport { deep } from 'plain/lib/deep'\nnew Widget()\npaint()\nhidden()\npart()\nplain()\ndeep()\n",
    'packages/ui/package.json': json({
      name: '@team/ui',
      exports: { '.': { types: './dist/index.d.ts', import: './dist/index.js' }, './paint': './source/paint.js' },
    }),
    'packages/ui/src/index.ts': "export * from './widget.js'\n",
    'packages/ui/src/widget.ts': 'export class Widget {}\n',
    'packages/ui/source/paint.ts': 'export function paint() {}\n',
    'packages/ui/hidden.ts': 'export function hidden() {}\n',
    'packages/plain/package.json': json({ name: 'plain', main: 'lib/main.js' }),
    'packages/plain/lib/main.js': 'exports.plain = function () {}\n',
    'packages/plain/lib/deep.js': 'exports.deep = function () {}\n',
  }
  expect(
    await callsOf(files, [
      'packages/ui/src/widget.ts::Widget#class',
      'packages/ui/source/paint.ts::paint#function',
      'packages/ui/hidden.ts::hidden#function',
      'packages/app/src/own/part.ts::part#function',
      'packages/plain/lib/main.js::plain#function',
      'packages/plain/lib/deep.js::deep#function',
    ]),
  ).toEqual({
    'packages/ui/src/widget.ts::Widget#class': ['in packages/app/src/main.ts:7 resolved -'],
    'packages/ui/source/paint.ts::paint#function': ['in packages/app/src/main.ts:8 resolved -'],
    // A symbol that a package does not export cannot be resolved through it, so only its name matches.
    'packages/ui/hidden.ts::hidden#function': ['in packages/app/src/main.ts:9 name -'],
    'packages/app/src/own/part.ts::part#function': ['in packages/app/src/main.ts:10 resolved -'],
    'packages/plain/lib/main.js::plain#function': ['in packages/app/src/main.ts:11 resolved -'],
    'packages/plain/lib/deep.js::deep#function': ['in packages/app/src/main.ts:12 resolved -'],
  })
})

test('an unresolved import yields a name match, an external import none', async () => {
  const files = {
    'package.json': json({ dependencies: { lodash: '4' } }),
    'main.ts':
      "import { far } from '~/far'\nimport { made } from './generated'\nimport { merge } from 'lodash/merge'\nimport { readFile } from 'node:fs'\nfar()\nmade()\nmerge()\nreadFile()\n",
    'others.ts':
      'export function far() {}\nexport function made() {}\nexport function merge() {}\nexport function readFile() {}\n',
    'main.py': 'from vendored.core import load\nfrom json import dumps\nload()\ndumps()\n',
    'others.py': 'def load(): ...\ndef dumps(): ...\n',
    'third/vendored/__init__.py': '',
  }
  expect(
    await callsOf(
      files,
      ['far', 'made', 'merge', 'readFile'].map((name) => `others.ts::${name}#function`),
    ),
  ).toEqual({
    'others.ts::far#function': ['in main.ts:5 name -'],
    'others.ts::made#function': ['in main.ts:6 name -'],
    'others.ts::merge#function': [],
    'others.ts::readFile#function': [],
  })
  expect(await callsOf(files, ['others.py::load#function', 'others.py::dumps#function'])).toEqual({
    'others.py::load#function': ['in main.py:3 name -'],
    'others.py::dumps#function': [],
  })
})

test('Python: resolves a package in the source folder of another project', async () => {
  const files = {
    'packages/core/pyproject.toml': '[project]\nname = "core"\n',
    'packages/core/src/core/__init__.py': 'from .store import Store\n',
    'packages/core/src/core/store.py': 'class Store:\n    def save(self): ...\n',
    'packages/app/tests/test_main.py': 'from core import Store\ndef test():\n    Store().save()\n',
  }
  expect(await callsOf(files, ['packages/core/src/core/store.py::Store.save#method'])).toEqual({
    'packages/core/src/core/store.py::Store.save#method': [
      'in packages/app/tests/test_main.py:3 resolved packages/app/tests/test_main.py::test#function',
    ],
  })
})

test('Go: resolves packages of several modules by the longest module path', async () => {
  const files = {
    'go.mod': 'module example.com/app\n',
    'tools/go.mod': 'module example.com/app/tools/v2\n',
    'tools/run/run.go': 'package run\n\nfunc Run() {}\n',
    'log/log.go': 'package log\n\nfunc Print() {}\n',
    'main.go':
      'package main\n\nimport (\n\t"example.com/app/log"\n\trunner "example.com/app/tools/v2/run"\n\t"fmt"\n)\n\nfunc main() { log.Print(); runner.Run(); fmt.Print() }\n',
  }
  expect(await callsOf(files, ['tools/run/run.go::Run#function', 'log/log.go::Print#function'])).toEqual({
    'tools/run/run.go::Run#function': ['in main.go:9 resolved main.go::main#function'],
    'log/log.go::Print#function': ['in main.go:9 resolved main.go::main#function'],
  })
})

test('Java: resolves a class in another source folder', async () => {
  const files = {
    'core/src/main/java/app/core/Base.java': 'package app.core;\npublic class Base { public static void open() {} }\n',
    'web/src/main/java/app/web/Page.java':
      'package app.web;\nimport app.core.Base;\nclass Page { void go() { Base.open(); } }\n',
  }
  expect(await callsOf(files, ['core/src/main/java/app/core/Base.java::Base.open#method'])).toEqual({
    'core/src/main/java/app/core/Base.java::Base.open#method': [
      'in web/src/main/java/app/web/Page.java:3 resolved web/src/main/java/app/web/Page.java::Page.go#method',
    ],
  })
})

test('C#, PHP, Kotlin: resolves names by namespace across files', async () => {
  const files = {
    'a/Pool.cs': 'namespace App.Store;\npublic class Pool { public static void Open() {} }\n',
    'b/Pool.cs': 'namespace App.Other;\npublic class Pool { public static void Open() {} }\n',
    'Main.cs': 'using App.Store;\nnamespace App.Main {\n  class Go { void Run() { Pool.Open(); } }\n}\n',
    'a/Pool.php': '<?php\nnamespace App\\Store;\nclass Pool { static function open() {} }\nfunction close() {}\n',
    'b/Pool.php': '<?php\nnamespace App\\Other;\nclass Pool { static function open() {} }\nfunction close() {}\n',
    'main.php':
      '<?php\nnamespace App\\Main;\nuse App\\{Store\\Pool, Other\\Pool as Second};\nuse function App\\Store\\close;\nfunction run() { Pool::open(); close(); }\nfunction second() { Second::open(); }\n',
    'a/Pool.kt': 'package app.store\nclass Pool\nfun start() {}\n',
    'b/Pool.kt': 'package app.other\nfun start() {}\n',
    'Main.kt': 'package app.main\nimport app.store.start\nfun run() { start() }\n',
  }
  expect(
    await callsOf(files, [
      'a/Pool.cs::Pool.Open#method',
      'b/Pool.cs::Pool.Open#method',
      'a/Pool.php::Pool.open#method',
      'b/Pool.php::Pool.open#method',
      'a/Pool.php::close#function',
      'a/Pool.kt::start#function',
      'b/Pool.kt::start#function',
    ]),
  ).toEqual({
    'a/Pool.cs::Pool.Open#method': ['in Main.cs:3 resolved Main.cs::App.Main.Go.Run#method'],
    'b/Pool.cs::Pool.Open#method': [],
    'a/Pool.php::Pool.open#method': ['in main.php:5 resolved main.php::run#function'],
    'b/Pool.php::Pool.open#method': ['in main.php:6 resolved main.php::second#function'],
    'a/Pool.php::close#function': ['in main.php:5 resolved main.php::run#function'],
    'a/Pool.kt::start#function': ['in Main.kt:3 resolved Main.kt::run#function'],
    'b/Pool.kt::start#function': [],
  })
})
