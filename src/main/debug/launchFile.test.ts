import { symlink } from 'node:fs/promises'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { DebugOwner } from '../../shared/debug/debug.ts'
import { findProgramByName, searchPathOf } from '../base/programSearch.ts'
import type { StartOptions } from './startDebugger.ts'
import { openDebugFolder, type DebugFolder } from './testing/debugFolder.ts'

const never = new AbortController().signal
let folder: DebugFolder

async function open(launch: object, files: Record<string, string> = {}): Promise<void> {
  folder = await openDebugFolder({ '.vscode/launch.json': JSON.stringify(launch), ...files }, {}, () => ({
    path: 'src/a.py',
    line: 3,
    selection: '',
  }))
  onTestFinished(() => folder.close())
}
const resolve = (name: string, inputs: Record<string, string> = {}, owner: DebugOwner = 'user') =>
  folder.targets.resolve({ kind: 'configuration', name, inputs }, owner, never)
const one = (configuration: object) => ({
  configurations: [{ name: 'A', type: 'debugpy', request: 'launch', ...configuration }],
})

it('variables, words, the part for this platform and ignored attributes', async () => {
  await open(
    one({
      program: '${file}',
      args: '--name "a b"',
      presentation: {},
      serverReadyAction: {},
      linux: { justMyCode: false },
      windows: { program: '${config:x}' },
    }),
  )
  const [start] = await resolve('A')
  expect(start).toMatchObject({ name: 'A', request: 'launch', owner: 'user', debugger: { id: 'python' } })
  expect(start?.configuration).toEqual({
    name: 'A',
    type: 'debugpy',
    request: 'launch',
    program: path.join(folder.root, 'src/a.py'),
    args: ['--name', 'a b'],
    cwd: folder.root,
    ...(process.platform === 'linux' && { justMyCode: false }),
  })
})

it('env replaces variables of envFile, and null removes them', async () => {
  await open(one({ envFile: '${workspaceFolder}/vars.txt', env: { A: 'own', B: null, N: 1 } }), {
    'vars.txt': 'A=1\nB=2\nC=3',
  })
  expect((await resolve('A'))[0]?.configuration['env']).toEqual({ A: 'own', C: '3', N: '1' })
})

it('an envFile outside the workspace is refused, also behind a link', async () => {
  await open({
    configurations: ['/etc/hostname', 'link', '../x', 'none'].map((envFile) => ({
      name: envFile,
      type: 'debugpy',
      request: 'launch',
      envFile,
    })),
  })
  await symlink('/etc/hostname', path.join(folder.root, 'link'))
  for (const name of ['/etc/hostname', 'link', '../x'])
    await expect(resolve(name)).rejects.toMatchObject({ code: 'outside_workspace' })
  await expect(resolve('none')).rejects.toThrow('The envFile none does not exist')
})

it('a configuration that attaches runs outside the sandbox, without attributes that run programs', async () => {
  const attach = { type: 'lldb', request: 'attach', initCommands: ['shell id'], sourceMap: [] }
  await open({
    configurations: [
      { name: 'A', ...attach, pid: '7' },
      { name: 'Remote', ...attach, type: 'debugpy', connect: { host: 'example.com', port: 1 } },
      { name: 'Nowhere', ...attach },
    ],
  })
  const [start] = await resolve('A')
  expect(start).toMatchObject({ access: 'outside', request: 'attach' })
  expect(start?.configuration).toEqual({ name: 'A', type: 'lldb', request: 'attach', sourceMap: [], pid: 7 })
  await expect(resolve('Remote')).rejects.toThrow('not on example.com')
  await expect(resolve('Nowhere')).rejects.toThrow('has neither a port nor a process ID')
  await expect(resolve('A', {}, 'agent')).rejects.toMatchObject({ code: 'refused' })
})

it('a secret envFile is for people only', async () => {
  await open(one({ envFile: '.env' }), { '.env': 'KEY=secret' })
  expect((await resolve('A'))[0]?.configuration['env']).toEqual({ KEY: 'secret' })
  await expect(resolve('A', {}, 'agent')).rejects.toMatchObject({ code: 'refused' })
})

it('inputs are listed, answered by label, and checked', async () => {
  await open({
    ...one({ program: '${input:file}', args: ['${input:level}'] }),
    inputs: [
      { id: 'file', type: 'promptString', description: 'Which file?', default: 'main.py' },
      { id: 'level', type: 'pickString', options: ['low', { label: 'High', value: '9' }], default: '9' },
      { id: 'unused', type: 'command', command: 'x' },
    ],
  })
  expect(await folder.targets.inputs('A')).toEqual([
    { id: 'file', kind: 'text', description: 'Which file?', default: 'main.py' },
    { id: 'level', kind: 'pick', description: 'level', options: ['low', 'High'], default: 'High' },
  ])
  const [start] = await resolve('A', { level: 'High', file: '${env:LANG}' })
  expect(start?.configuration).toMatchObject({ program: '${env:LANG}', args: ['9'] })
  expect((await resolve('A'))[0]?.configuration).toMatchObject({ program: 'main.py', args: ['9'] })
  await expect(resolve('A', { level: 'x' })).rejects.toThrow('"x" is not an option')
})

it('an input that runs a command, a missing one, and pickProcess are refused by name', async () => {
  const inputs = [{ id: 'c', type: 'command', command: 'x' }]
  await open({
    configurations: ['${input:c}', '${input:none}', '${command:pickProcess}', '${config:a.b}'].map((program) => ({
      name: program,
      type: 'debugpy',
      request: 'launch',
      program,
    })),
    inputs,
  })
  await expect(resolve('${input:c}')).rejects.toThrow('The input "c" runs a VS Code command')
  await expect(resolve('${input:none}')).rejects.toThrow('.vscode/launch.json does not define the input "none"')
  await expect(resolve('${command:pickProcess}')).rejects.toMatchObject({
    next: expect.stringContaining('Attach to a'),
  })
  await expect(resolve('${config:a.b}')).rejects.toThrow('${config:a.b}')
})

it('a compound resolves to its configurations, with its task before the first', async () => {
  const member = { type: 'debugpy', request: 'launch', program: 'a.py' }
  await open(
    {
      configurations: [
        { name: 'A', ...member },
        { name: 'B', ...member, preLaunchTask: 'build' },
      ],
      compounds: [{ name: 'Both', configurations: ['A', 'B'], stopAll: true, preLaunchTask: 'first' }],
    },
    {
      '.vscode/tasks.json':
        '{"tasks": [{"label": "first", "command": "echo first"}, {"label": "build", "command": "echo build"}]}',
    },
  )
  const starts = await resolve('Both')
  expect(starts.map(({ name, preparation }) => [name, preparation?.commands])).toEqual([
    ['A', ['echo first']],
    ['B', ['echo build']],
  ])
  expect(starts[0]?.stopsWith).toBeDefined()
  expect(starts[1]?.stopsWith).toBe(starts[0]?.stopsWith)
  // Resolving runs nothing.
  expect(folder.jobs.list()).toEqual([])
})

it('an unknown configuration and a task that does not exist are errors', async () => {
  await open(one({ preLaunchTask: 'none' }))
  await expect(resolve('B')).rejects.toThrow('has no configuration "B"')
  await expect(resolve('A')).rejects.toThrow('There is no task "none"')
})

const program = `import os, sys
print(sys.argv[1:], os.environ["GREETING"], open("built.txt").read())
`

it('debugpy runs a configuration with envFile, args, preLaunchTask, postDebugTask and inputs', async ({ skip }) => {
  await open(
    {
      ...one({
        program: '${workspaceFolder}/main.py',
        args: '--level ${input:level}',
        envFile: 'vars.txt',
        preLaunchTask: 'build',
        postDebugTask: 'clean',
      }),
      inputs: [{ id: 'level', type: 'pickString', options: ['1', '2'] }],
    },
    {
      'main.py': program,
      'vars.txt': 'export GREETING="hello world"',
      '.vscode/tasks.json': JSON.stringify({
        tasks: [
          { label: 'build', command: 'printf built-${input:level} > built.txt' },
          { label: 'clean', command: 'touch cleaned.txt' },
        ],
      }).replace('"tasks"', '"inputs":[{"id":"level","type":"promptString"}],"tasks"'),
    },
  )
  const { missing } = (await folder.sessions.debuggers()).find(({ id }) => id === 'python') ?? {}
  if (missing !== undefined) skip(missing.reason)
  const [start] = await resolve('A', { level: '2' })
  if (start === undefined) throw new Error('Nothing to start.')
  const session = await folder.sessions.start(start, AbortSignal.timeout(60_000))
  await session.ended
  expect(folder.text()).toContain("['--level', '2'] hello world built-2")
  await expect.poll(() => folder.jobs.list().map(({ command }) => command)).toContain('touch cleaned.txt')
})

it('a failing preLaunchTask stops the start, before the debugger starts', async ({ skip }) => {
  await open(one({ program: 'main.py', preLaunchTask: 'build' }), {
    'main.py': '',
    '.vscode/tasks.json': '{"tasks": [{"label": "build", "command": "echo broken; exit 5"}]}',
  })
  const { missing } = (await folder.sessions.debuggers()).find(({ id }) => id === 'python') ?? {}
  if (missing !== undefined) skip(missing.reason)
  const [start] = await resolve('A')
  if (start === undefined) throw new Error('Nothing to start.')
  await expect(folder.sessions.start(start, never)).rejects.toMatchObject({
    message: 'The task "build" failed with exit code 5.',
    detail: 'broken',
  })
  expect(folder.sessions.state().sessions).toEqual([])
})

it('the end of one session of a compound with stopAll ends the others', async ({ skip }) => {
  const common = { type: 'debugpy', request: 'launch' }
  await open(
    {
      configurations: [
        { name: 'Long', ...common, program: 'long.py' },
        { name: 'Short', ...common, program: 'short.py' },
      ],
      compounds: [{ name: 'Both', configurations: ['Long', 'Short'], stopAll: true }],
    },
    { 'long.py': 'import time\ntime.sleep(300)\n', 'short.py': 'print("short")\n' },
  )
  const { missing } = (await folder.sessions.debuggers()).find(({ id }) => id === 'python') ?? {}
  if (missing !== undefined) skip(missing.reason)
  for (const start of await resolve('Both')) await folder.sessions.start(start, AbortSignal.timeout(60_000))
  await expect.poll(() => folder.sessions.running().length, { timeout: 20_000 }).toBe(0)
  expect(folder.text()).toContain('short')
})

it('a background preLaunchTask runs until the user ends it, and a later start uses it', async ({ skip }) => {
  const common = { type: 'debugpy', request: 'launch' }
  await open(
    {
      configurations: [
        { name: 'Short', ...common, program: 'short.py', postDebugTask: 'after' },
        { name: 'Long', ...common, program: 'long.py' },
        { name: 'Wrong', ...common, python: '/none', program: 'long.py', preLaunchTask: 'watch' },
      ],
      compounds: [{ name: 'Both', configurations: ['Short', 'Long'], preLaunchTask: 'watch' }],
    },
    {
      'short.py': 'print("short")\n',
      'long.py': 'import time\ntime.sleep(300)\n',
      '.vscode/tasks.json': JSON.stringify({
        tasks: [
          {
            label: 'watch',
            command: 'echo ready; sleep 300',
            isBackground: true,
            problemMatcher: { background: { endsPattern: 'ready' } },
          },
          { label: 'after', command: 'touch after.txt' },
        ],
      }),
    },
  )
  const { missing } = (await folder.sessions.debuggers()).find(({ id }) => id === 'python') ?? {}
  if (missing !== undefined) skip(missing.reason)
  const start = (options: StartOptions) => folder.sessions.start(options, AbortSignal.timeout(60_000))
  const tasks = () => folder.jobs.list().filter(({ endedAt }) => endedAt === undefined)
  const [short, long] = await resolve('Both')
  if (short === undefined || long === undefined) throw new Error('Nothing to start.')

  // The first session of the compound ends before the second one starts.
  await (
    await start(short)
  ).ended
  await expect.poll(() => folder.jobs.list().find(({ command }) => command === 'touch after.txt')?.exitCode).toBe(0)
  const [task] = tasks()
  expect(task?.command).toBe('echo ready; sleep 300')
  await (await start(long)).stop()
  await expect.poll(() => folder.sessions.running()).toEqual([])

  // A failed start does not end it either, and it is not started twice.
  const [wrong] = await resolve('Wrong')
  if (wrong === undefined) throw new Error('Nothing to start.')
  await expect(start(wrong)).rejects.toThrow()
  await expect.poll(() => tasks().map(({ id }) => id)).toEqual([task?.id])
  await folder.jobs.stop(task?.id ?? '')
  expect(tasks()).toEqual([])
})

const cargoFiles = {
  'Cargo.toml': '[package]\nname = "sum"\nversion = "0.1.0"\nedition = "2021"\n',
  'src/lib.rs': `pub fn total(count: i32) -> i32 {
    (1..=count).sum()
}

#[test]
fn totals() {
    println!("total {}", total(3));
    assert_eq!(total(3), 6);
}
`,
  'tests/other.rs': '#[test]\nfn other() {}\n',
}

it('a Rust test is built with Cargo in the sandbox and debugged with LLDB', { timeout: 60_000 }, async ({ skip }) => {
  if (findProgramByName('cargo', searchPathOf(process.env)) === undefined) skip('cargo is not installed')
  await open({ configurations: [] }, cargoFiles)
  const { missing } = (await folder.sessions.debuggers()).find(({ id }) => id === 'lldb') ?? {}
  if (missing !== undefined) skip(missing.reason)
  const target = { kind: 'test', path: 'src/lib.rs', name: 'totals' } as const
  const [start] = await folder.targets.resolve(target, 'user', never)
  if (start === undefined) throw new Error('Nothing to start.')
  expect(start.preparation?.commands).toEqual(['cargo test --no-run --message-format=json-render-diagnostics'])
  const session = await folder.sessions.start(start, AbortSignal.timeout(50_000))
  await session.ended
  expect(folder.text()).toContain('1 passed; 0 failed')
})

it('a build that fails is an error with the output of the compiler', { timeout: 60_000 }, async ({ skip }) => {
  if (findProgramByName('cargo', searchPathOf(process.env)) === undefined) skip('cargo is not installed')
  await open(
    { configurations: [{ name: 'A', type: 'lldb', request: 'launch', cargo: { args: ['build', '--lib'] } }] },
    { ...cargoFiles, 'src/lib.rs': 'fn x() -> i32 { "text" }' },
  )
  const { missing } = (await folder.sessions.debuggers()).find(({ id }) => id === 'lldb') ?? {}
  if (missing !== undefined) skip(missing.reason)
  const [start] = await resolve('A')
  if (start === undefined) throw new Error('Nothing to start.')
  await expect(folder.sessions.start(start, AbortSignal.timeout(50_000))).rejects.toMatchObject({
    message: expect.stringContaining('cargo build --lib'),
    detail: expect.stringContaining('mismatched types'),
  })
})
