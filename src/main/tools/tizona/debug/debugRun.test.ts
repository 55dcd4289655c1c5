import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { openDebugFolder, type DebugFolder } from '../../../debug/testing/debugFolder.ts'
import { runTool, testContext } from '../../testing/toolContext.ts'
import type { ToolContext } from '../../common/toolDefinition.ts'
import { debugRun } from './debugRun.ts'

// The real debugpy.

const sample = `def total(items, rate):
    result = 0
    for item in items:
        result += item["price"]
    return result * rate


def main():
    items = [{"price": 2}, {"price": 3}, {"cost": 4}]
    print("start")
    print(total(items, 10))


if __name__ == "__main__":
    main()
`

let folder: DebugFolder
let context: ToolContext

beforeEach(async ({ skip }) => {
  folder = await openDebugFolder({
    'main.py': sample,
    'loop.py': 'count = 0\nwhile True:\n    count += 1\n',
    'comment.py': 'def f(x):\n    y = 1\n    # nothing here\n    return x + y\n\n\nf(1)\n',
    'long.py':
      'def f():\n' +
      `    ${Array.from({ length: 30 }, (_, index) => `v${index}`).join(' = ')} = 'a' * 400\n    b = 0\n    return 1 / b\n\n\nf()\n`,
    'test_sums.py':
      'import unittest\n\n\nclass Sums(unittest.TestCase):\n    def test_sum(self):\n        value = 1 + 1\n        self.assertEqual(value, 3)\n\n    def test_other(self):\n        pass\n',
    'test_total.py': 'from main import total\n\n\ndef test_total():\n    assert total([{"price": 2}], 3) == 7\n',
    'big.py':
      'big = list(range(10_000_000))\nloop = {}\nloop["self"] = loop\napi_key = "sk-123"\nsettings = {"key": "sk-abcdefgh12345"}\nlong = "sk-" + "a" * 5000\nprint("x" * 100_000)\nprint("end")\n',
  })
  onTestFinished(() => folder.close())
  const { missing } = (await folder.sessions.debuggers()).find(({ id }) => id === 'python') ?? {}
  if (missing !== undefined) skip(missing.reason)
  context = await testContext(folder.root, { debug: { sessions: folder.sessions, targets: folder.targets } })
})

const run = async (args: Record<string, unknown>): Promise<string> => (await runTool(debugRun, args, context)).text

test('values of expressions at a line, and the exception with its frames and locals', async () => {
  const text = await run({
    program: 'main.py',
    breakpoints: [{ path: 'main.py', line: 4, expressions: ['item', 'result', 'missing'] }],
  })
  expect(text).toContain('main.py: 4 stops. The program ended with exit code 1.')
  expect(text).toContain("1. main.py:4 total\n   item = {'price': 2}\n   result = 0\n   missing could not be evaluated")
  expect(text).toContain("2. main.py:4 total\n   item = {'price': 3}\n   result = 2")
  expect(text).toMatch(/4\. Exception: KeyError: 'price'\n {3}main\.py:4 total\n {3}main\.py:11 main/)
  expect(text).toContain('Output:\nstart')
  expect(folder.sessions.running()).toEqual([])
})

test('a condition stops only where it is true, locals are the default, and max_hits ends the program', async () => {
  const text = await run({
    program: 'main.py',
    breakpoints: [{ path: 'main.py', line: 4, condition: 'result == 2' }],
    max_hits: 1,
  })
  expect(text).toContain('1 stop. The program was ended because of max_hits.')
  expect(text).toContain("   item = {'price': 3}")
  expect(text).toContain('   rate = 10')
})

test('a breakpoint that is bound to another line still shows its expressions', async () => {
  const text = await run({
    program: 'comment.py',
    breakpoints: [{ path: 'comment.py', line: 3, expressions: ['x + 1'] }],
  })
  expect(text).toMatch(/1\. comment\.py:\d f\n {3}x \+ 1 = 2/)
  expect(text).toMatch(/comment\.py:3 was bound to line \d\./)
})

test('an exception with many long locals is shortened, not left out, and says how to see more', async () => {
  const text = await run({ program: 'long.py' })
  expect(text).toContain('1. Exception: ZeroDivisionError')
  expect(text).toContain('long.py:4 f')
  expect(text).toMatch(/\(\d+ lines left out\)/)
  expect(text).toContain('To see more of a long value, pass an expression')
  expect(text.length).toBeLessThan(8000)
})

test('a user who steps takes the run over, and it is not ended', async () => {
  const result = run({ program: 'loop.py' })
  await expect.poll(() => folder.sessions.running()[0]?.info().state, { timeout: 10_000 }).toBe('running')
  const [session] = folder.sessions.running()
  if (session === undefined) throw new Error('There is no session.')
  session.setOwner('user')
  await session.control('pause')
  expect(await result).toContain('The user took over the session.')
  await expect.poll(() => session.info().state, { timeout: 10_000 }).toBe('stopped')
  await session.stop()
})

test('a loop without end is paused, shown and ended at the time limit', async () => {
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  let waits = 0
  // The limit is shorter once the program has stopped at the breakpoint.
  const clock = vi
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation((ms) => timeout(ms > 30_000 && ms <= 60_000 && ++waits > 1 ? 1500 : ms))
  onTestFinished(() => clock.mockRestore())
  const text = await run({ program: 'loop.py', breakpoints: [{ path: 'loop.py', line: 1 }] })
  expect(text).toContain('The program was ended because it still ran after 60 s.')
  expect(text).toMatch(/Still running at\n {3}loop\.py:\d <module>\n {3}count = \d+/)
  expect(folder.sessions.running()).toEqual([])
})

test('an expression without end ends the run, and what was recorded before stays', async () => {
  const text = await run({
    program: 'main.py',
    breakpoints: [
      {
        path: 'main.py',
        line: 4,
        expressions: ['item', '[0 for _ in iter(int, 1)] if result == 2 else result', 'rate'],
      },
    ],
  })
  expect(text).toContain('main.py: 2 stops. The program was ended because an expression took too long.')
  expect(text).toContain("1. main.py:4 total\n   item = {'price': 2}")
  expect(text).toMatch(
    /2\. main\.py:4 total\n {3}item = \{'price': 3\}\n {3}\[0 for .* could not be evaluated: .*within 10 s/,
  )
  expect(folder.sessions.running()).toEqual([])
})

test('the card shows the breakpoints with their conditions and expressions', async () => {
  const preview = async (breakpoints: unknown[]) =>
    (await debugRun.preview?.(debugRun.schema.parse({ program: 'main.py', breakpoints }), context))?.view
  expect(await preview([{ path: 'main.py', line: 4, condition: 'result > 1', expressions: ['item', 'f()'] }])).toEqual({
    kind: 'page',
    text: 'Breakpoints:\nmain.py:4 if result > 1 shows item, f()',
  })
  expect(await preview([])).toBeUndefined()
})

test('the breakpoints of the user do not stop the run and stay', async () => {
  await folder.sessions.setLineBreakpoints('main.py', [{ id: 'user', path: 'main.py', line: 10, enabled: true }])
  const text = await run({ program: 'main.py', on_exception: false, breakpoints: [{ path: 'test_total.py', line: 5 }] })
  expect(text).toContain('0 stops. The program ended with exit code 1.')
  expect(text).toContain('KeyError')
  expect(folder.state().breakpoints.lines).toHaveLength(1)
})

test('a test is debugged by its name', async ({ skip }) => {
  const text = await run({ test: 'test_total.py::test_total', breakpoints: [{ path: 'main.py', line: 5 }] })
  if (text.includes('No module named')) skip('python3 has no pytest')
  expect(text).toContain('main.py:5 total')
  expect(text).toContain('   result = 2')
})

test('a test of unittest needs no pytest', async () => {
  const text = await run({
    test: 'test_sums.py::Sums::test_sum',
    breakpoints: [{ path: 'test_sums.py', line: 7, expressions: ['value'] }],
  })
  expect(text).toContain('1 stop. The program ended with exit code 1.')
  expect(text).toContain('test_sums.py:7 test_sum\n   value = 2')
  expect(text).toContain('AssertionError: 2 != 3')
  expect(text).toContain('Ran 1 test')
})

test('large, cyclic and secret values are short or left out, and so is long output', async () => {
  const text = await run({ program: 'big.py', breakpoints: [{ path: 'big.py', line: 8 }] })
  expect(text).toContain('big = [0, 1, 2')
  expect(text).toContain('loop = {')
  expect(text).not.toContain('sk-123')
  expect(text).toContain("settings = {'key': 'sk-[hidden]'}")
  // No part of a secret is shown that is longer than what is searched.
  expect(text).toMatch(/long = 'sk-\[hidden\]… \(/)
  expect(text).toContain('Output, last 1500 of')
  expect(text.length).toBeLessThan(8000)
})

test.each([
  [{}, 'Exactly one of'],
  [{ program: 'main.py', test: 'a.py::b' }, 'Exactly one of'],
  [{ test: 'test_total.py' }, 'does not name a test'],
  [{ program: '../outside.py' }, 'outside'],
  [{ program: 'missing.py' }, 'missing.py'],
  [{ configuration: 'None' }, 'None'],
])('%j is refused with the reason', async (args, message) => {
  await expect(run(args)).rejects.toThrow(message)
})

test('approval rules see the program, and code in expressions as a command of its own', async () => {
  const line = async (args: Record<string, unknown>) =>
    (await debugRun.commandLine?.(debugRun.schema.parse(args), context))?.command
  expect(await line({ program: 'main.py', args: ['a b'] })).toBe(`python3 ${folder.root}/main.py 'a b'`)
  expect(
    await line({
      program: 'main.py',
      breakpoints: [{ path: 'main.py', line: 4, expressions: ['item', 'a.b[0]', 'f()'] }],
    }),
  ).toBe(`python3 ${folder.root}/main.py && debugger-evaluate 'f()'`)
})
