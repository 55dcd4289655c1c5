import { execFileSync } from 'node:child_process'
import { env } from 'node:process'
import { expect, onTestFinished, test, type TestContext } from 'vitest'
import { findProgramByName, searchPathOf } from '../base/programSearch.ts'
import type { Configuration } from './configuration.ts'
import { debuggerTable } from './debuggerTable.ts'
import type { DebugSession } from './debugSession.ts'
import { openDebugFolder } from './testing/debugFolder.ts'

/** One program in each language, and where it is stopped. `TIZONA_JS_DEBUG` names dapDebugServer.js. */
interface Sample {
  debugger: string
  language: string
  files: Readonly<Record<string, string>>
  /** Programs that build it, and the command line. */
  build?: readonly string[]
  configuration(root: string): Configuration
  path: string
  line: number
  function: string
  /** A variable at the stop, with another value for it. */
  variable: string
  value: string
  expression: string
  result: string
}

const c = `#include <stdio.h>

static int total(int count) {
  int result = 0;
  for (int i = 1; i <= count; i++) {
    result += i;
  }
  return result;
}

int main(void) {
  printf("total %d\\n", total(3));
  return 0;
}
`

const rust = `fn total(count: i32) -> i32 {
    let mut result = 0;
    for i in 1..=count {
        result += i;
    }
    result
}

fn main() {
    println!("total {}", total(3));
}
`

const go = `package main

import "fmt"

func total(count int) int {
	result := 0
	for i := 1; i <= count; i++ {
		result += i
	}
	return result
}

func main() {
	fmt.Println("total", total(3))
}
`

const python = `def total(count):
    result = 0
    for i in range(1, count + 1):
        result += i
    return result

print("total", total(3))
`

const script = `function total(count) {
  let result = 0
  for (let i = 1; i <= count; i++) {
    result += i
  }
  return result
}
console.log('total', total(3))
`

const typescript = `function total(count: number): number {
  let result: number = 0
  for (let i = 1; i <= count; i++) {
    result += i
  }
  return result
}
console.log('total', total(3))
`

const common = { variable: 'result', value: '100', result: '1' }

const samples: readonly Sample[] = [
  {
    ...common,
    debugger: 'python',
    language: 'Python',
    files: { 'main.py': python },
    configuration: (root) => ({ program: `${root}/main.py` }),
    path: 'main.py',
    line: 4,
    function: 'total',
    expression: 'result + i',
  },
  {
    ...common,
    debugger: 'go',
    language: 'Go',
    files: { 'go.mod': 'module total\n\ngo 1.20\n', 'main.go': go },
    build: ['go', 'version'],
    configuration: (root) => ({ program: root }),
    path: 'main.go',
    line: 8,
    function: 'main.total',
    expression: 'result + i',
  },
  {
    ...common,
    debugger: 'lldb',
    language: 'C',
    files: { 'main.c': c },
    build: ['gcc', '-g', '-O0', 'main.c', '-o', 'main'],
    configuration: (root) => ({ program: `${root}/main` }),
    path: 'main.c',
    line: 6,
    function: 'total',
    expression: 'result + i',
  },
  {
    ...common,
    debugger: 'lldb',
    language: 'Rust',
    files: { 'main.rs': rust },
    build: ['rustc', '-g', 'main.rs', '-o', 'main'],
    configuration: (root) => ({ program: `${root}/main` }),
    path: 'main.rs',
    line: 4,
    function: 'main::total',
    expression: 'result + i',
  },
  {
    ...common,
    debugger: 'javascript',
    language: 'JavaScript',
    files: { 'main.js': script },
    configuration: (root) => ({ program: `${root}/main.js` }),
    path: 'main.js',
    line: 4,
    function: 'global.total',
    expression: 'result + i',
  },
  {
    ...common,
    debugger: 'javascript',
    language: 'TypeScript, with types stripped by Node',
    files: { 'package.json': '{"type":"module"}', 'main.ts': typescript },
    configuration: (root) => ({ program: `${root}/main.ts` }),
    path: 'main.ts',
    line: 4,
    function: 'total',
    expression: 'result + i',
  },
]

/** Skips the test if a program of the sample is missing. */
function skipIfMissing(context: TestContext, { build: [compiler] = [] }: Sample): void {
  if (compiler !== undefined && findProgramByName(compiler, searchPathOf(env)) === undefined)
    context.skip(`${compiler} is not installed`)
}

/** Finds a variable in the scopes of a frame. JavaScript has one for each block. */
async function find(session: DebugSession, frameId: number, name: string): Promise<{ scope: number; value: string }> {
  for (const { reference, expensive } of await session.scopes(frameId)) {
    const variables = expensive ? [] : await session.variables({ reference, start: 0, count: 100 })
    const found = variables.find((variable) => variable.name === name)
    if (found) return { scope: reference, value: found.value }
  }
  throw new Error(`${name} is not in scope.`)
}

test.for(samples)(
  '$debugger stops a program in $language, shows and changes a value, and lets it end',
  async (sample, context) => {
    const definition = debuggerTable.find(({ id }) => id === sample.debugger)
    if (definition === undefined) throw new Error(`There is no debugger ${sample.debugger}.`)
    skipIfMissing(context, sample)
    const folder = await openDebugFolder(sample.files, { scriptPath: () => env['TIZONA_JS_DEBUG'] ?? '' })
    onTestFinished(() => folder.close())
    const { sessions, root } = folder
    const status = (await sessions.debuggers()).find(({ id }) => id === definition.id)
    if (status?.missing) context.skip(status.missing.reason)
    const [compiler, ...args] = sample.build ?? []
    if (compiler !== undefined) execFileSync(compiler, args, { cwd: root })

    const { path, line } = sample
    await sessions.setLineBreakpoints(path, [{ id: 'stop', path, line, enabled: true }])
    const started = await sessions.start(
      {
        name: sample.language,
        debugger: definition,
        request: 'launch',
        configuration: { type: definition.types[0], cwd: root, ...sample.configuration(root) },
        owner: 'user',
      },
      AbortSignal.timeout(60_000),
    )
    // js-debug debugs nothing in its first session.
    await expect
      .poll(
        () =>
          sessions
            .running()
            .find((each) => each.info().state === 'stopped')
            ?.info().stop?.reason,
        { timeout: 20_000 },
      )
      .toBe('breakpoint')
    const session = sessions.running().find((each) => each.info().state === 'stopped') ?? started
    const info = session.info()
    // js-debug binds breakpoints after it has stopped at them.
    await expect.poll(() => session.info().breakpoints['stop']).toMatchObject({ verified: true })

    const [frame] = (await session.stack(info.stop?.threadId ?? 0, 0, 20)).frames
    expect(frame).toMatchObject({ path, line })
    expect(frame?.name).toContain(sample.function)
    expect((await find(session, frame?.id ?? 0, sample.variable)).value).toBe('0')
    expect(
      await session.evaluate({ expression: sample.expression, frameId: frame?.id, context: 'watch' }),
    ).toMatchObject({ value: sample.result })

    await session.control('next')
    await session.stoppedAfter(info.stopCount, AbortSignal.timeout(10_000))
    const [{ id: next } = { id: 0 }] = (await session.stack(session.info().stop?.threadId ?? 0, 0, 1)).frames
    const { scope } = await find(session, next, sample.variable)
    await session.setVariable(scope, sample.variable, sample.value)
    await sessions.setLineBreakpoints(path, [])
    await session.control('continue')
    await Promise.all([session.ended, started.ended])
    // After the step, `result` was 1 and became 100: the rest of 1 + 2 + 3 is added.
    expect(folder.text().replaceAll(/\r/g, '')).toContain('total 105')
    expect(sessions.running()).toEqual([])
  },
)

test('stopping a program of js-debug ends it where it is, instead of letting it run on', async (context) => {
  const definition = debuggerTable.find(({ id }) => id === 'javascript')
  if (definition === undefined) throw new Error('There is no debugger for JavaScript.')
  const folder = await openDebugFolder({ 'main.js': script }, { scriptPath: () => env['TIZONA_JS_DEBUG'] ?? '' })
  onTestFinished(() => folder.close())
  const { sessions, root } = folder
  const status = (await sessions.debuggers()).find(({ id }) => id === definition.id)
  if (status?.missing) context.skip(status.missing.reason)
  await sessions.setLineBreakpoints('main.js', [{ id: 'stop', path: 'main.js', line: 4, enabled: true }])
  await sessions.start(
    {
      name: 'main.js',
      debugger: definition,
      request: 'launch',
      configuration: { type: 'pwa-node', cwd: root, program: `${root}/main.js` },
      owner: 'user',
    },
    AbortSignal.timeout(60_000),
  )
  const stopped = (): DebugSession | undefined => sessions.running().find((each) => each.info().state === 'stopped')
  await expect.poll(stopped, { timeout: 20_000 }).toBeDefined()
  await sessions.stop(stopped()?.info().id ?? '')
  await expect.poll(() => sessions.running()).toEqual([])
  expect(folder.text()).not.toContain('total')
})
