import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { Configuration, DebuggerDefinition } from './debuggerDefinition.ts'
import { debuggerTable } from './debuggerTable.ts'
import type { DebugSession } from './debugSession.ts'
import { folderWithDebugger, startTarget, stoppedSession, topFrame, valueOf } from './testing/realDebugger.ts'

/** One program in each language, and where it is stopped. */
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
    debugger: 'gdb',
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

function definitionOf(id: string): DebuggerDefinition {
  const definition = debuggerTable.find((each) => each.id === id)
  if (definition === undefined) throw new Error(`There is no debugger ${id}.`)
  return definition
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
    const definition = definitionOf(sample.debugger)
    const [compiler, ...args] = sample.build ?? []
    const folder = await folderWithDebugger(
      context,
      sample.debugger,
      sample.files,
      compiler === undefined ? [] : [compiler],
    )
    const { sessions, root } = folder
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
    const session = await stoppedSession(folder)
    expect(session.info().stop?.reason).toBe('breakpoint')
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
    expect((await find(session, next, sample.variable)).value).toBe(sample.value)
    await sessions.setLineBreakpoints(path, [])
    await session.control('continue')
    await Promise.all([session.ended, started.ended])
    // After the step, `result` was 1 and became 100: the rest of 1 + 2 + 3 is added.
    expect(folder.text().replaceAll(/\r/g, '')).toContain('total 105')
    expect(sessions.running()).toEqual([])
  },
)

test.for(['lldb', 'gdb'])('%s stops when a variable changes', { timeout: 60_000 }, async (id, context) => {
  const sample = samples.find((each) => each.debugger === id && each.language === 'C')
  if (sample === undefined) throw new Error('There is no sample.')
  const folder = await folderWithDebugger(context, id, sample.files, ['gcc'])
  const { sessions, root } = folder
  execFileSync('gcc', sample.build?.slice(1) ?? [], { cwd: root })
  await sessions.setLineBreakpoints('main.c', [{ id: 'stop', path: 'main.c', line: 5, enabled: true }])
  const session = await sessions.start(
    {
      name: 'main',
      debugger: definitionOf(id),
      request: 'launch',
      configuration: { type: id, cwd: root, program: `${root}/main` },
      owner: 'user',
    },
    AbortSignal.timeout(60_000),
  )
  await stoppedSession(folder)
  if (!session.info().features.dataBreakpoints) context.skip('It has no data breakpoints.')
  const { scope } = await find(session, (await topFrame(session)).id, 'result')
  expect((await session.addDataBreakpoint(scope, 'result')).label).not.toBe('')
  await sessions.setLineBreakpoints('main.c', [])
  for (const value of ['1', '3']) {
    const { stopCount } = session.info()
    await session.control('continue')
    await session.stoppedAfter(stopCount, AbortSignal.timeout(10_000))
    expect(await valueOf(session, 'result')).toBe(value)
  }
  await session.removeDataBreakpoints()
  await session.control('continue')
  await session.ended
  expect(folder.text().replaceAll(/\r/g, '')).toContain('total 6')
})

test('stopping a program of js-debug ends it where it is, instead of letting it run on', async (context) => {
  const definition = definitionOf('javascript')
  const folder = await folderWithDebugger(context, 'javascript', { 'main.js': script })
  const { sessions, root } = folder
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
  await sessions.stop((await stoppedSession(folder)).info().id)
  await expect.poll(() => sessions.running()).toEqual([])
  expect(folder.text()).not.toContain('total')
})

interface LaunchSample {
  debugger: string
  programs: readonly string[]
  files: Readonly<Record<string, string>>
  /** Command line of the preLaunchTask. */
  task: string
  configuration: object
  path: string
  line: number
  expression: string
  value: string
}

const cWithArguments = `#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words) {
  const char *name = words[1];
  printf("%s %s %s\\n", name, getenv("FROM_FILE"), getenv("OWN"));
  return 0;
}
`
const cSample = {
  programs: ['gcc'],
  files: { 'main.c': cWithArguments },
  task: 'gcc -g -O0 main.c -o main && echo built > built.txt',
  path: 'main.c',
  line: 6,
  expression: 'count',
  value: '2',
}

/** Each program prints its first argument and its variables, and stops before that. */
const launchSamples: readonly LaunchSample[] = [
  {
    debugger: 'python',
    programs: [],
    files: {
      'main.py': 'import os, sys\nname = sys.argv[1]\nprint(name, os.environ["FROM_FILE"], os.environ["OWN"])\n',
    },
    task: 'echo built > built.txt',
    configuration: { type: 'debugpy', program: '${workspaceFolder}/main.py' },
    path: 'main.py',
    line: 3,
    expression: 'name',
    value: "'an argument'",
  },
  {
    debugger: 'go',
    programs: ['go'],
    files: {
      'go.mod': 'module total\n\ngo 1.20\n',
      'main.go': `package main

import (
	"fmt"
	"os"
)

func main() {
	name := os.Args[1]
	fmt.Println(name, os.Getenv("FROM_FILE"), os.Getenv("OWN"))
}
`,
    },
    task: 'echo built > built.txt',
    configuration: { type: 'go', mode: 'auto', program: '${workspaceFolder}' },
    path: 'main.go',
    line: 10,
    expression: 'name',
    value: '"an argument"',
  },
  { ...cSample, debugger: 'lldb', configuration: { type: 'lldb', program: '${workspaceFolder}/main' } },
  { ...cSample, debugger: 'gdb', configuration: { type: 'gdb', program: '${workspaceFolder}/main' } },
  {
    debugger: 'javascript',
    programs: ['node'],
    files: {
      'main.js': `const [, , name] = process.argv
console.log(name, process.env.FROM_FILE, process.env.OWN)
`,
    },
    task: 'echo built > built.txt',
    configuration: { type: 'node', program: '${workspaceFolder}/main.js' },
    path: 'main.js',
    line: 2,
    expression: 'name',
    value: "'an argument'",
  },
]

test.for(launchSamples)(
  '$debugger runs a configuration of launch.json with args, env, envFile and preLaunchTask',
  { timeout: 60_000 },
  async (sample, context) => {
    const folder = await folderWithDebugger(
      context,
      sample.debugger,
      {
        ...sample.files,
        '.vscode/launch.json': JSON.stringify({
          configurations: [
            {
              name: 'Run',
              request: 'launch',
              args: ['an argument'],
              env: { OWN: 'own value' },
              envFile: '${workspaceFolder}/values.txt',
              preLaunchTask: 'build',
              ...sample.configuration,
            },
          ],
        }),
        '.vscode/tasks.json': JSON.stringify({
          version: '2.0.0',
          tasks: [{ label: 'build', type: 'shell', command: sample.task }],
        }),
        'values.txt': 'FROM_FILE="value of the file"\nOWN=replaced\n',
      },
      sample.programs,
    )
    const { sessions, root } = folder
    const { path: file, line } = sample
    await sessions.setLineBreakpoints(file, [{ id: 'stop', path: file, line, enabled: true }])
    await startTarget(folder, { kind: 'configuration', name: 'Run' })
    const session = await stoppedSession(folder)
    expect(await topFrame(session)).toMatchObject({ path: file, line })
    expect(await valueOf(session, sample.expression)).toBe(sample.value)
    expect(await readFile(`${root}/built.txt`, 'utf8')).toBe('built\n')
    await session.control('continue')
    await expect.poll(() => sessions.running().length, { timeout: 20_000 }).toBe(0)
    expect(folder.text()).toContain('an argument value of the file own value')
  },
)

test(
  'js-debug stops in the script of a page in Chromium, and ends the browser',
  { timeout: 60_000 },
  async (context) => {
    const folder = await folderWithDebugger(
      context,
      'javascript',
      {
        'index.html': '<!doctype html><title>Total</title><script src="page.js"></script>',
        'page.js': script,
        '.vscode/launch.json': JSON.stringify({
          configurations: [{ name: 'Page', type: 'chrome', request: 'launch', file: '${workspaceFolder}/index.html' }],
        }),
      },
      ['chromium'],
    )
    const { sessions } = folder
    await sessions.setLineBreakpoints('page.js', [{ id: 'stop', path: 'page.js', line: 4, enabled: true }])
    const started = await startTarget(folder, { kind: 'configuration', name: 'Page' })
    const session = await stoppedSession(folder)
    expect(await topFrame(session)).toMatchObject({ path: 'page.js', line: 4 })
    expect(await valueOf(session, 'result')).toBe('0')
    expect(await valueOf(session, 'document.title')).toBe("'Total'")
    await sessions.setLineBreakpoints('page.js', [])
    await session.control('continue')
    await expect.poll(folder.text).toContain('total 6')
    await started.stop()
    await expect.poll(() => sessions.running().length).toBe(0)
  },
)

/** Each program asks for a name in its terminal, and greets. */
const terminalSamples: readonly Pick<
  LaunchSample,
  'debugger' | 'programs' | 'files' | 'task' | 'configuration' | 'path' | 'line' | 'expression' | 'value'
>[] = [
  {
    debugger: 'python',
    programs: [],
    files: { 'main.py': 'name = input("Name? ")\nlength = len(name)\nprint("Hello", name)\n' },
    task: 'true',
    configuration: { type: 'debugpy', program: '${workspaceFolder}/main.py', console: 'integratedTerminal' },
    path: 'main.py',
    line: 3,
    expression: 'length',
    value: '3',
  },
  {
    debugger: 'lldb',
    programs: ['gcc'],
    files: {
      'main.c': `#include <stdio.h>
#include <string.h>

int main(void) {
  char name[20];
  printf("Name? ");
  fflush(stdout);
  scanf("%19s", name);
  int length = (int)strlen(name);
  printf("Hello %s\\n", name);
  return 0;
}
`,
    },
    task: 'gcc -g -O0 main.c -o main',
    configuration: { type: 'lldb', program: '${workspaceFolder}/main', terminal: 'integrated' },
    path: 'main.c',
    line: 10,
    expression: 'length',
    value: '3',
  },
  {
    debugger: 'javascript',
    programs: ['node'],
    files: {
      'main.js': `const readline = require('node:readline')
const lines = readline.createInterface({ input: process.stdin, output: process.stdout })
lines.question('Name? ', (name) => {
  const length = name.length
  console.log('Hello', name)
  lines.close()
})
`,
    },
    task: 'true',
    configuration: { type: 'node', program: '${workspaceFolder}/main.js', console: 'integratedTerminal' },
    path: 'main.js',
    line: 5,
    expression: 'length',
    value: '3',
  },
  {
    debugger: 'go',
    programs: ['go'],
    files: {
      'go.mod': 'module hello\n\ngo 1.20\n',
      'main.go': `package main

import "fmt"

func main() {
	fmt.Print("Name? ")
	var name string
	fmt.Scanln(&name)
	length := len(name)
	fmt.Println("Hello", name, length)
}
`,
    },
    task: 'true',
    configuration: { type: 'go', program: '${workspaceFolder}', console: 'integratedTerminal' },
    path: 'main.go',
    line: 10,
    expression: 'length',
    value: '3',
  },
]

test.for(terminalSamples)(
  '$debugger runs a program in a terminal, where the user types its input',
  { timeout: 60_000 },
  async (sample, context) => {
    const configuration = { name: 'Run', request: 'launch', preLaunchTask: 'build', ...sample.configuration }
    const folder = await folderWithDebugger(
      context,
      sample.debugger,
      {
        ...sample.files,
        '.vscode/launch.json': JSON.stringify({ configurations: [configuration] }),
        '.vscode/tasks.json': JSON.stringify({
          tasks: [{ label: 'build', type: 'shell', command: sample.task }],
        }),
      },
      sample.programs,
    )
    const { sessions, jobs } = folder
    const { path: file, line } = sample
    await sessions.setLineBreakpoints(file, [{ id: 'stop', path: file, line, enabled: true }])
    const started = startTarget(folder, { kind: 'configuration', name: 'Run' })
    const terminal = () => jobs.list().find(({ command }) => command !== sample.task)
    const screen = (): string => jobs.backlog(terminal()?.id ?? '')
    // Delve builds the program first.
    await expect.poll(() => terminal() && screen(), { timeout: 40_000 }).toContain('Name?')
    jobs.input(terminal()?.id ?? '', 'Ada\r')

    const session = await stoppedSession(folder)
    expect(await topFrame(session)).toMatchObject({ path: file, line })
    expect(await valueOf(session, sample.expression)).toBe(sample.value)
    await session.control('continue')
    await started
    await expect.poll(() => sessions.running().length, { timeout: 20_000 }).toBe(0)
    await expect.poll(screen).toContain('Hello Ada')
    await expect.poll(() => terminal()?.exitCode).toBe(0)
    expect(folder.text()).toContain('The program runs in a terminal')
  },
)

test('a Go program that does not build is an error with the output of the compiler, in a terminal too', async (context) => {
  const folder = await folderWithDebugger(
    context,
    'go',
    {
      'go.mod': 'module wrong\n\ngo 1.20\n',
      'main.go': 'package main\n\nfunc main() { missing() }\n',
      '.vscode/launch.json': JSON.stringify({
        configurations: [{ name: 'Run', type: 'go', request: 'launch', program: '.', console: 'integratedTerminal' }],
      }),
    },
    ['go'],
  )
  await expect(startTarget(folder, { kind: 'configuration', name: 'Run' })).rejects.toMatchObject({
    detail: expect.stringContaining('undefined: missing'),
  })
  expect(folder.sessions.running()).toEqual([])
  await expect.poll(() => folder.jobs.list().filter(({ endedAt }) => endedAt === undefined)).toEqual([])
})

const shellFiles: Readonly<Record<string, string>> = {
  'first.js': "console.log('The first has ended')\n",
  'main.js': `process.stdout.write('Name? ')
process.stdin.once('data', (data) => {
  const name = String(data).trim()
  console.log('Hello', name)
  process.stdin.destroy()
})
`,
}

test.for([
  ['a command line', 'node first.js && sleep 2 && node main.js'],
  ['a shell', undefined],
])(
  'node-terminal debugs what %s starts in a terminal, one program after the other',
  { timeout: 60_000 },
  async ([, command], context) => {
    const configuration = { name: 'Run', type: 'node-terminal', request: 'launch', ...(command && { command }) }
    const folder = await folderWithDebugger(context, 'javascript', {
      ...shellFiles,
      '.vscode/launch.json': JSON.stringify({ configurations: [configuration] }),
    })
    const { sessions, jobs } = folder
    await sessions.setLineBreakpoints('main.js', [{ id: 'stop', path: 'main.js', line: 4, enabled: true }])
    await startTarget(folder, { kind: 'configuration', name: 'Run' })
    const terminal = () => jobs.list()[0]
    const screen = (): string => jobs.backlog(terminal()?.id ?? '')
    const type = (line: string): void => jobs.input(terminal()?.id ?? '', `${line}\r`)
    if (command === undefined) {
      type('node first.js')
      await expect.poll(screen, { timeout: 20_000 }).toContain('The first has ended')
      type('node main.js')
    }
    await expect.poll(screen, { timeout: 20_000 }).toContain('Name?')
    type('Ada')

    const session = await stoppedSession(folder)
    expect(await topFrame(session)).toMatchObject({ path: 'main.js', line: 4 })
    expect(await valueOf(session, 'name')).toBe("'Ada'")
    await session.control('continue')
    await expect.poll(screen).toContain('Hello Ada')
    if (command === undefined) type('exit')
    await expect.poll(() => sessions.running().length, { timeout: 20_000 }).toBe(0)
    await expect.poll(() => terminal()?.exitCode).toBe(0)
  },
)

const asking: Readonly<Record<string, string>> = {
  'main.py': 'print("Hello", input("Name? "))\n',
  '.vscode/launch.json': JSON.stringify({
    configurations: [
      { name: 'Run', type: 'debugpy', request: 'launch', program: 'main.py', console: 'integratedTerminal' },
    ],
  }),
}

test('a program in a terminal ends with its session, and the session with the terminal', async (context) => {
  const folder = await folderWithDebugger(context, 'python', asking)
  const { sessions, jobs } = folder
  for (const stop of ['session', 'terminal']) {
    const session = await startTarget(folder, { kind: 'configuration', name: 'Run' })
    const terminal = jobs.list().at(-1)?.id ?? ''
    await expect.poll(() => jobs.backlog(terminal), { timeout: 20_000 }).toContain('Name?')
    await (stop === 'session' ? session.stop() : jobs.stop(terminal))
    await expect.poll(() => sessions.running().length).toBe(0)
    await expect.poll(() => jobs.list().filter(({ endedAt }) => endedAt === undefined)).toEqual([])
  }
})

test('a program of the agent gets no terminal, and the console says that it has no input', async (context) => {
  const folder = await folderWithDebugger(context, 'python', asking)
  const signal = AbortSignal.timeout(30_000)
  const [options] = await folder.targets.resolve({ kind: 'configuration', name: 'Run' }, 'agent', signal)
  if (options === undefined) throw new Error('Nothing to start.')
  const session = await folder.sessions.start(options, signal)
  await session.stoppedAfter(0, signal)
  expect(session.info().stop).toMatchObject({ reason: 'exception' })
  await session.stop()
  expect(folder.text()).toContain('so it has no input')
  expect(folder.jobs.list()).toEqual([])
})
