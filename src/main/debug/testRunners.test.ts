import { cpSync } from 'node:fs'
import path from 'node:path'
import { env } from 'node:process'
import { expect, test } from 'vitest'
import { folderWithDebugger, startTarget, stoppedSession, topFrame, valueOf } from './testing/realDebugger.ts'

// "Debug this test" with real debuggers and test runners. `TIZONA_TEST_RUNNERS` is a folder in which
// `npm install vitest jest mocha` has run.

interface Sample {
  runner: string
  debugger: string
  programs?: readonly string[]
  /** Packages of npm. */
  packages?: readonly string[]
  files: Readonly<Record<string, string>>
  path: string
  test: string
  line: number
  expression: string
  value: string
  /** What the runner prints at the end. */
  output: RegExp
}

const script = (imports: string, assertion: string): string => `${imports}
test('adds prices', async () => {
  const sum = [1, 2].reduce((result, price) => result + price, 0)
  ${assertion}
})

test('is not run', () => {
  throw new Error('this test was run')
})
`
const inScript = { path: 'total.test.js', test: 'adds prices', line: 4, expression: 'sum', value: '3' }
const python = `import unittest


class Totals(unittest.TestCase):
    def test_total(self):
        total = sum([1, 2])
        self.assertEqual(total, 3)

    def test_other(self):
        raise Exception("this test was run")
`

const samples: readonly Sample[] = [
  {
    runner: 'pytest',
    debugger: 'python',
    programs: ['pytest'],
    files: { 'test_total.py': python, 'pytest.ini': '[pytest]\n' },
    path: 'test_total.py',
    test: 'Totals::test_total',
    line: 7,
    expression: 'total',
    value: '3',
    output: /1 passed/,
  },
  {
    runner: 'unittest',
    debugger: 'python',
    files: { 'test_total.py': python },
    path: 'test_total.py',
    test: 'Totals::test_total',
    line: 7,
    expression: 'total',
    value: '3',
    output: /Ran 1 test[^]*OK/,
  },
  {
    runner: 'go test',
    debugger: 'go',
    programs: ['go'],
    files: {
      'go.mod': 'module total\n\ngo 1.20\n',
      'sums/total_test.go': `package sums

import "testing"

func TestTotal(t *testing.T) {
	total := 1 + 2
	if total != 3 {
		t.Fatal(total)
	}
}

func TestTotalOther(t *testing.T) {
	t.Fatal("this test was run")
}
`,
    },
    path: 'sums/total_test.go',
    test: 'TestTotal',
    line: 7,
    expression: 'total',
    value: '3',
    output: /PASS/,
  },
  {
    runner: 'cargo test',
    debugger: 'lldb',
    programs: ['cargo'],
    files: {
      'Cargo.toml': '[package]\nname = "total"\nversion = "0.1.0"\nedition = "2021"\n',
      'src/lib.rs': `#[test]
fn adds() {
    let total = [1, 2].iter().sum::<i32>();
    assert_eq!(total, 3);
}

#[test]
fn fails() {
    panic!("this test was run");
}
`,
    },
    path: 'src/lib.rs',
    test: 'adds',
    line: 4,
    expression: 'total',
    value: '3',
    output: /1 passed/,
  },
  {
    ...inScript,
    runner: 'node:test',
    debugger: 'javascript',
    files: {
      'package.json': '{"type":"module"}',
      'total.test.js': script(
        `import { test } from 'node:test'; import assert from 'node:assert'`,
        'assert.equal(sum, 3)',
      ),
    },
    output: /pass 1/,
  },
  {
    ...inScript,
    runner: 'Vitest',
    debugger: 'javascript',
    packages: ['vitest'],
    files: {
      'package.json': '{"type":"module","devDependencies":{"vitest":"*"}}',
      'total.test.js': script(`import { expect, test } from 'vitest'`, 'expect(sum).toBe(3)'),
    },
    output: /1 passed/,
  },
  {
    ...inScript,
    runner: 'Vitest in TypeScript',
    debugger: 'javascript',
    packages: ['vitest'],
    files: {
      'package.json': '{"type":"module","devDependencies":{"vitest":"*"}}',
      'total.test.ts': script(
        `import { expect, test } from 'vitest'; interface Unused { name: string }`,
        'expect(sum as number).toBe(3)',
      ),
    },
    path: 'total.test.ts',
    output: /1 passed/,
  },
  {
    ...inScript,
    runner: 'Jest',
    debugger: 'javascript',
    packages: ['jest'],
    files: {
      'package.json': '{"devDependencies":{"jest":"*"}}',
      'total.test.js': script('', 'expect(sum).toBe(3)'),
    },
    output: /1 passed/,
  },
  {
    ...inScript,
    runner: 'Mocha',
    debugger: 'javascript',
    packages: ['mocha'],
    files: {
      'package.json': '{"devDependencies":{"mocha":"*"}}',
      'total.test.js': script(`const test = it, assert = require('node:assert')`, 'assert.equal(sum, 3)'),
    },
    output: /1 passing/,
  },
]

test.for(samples)(
  'a test of $runner stops at a breakpoint in its file, shows a value and passes',
  { timeout: 120_000 },
  async (sample, context) => {
    const runners = env['TIZONA_TEST_RUNNERS'] ?? ''
    if (sample.packages !== undefined && runners === '') context.skip('TIZONA_TEST_RUNNERS is not set')
    const folder = await folderWithDebugger(context, sample.debugger, sample.files, sample.programs)
    const { sessions, root } = folder
    if (sample.packages !== undefined)
      cpSync(path.join(runners, 'node_modules'), path.join(root, 'node_modules'), {
        recursive: true,
        verbatimSymlinks: true,
      })

    const { path: file, line } = sample
    await sessions.setLineBreakpoints(file, [{ id: 'stop', path: file, line, enabled: true }])
    await startTarget(folder, { kind: 'test', path: file, name: sample.test })
    const session = await stoppedSession(folder)
    expect(await topFrame(session)).toMatchObject({ path: file, line })
    expect(await valueOf(session, sample.expression)).toBe(sample.value)
    // In Rust, a line can have several breakpoints.
    await sessions.setLineBreakpoints(file, [])
    await session.control('continue')
    await expect.poll(() => sessions.running().length, { timeout: 20_000 }).toBe(0)
    expect(folder.text()).toMatch(sample.output)
    expect(folder.text()).not.toContain('this test was run')
  },
)
