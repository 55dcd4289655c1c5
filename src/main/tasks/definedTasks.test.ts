import { describe, expect, it } from 'vitest'
import { definedTasks, type TaskFiles } from './definedTasks.ts'

const variables = { root: '/w', home: '/home/me', environment: {}, active: null, inputs: {} }

const tasks = (files: Record<string, string>, entries: string[] = []) =>
  definedTasks(new Map(Object.entries(files)) as TaskFiles, entries, variables).map(
    ({ name, command, source }) => `${source}: ${name} = ${command}`,
  )

it('the scripts of package.json run with the package manager of the lock file', () => {
  const files = { 'package.json': '{"scripts":{"build":"vite build","a b;c":"x"}}' }
  expect(tasks(files)).toEqual(['package.json: build = npm run build', "package.json: a b;c = npm run 'a b;c'"])
  expect(tasks(files, ['pnpm-lock.yaml'])[0]).toBe('package.json: build = pnpm run build')
})

it('the targets of a Makefile are listed once, without variables, patterns and directives', () => {
  const text = '.PHONY: all\nCC := gcc\nall: a.o\n\tcc\n%.o: %.c\nclean:\n\trm a.o\nall: b.o\n'
  expect(tasks({ Makefile: text })).toEqual(['Makefile: all = make all', 'Makefile: clean = make clean'])
})

it('the recipes of a justfile without parameters, and the commands of Cargo', () => {
  expect(tasks({ justfile: 'x := "1"\nbuild:\n  cc\n@lint: build\n_private:\ntest name:\n' })).toEqual([
    'justfile: build = just build',
    'justfile: lint = just lint',
  ])
  expect(tasks({ 'Cargo.toml': '' })[0]).toBe('Cargo.toml: build = cargo build')
})

it('a task knows the active file, and leaves names like ${HOME} to the shell', () => {
  const text = JSON.stringify({
    tasks: [{ label: 'a', command: 'echo ${HOME}', args: ['${relativeFile}:${lineNumber}'] }],
  })
  const active = { path: 'a b/c.ts', line: 3, selection: '' }
  expect(definedTasks(new Map([['.vscode/tasks.json', text]]), [], { ...variables, active })).toEqual([
    { name: 'a', command: "echo ${HOME} 'a b/c.ts:3'", source: '.vscode/tasks.json' },
  ])
})

describe('tasks.json', () => {
  const file = (...list: object[]) => ({ '.vscode/tasks.json': JSON.stringify({ version: '2.0.0', tasks: list }) })

  it('has shell commands, processes and scripts, with arguments as words', () => {
    expect(
      tasks(
        file(
          { label: 'Serve', type: 'shell', command: 'python3 -m http.server', args: ['80 80'] },
          { label: 'Run', type: 'process', command: '${workspaceFolder}/run me', options: { cwd: 'a b' } },
          { label: 'Test', type: 'npm', script: 'test' },
        ),
      ),
    ).toEqual([
      ".vscode/tasks.json: Serve = python3 -m http.server '80 80'",
      ".vscode/tasks.json: Run = cd 'a b' && '/w/run me'",
      '.vscode/tasks.json: Test = npm run test',
    ])
  })

  it('leaves out commands that look different from what runs', () => {
    const commands = ['ls \u202e', 'ls\u00a0-la', 'ls\u200b', 'ls -la']
    expect(tasks(file(...commands.map((command) => ({ label: 'a', type: 'shell', command }))))).toEqual([
      '.vscode/tasks.json: a = ls -la',
    ])
  })

  it('may have comments and trailing commas', () => {
    expect(tasks({ '.vscode/tasks.json': '{\n// all\n"tasks": [{"label":"a","command":"x",},],}' })).toEqual([
      '.vscode/tasks.json: a = x',
    ])
  })

  it('leaves out unknown types and variables, and everything else that is not a task', () => {
    expect(
      tasks(
        file(
          { label: 'a', command: '${file}' },
          { label: 'b', type: 'gulp', task: 'x' },
          { label: 'c' },
          [],
          7 as never,
        ),
      ),
    ).toEqual([])
    for (const text of ['', 'x', '[]', '{"tasks":7}', 'null']) expect(tasks({ '.vscode/tasks.json': text })).toEqual([])
  })
})

it('a command with control characters is left out, because a terminal takes them as keys', () => {
  expect(tasks({ 'package.json': '{"scripts":{"a\\nrm -rf x":"1","b\\u001b":"2","c":"3"}}' })).toEqual([
    'package.json: c = npm run c',
  ])
})

it('a hostile file that is nearly JSON takes a moment, and defines no task', () => {
  const before = process.cpuUsage()
  for (const part of ['a=\n', '1\n', '[a]\n', '[', '{"tasks":'])
    expect(tasks({ '.vscode/tasks.json': part.repeat(Math.floor((1024 * 1024) / part.length)) })).toEqual([])
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(5000)
})
