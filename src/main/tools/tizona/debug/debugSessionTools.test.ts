import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { openDebugFolder, type DebugFolder } from '../../../debug/testing/debugFolder.ts'
import { runTool, testContext } from '../../testing/toolContext.ts'
import type { ToolContext } from '../../common/toolDefinition.ts'
import { countStops, stopsLeft } from './agentSession.ts'
import { debugRun } from './debugRun.ts'
import { debugSessionTools } from './debugSessionTools.ts'

// The real debugpy.

const sample = `class User:
    def __init__(self, name):
        self.name = name
        self.tags = {"a": 1, "b": [1, 2]}


def greet(user):
    text = "Hello " + user.name
    return text


ada = User("Ada")
message = greet(ada)
print(message)
`

let folder: DebugFolder
let context: ToolContext

beforeEach(async ({ skip }) => {
  folder = await openDebugFolder({
    'main.py': sample,
    'long.py': `rows = [["x" * 400] * 20 for _ in range(20)]\nprint("end")\n`,
    'count.py': 'for number in range(1000):\n    print(number)\n',
    'loop.py': 'import time\nwhile True:\n    time.sleep(0.01)\n',
  })
  onTestFinished(() => folder.close())
  const { missing } = (await folder.sessions.debuggers()).find(({ id }) => id === 'python') ?? {}
  if (missing !== undefined) skip(missing.reason)
  context = await testContext(folder.root, { debug: folder })
})

async function call(name: string, args: Record<string, unknown> = {}): Promise<string> {
  const tool = debugSessionTools.find((each) => each.name === name)
  if (tool === undefined) throw new Error(`There is no tool ${name}.`)
  return (await runTool(tool, args, context)).text
}

test('a session is started, stepped, looked at, changed and continued to its end', async () => {
  const started = await call('debug_start', { program: 'main.py', breakpoints: [{ path: 'main.py', line: 8 }] })
  expect(started).toContain('Stopped at main.py:8 in greet (breakpoint).')
  expect(started).toContain('user = <')
  expect(await call('debug_continue', { until: 'next' })).toContain('Stopped at main.py:9 in greet (step).')
  expect(await call('debug_stack')).toMatch(/^0\. main\.py:9 greet\n1\. main\.py:13 <module>$/)
  expect(await call('debug_variables', { path: ['user', 'tags'], depth: 2 })).toMatch(
    /'a' = 1[^]*'b' = \[1, 2\][^]* {2}0 = 1/,
  )
  expect(await call('debug_variables', { frame: 1, path: ['ada', 'name'] })).toBe("name = 'Ada'")
  await expect(call('debug_variables', { path: ['nobody'] })).rejects.toThrow('There is no "nobody".')
  expect(await call('debug_evaluate', { expression: 'text + "!"' })).toBe('text + "!" = \'Hello Ada!\'')
  expect(await call('debug_continue', { until: 'out' })).toContain('main.py:13')
  expect(await call('debug_continue', { until: 'line', line: 14 })).toContain('Stopped at main.py:14')
  const ended = await call('debug_continue')
  expect(ended).toContain('The program has ended with exit code 0.')
  expect(ended).toContain('Hello Ada')
  await expect(call('debug_stack')).rejects.toThrow('You have no running debug session.')
})

test('breakpoints are replaced and reported, and a program that runs is paused and stopped', async () => {
  const start = call('debug_start', { program: 'loop.py', breakpoints: [{ path: 'loop.py', line: 2 }] })
  expect(await start).toContain('Stopped at loop.py:2')
  expect(await call('debug_set_breakpoints', { breakpoints: [] })).toBe('All breakpoints were bound.')
  const running = call('debug_continue')
  await expect.poll(() => folder.sessions.running()[0]?.info().state).toBe('running')
  expect(await call('debug_pause')).toContain('loop.py')
  expect(await running).toContain('loop.py')
  // Without the exit code of a program that was killed.
  expect(await call('debug_stop')).toBe('The program has ended.')
  expect(folder.sessions.running()).toEqual([])
})

test('a conversation does not touch the session of another one', async () => {
  await call('debug_start', { program: 'main.py', breakpoints: [{ path: 'main.py', line: 8 }] })
  const first = context
  context = { ...context, conversationId: 'other' }
  await expect(call('debug_stack')).rejects.toThrow('You have no running debug session.')
  await call('debug_start', { program: 'loop.py', breakpoints: [{ path: 'loop.py', line: 2 }] })
  expect(await call('debug_stop')).toContain('The program has ended')
  context = first
  expect(await call('debug_stack')).toContain('main.py:8 greet')
})

test('when the user takes the session over, steps are refused and looking is not', async () => {
  await call('debug_start', { program: 'main.py', breakpoints: [{ path: 'main.py', line: 8 }] })
  folder.sessions.running()[0]?.setOwner('user')
  await expect(call('debug_continue')).rejects.toThrow(
    'The user has taken over the debug session. It has stopped at main.py:8 in greet.',
  )
  expect(await call('debug_variables', { path: ['user', 'name'] })).toBe("name = 'Ada'")
  folder.sessions.running()[0]?.setOwner('agent')
  expect(await call('debug_continue')).toContain('The program has ended')
})

test('a session that the user has taken over stays when another one is started', async () => {
  await call('debug_start', { program: 'main.py', breakpoints: [{ path: 'main.py', line: 8 }] })
  const [first] = folder.sessions.running()
  first?.setOwner('user')
  expect(await call('debug_start', { program: 'main.py', breakpoints: [{ path: 'main.py', line: 9 }] })).toContain(
    'main.py:9',
  )
  expect(first?.info().state).toBe('stopped')
  expect(await call('debug_stop')).toContain('The program has ended')
  expect(folder.sessions.running()).toEqual([first])
})

test('stops are bounded in a turn, over sessions and sub-agents, and the next turn has its own', async () => {
  const breakpoints = [{ path: 'count.py', line: 2 }]
  const run = async (own: ToolContext) =>
    (await runTool(debugRun, { program: 'count.py', breakpoints, max_hits: 4 }, own)).text
  context = { ...context, conversationId: 'c', turn: 'first' }
  // Earlier sessions of the turn.
  countStops(194, 'debug-0', context)
  expect(await run({ ...context, callId: 'one/sub-agent' })).toContain('4 stops')
  await call('debug_start', { program: 'count.py', breakpoints })
  expect(await call('debug_continue')).toContain('Stopped at count.py')
  const limit = 'Your programs have stopped 200 times since the last message of the user, which is the limit.'
  await expect(call('debug_continue')).rejects.toThrow(limit)
  await expect(call('debug_start', { program: 'count.py', breakpoints })).rejects.toThrow(limit)
  await expect(run(context)).rejects.toThrow(limit)
  // Looking at the program is possible.
  expect(await call('debug_variables')).toContain('number')
  expect(stopsLeft('', { ...context, conversationId: 'other', turn: 'another' })).toBe(200)
  context = { ...context, turn: 'second' }
  expect(await call('debug_continue')).toContain('Stopped at count.py')
  countStops(198, 'debug-0', context)
  // Fewer than max_hits are left.
  expect(await run(context)).toContain('1 stop.')
})

test('without turns, stops are bounded in a session', () => {
  const client = { ...context, turn: undefined }
  countStops(200, 'debug-1', client)
  expect(() => stopsLeft('debug-1', client)).toThrow('The program has stopped 200 times in this session')
  expect(stopsLeft('debug-2', client)).toBe(200)
  countStops(1, 'debug-2', client)
  expect(() => stopsLeft('debug-1', client)).toThrow('which is the limit')
})

test('many long variables are shortened to the size of a result', async () => {
  await call('debug_start', { program: 'long.py', breakpoints: [{ path: 'long.py', line: 2 }] })
  const text = await call('debug_variables', { depth: 2 })
  expect(text.length).toBeLessThan(8000)
  expect(text).toMatch(/\(\d+ lines left out\)$/)
  await call('debug_stop')
})

test('approval rules see what is evaluated', async () => {
  const line = async (name: string, args: Record<string, unknown>) => {
    const tool = debugSessionTools.find((each) => each.name === name)
    return (await tool?.commandLine?.(tool.schema.parse(args), context))?.command
  }
  expect(await line('debug_evaluate', { expression: 'f(1)' })).toBe("debugger-evaluate 'f(1)'")
  expect(await line('debug_set_breakpoints', { breakpoints: [{ path: 'a.py', line: 1, condition: 'x > 1' }] })).toBe(
    "debugger-evaluate 'x > 1'",
  )
  expect(await line('debug_set_breakpoints', { breakpoints: [{ path: 'a.py', line: 1 }] })).toBe('true')
})
