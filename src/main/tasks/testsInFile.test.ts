import { expect, it } from 'vitest'
import { testsInFile } from './testsInFile.ts'

const tests = (path: string, text: string, packageJson = '{"devDependencies":{"vitest":"5"}}') =>
  testsInFile(path, text, { packageJson, packageManager: 'npm' }).map(({ line, command }) => `${line} ${command}`)

it('the tests of a script run with the runner of the project, by their title', () => {
  const text =
    "import x\ndescribe('all', () => {\n  it('adds (1+1)', () => {})\n  test.only(\"it's\", () => {})\n  it(`x ${y}`)\n})\n"
  expect(tests('src/a.test.ts', text)).toEqual([
    String.raw`3 npx vitest run src/a.test.ts -t 'adds \(1\+1\)'`,
    `4 npx vitest run src/a.test.ts -t 'it'\\''s'`,
  ])
  expect(tests('a.spec.js', "test('a')", '{"devDependencies":{"jest":"1"}}')).toEqual(['1 npx jest a.spec.js -t a'])
  expect(tests('a.spec.js', "test('a')", '{"devDependencies":{"@playwright/test":"1"}}')).toEqual([
    '1 npx playwright test a.spec.js -g a',
  ])
  expect(tests('a.test.mjs', "test('a')", '{"scripts":{"test":"node --test"}}')).toEqual([
    '1 node --test --test-name-pattern a a.test.mjs',
  ])
  expect(tests('a.test.ts', "test('a')", '{}')).toEqual([])
})

it('functions and methods of pytest', () => {
  const text =
    'def test_a():\n    pass\n\nclass TestB:\n    async def test_c(self):\n        pass\n\ndef helper():\n    def test_x(): pass\n'
  expect(tests('t/test_a.py', text).slice(0, 2)).toEqual([
    '1 pytest t/test_a.py::test_a',
    '5 pytest t/test_a.py::TestB::test_c',
  ])
})

it('tests of Go and Rust', () => {
  expect(tests('pkg/a_test.go', 'func helper() {}\nfunc TestSum(t *testing.T) {\n')).toEqual([
    "2 go test -run '^TestSum$' ./pkg",
  ])
  expect(tests('src/lib.rs', 'fn a() {}\n#[test]\n#[ignore]\nfn sums() {}\n#[tokio::test]\nasync fn b() {}\n')).toEqual(
    ['4 cargo test sums', '6 cargo test b'],
  )
})

it('other files have none', () => {
  expect(tests('src/a.ts', "it('a')")).toEqual([])
  expect(tests('README.md', "it('a')")).toEqual([])
})
