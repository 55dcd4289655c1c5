import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { createEngine, type IndexEngine } from '../process/indexEngine.ts'

const grammars = fileURLToPath(new URL('../../../../resources/grammars', import.meta.url))
let data: Awaited<ReturnType<typeof temporaryFolder>>
let engine: IndexEngine

beforeAll(async () => {
  data = await temporaryFolder()
  engine = createEngine({
    root: data.root,
    database: path.join(data.root, 'index.db'),
    grammars,
    onNotice: (notice) => expect.unreachable(notice),
  })
})
afterAll(async () => {
  await engine.close()
  await data.remove()
})

const brought = async (file: string, before: string | null, after: string) =>
  (await engine.newSyntaxErrors([{ path: file, before, after }])).map(({ line, message }) => `${line}: ${message}`)

describe('an edit that introduces a syntax error', () => {
  test.each<[string, string, string, RegExp]>([
    ['a.ts', 'function f() {\n  return 1\n}\n', 'function f() {\n  return 1\n', /"}" is missing/],
    ['a.js', 'const a = [1, 2]\n', 'const a = [1, 2\nconst b = 3\n', /^[12]: /],
    ['a.tsx', 'const a = <b>x</b>\n', 'const a = <b>x</c\n', /^1: /],
    ['a.py', 'def f(a):\n    return a\n', 'def f(a:\n    return a\n', /^1: /],
    ['a.rs', 'fn main() {\n    run();\n}\n', 'fn main() {\n    run(;\n}\n', /^2: /],
    ['a.go', 'package a\n\nfunc f() {}\n', 'package a\n\nfunc f( {}\n', /^3: /],
    ['A.java', 'class A { int a; }\n', 'class A { int a }\n', /^1: ";" is missing/],
    ['a.c', 'int main(void) { return 0; }\n', 'int main(void) { return 0;\n', /"}" is missing/],
    ['a.rb', 'def f\n  1\nend\n', 'def f\n  1\n', /^[12]: /],
    ['a.sh', 'if true; then\n  ls\nfi\n', 'if true; then\n  ls\n', /./],
    ['a.json', '{"a": 1}\n', '{"a": 1,}\n', /^1: /],
    ['a.yaml', 'a: 1\n', 'a: [1\nb: 2\n', /./],
    ['a.toml', 'a = 1\n', 'a = \n', /^1: /],
  ])('is reported with its line in %s', async (file, before, after, message) => {
    expect(await brought(file, before, before)).toEqual([])
    expect((await brought(file, before, after))[0]).toMatch(message)
    expect((await brought(file, null, after))[0]).toMatch(message)
  })
})

test('does not report earlier errors, even on other lines', async () => {
  const broken = 'const a = (\n\nfunction ok() {}\n'
  expect(await brought('a.ts', broken, `// a comment\n\n${broken}`)).toEqual([])
  expect(await brought('a.ts', broken, '\nconst a = 1\nfunction ok() {}\n')).toEqual([])
})

test('reports none for C++ headers, JSON with comments, prose and unknown languages', async () => {
  expect(await brought('a.h', null, 'namespace a { class B { public: B(); }; }\n')).toEqual([])
  expect(await brought('tsconfig.json', null, '{\n  // why\n  "a": 1,\n}\n')).toEqual([])
  expect(await brought('a.md', null, '# (((\n')).toEqual([])
  expect(await brought('a.unknown', null, '(((\n')).toEqual([])
  expect(await brought('a.vue', null, '<template><p></template>')).toEqual([])
})

test('limits the errors caused by one mistake', async () => {
  expect((await brought('a.ts', null, 'const = \n'.repeat(2000))).length).toBeLessThanOrEqual(50)
})
