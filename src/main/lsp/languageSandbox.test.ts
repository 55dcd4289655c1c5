import { chmod, mkdir, readFile } from 'node:fs/promises'
import { createServer, type AddressInfo, type Server } from 'node:net'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { pathExists } from '../base/smallFile.ts'
import { hasSandbox } from '../command/testing/sandboxedJobs.ts'
import { createFolderPrograms, type FolderPrograms } from '../settings/folderPrograms.ts'
import { temporaryFolder, writeTree } from '../tools/testing/toolContext.ts'
import type { LanguageServersDeps } from './languageServers.ts'
import { launchMode, type ModeInput } from './launchServer.ts'
import { openLanguageFolder, type LanguageFolder } from './testing/languageFolder.ts'

// Programs that the agent or a command could have written. Each tries what a server must not do and prints what worked.

let folder: LanguageFolder
let outside: Awaited<ReturnType<typeof temporaryFolder>>
let listener: Server
let connections = 0
const ownPath = process.env['PATH']
const plainPath = `/usr/bin:/bin:${path.dirname(process.execPath)}`
beforeEach(async () => {
  // Without servers that this machine has.
  process.env['PATH'] = plainPath
  connections = 0
  outside = await temporaryFolder({ 'secret.txt': 'key' })
  listener = createServer((socket) => {
    connections += 1
    socket.destroy()
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  process.env['PATH'] = ownPath
  await folder.close()
  await outside.remove()
  await new Promise((resolve) => listener.close(resolve))
})

/** Source of a CommonJS program that attacks and then ends. */
function attack(): string {
  const { port } = listener.address() as AddressInfo
  return `
    const fs = require('fs'), net = require('net')
    const attempt = (name, work) => { try { work(); console.error('WORKED ' + name) } catch (error) { console.error('failed ' + name) } }
    try {  fs.writeFileSync(${JSON.stringify(path.join(outside.root, 'written'))}, 'x') } catch { /* Elsewhere the sandbox has a folder in memory. */ }
    attempt('writing in the folder', () => fs.writeFileSync('written.txt', 'x'))
    attempt('reading outside', () => fs.readFileSync(${JSON.stringify(path.join(outside.root, 'secret.txt'))}))
    attempt('reading the environment of Tizona', () => fs.readFileSync('/proc/${process.pid}/environ'))
    const end = (how) => { console.error(how + ' connecting'); console.error('attack over'); process.exit(1) }
    net.connect(${port}, '127.0.0.1', () => end('WORKED')).on('error', () => end('failed'))
  `
}

/** Opens a file and waits until the server's program has tried everything. */
async function logOfAttack(file: string, server: string): Promise<string> {
  folder.open(file)
  const log = () => folder.languages.log(server).join('\n')
  await vi.waitFor(() => expect(log()).toContain('attack over'))
  return log()
}

async function expectNothingWorked(file: string, server: string): Promise<void> {
  const log = await logOfAttack(file, server)
  expect(log.match(/(?:WORKED|failed) .*/g)).toEqual([
    'failed writing in the folder',
    'failed reading outside',
    'failed reading the environment of Tizona',
    'failed connecting',
  ])
  expect(await pathExists(path.join(outside.root, 'written'))).toBe(false)
  expect(await pathExists(path.join(folder.root, 'written.txt'))).toBe(false)
  expect(connections).toBe(0)
}

const once = { times: { restarts: [] } }

describe('a server program of the folder runs in the sandbox, without network', () => {
  beforeEach(async ({ skip }) => {
    if (!(await hasSandbox())) {
      folder = await openLanguageFolder({})
      skip('no sandbox')
    }
  })

  it('if it is a package in node_modules', async () => {
    folder = await openLanguageFolder({ 'a.py': '', 'node_modules/basedpyright/langserver.index.js': attack() }, once)
    await expectNothingWorked('a.py', 'basedpyright')
  })

  it('if it is TypeScript with its platform package', async () => {
    const platform = `node_modules/@typescript/typescript-${process.platform}-${process.arch}`
    const program = `${platform}/lib/tsc`
    folder = await openLanguageFolder(
      {
        'a.ts': '',
        'node_modules/typescript/package.json': '{"version":"7.9.9"}',
        [`${platform}/package.json`]: '{"version":"7.9.9"}',
        [program]: `#!${process.execPath}\n${attack()}`,
      },
      once,
    )
    await chmod(path.join(folder.root, program), 0o755)
    await expectNothingWorked('a.ts', 'typescript')
  })

  it('if a server of Tizona loads a configuration that is a program', async () => {
    folder = await openLanguageFolder({ 'a.js': '', 'eslint.config.cjs': attack() }, once)
    await writeTree(path.join(folder.root, '.data/language-servers/vscode-langservers-extracted/node_modules'), {
      'vscode-langservers-extracted/lib/eslint-language-server/eslintServer.js':
        "require(process.cwd() + '/eslint.config.cjs')",
    })
    await expectNothingWorked('a.js', 'eslint')
  })

  it('if PATH has a folder of the folder', async () => {
    folder = await openLanguageFolder({ 'a.go': '', 'bin/gopls': `#!${process.execPath}\n${attack()}` }, once)
    await chmod(path.join(folder.root, 'bin/gopls'), 0o755)
    process.env['PATH'] = `${path.join(folder.root, 'bin')}:${plainPath}`
    await expectNothingWorked('a.go', 'gopls')
  })

  it('if the user configured one outside of the folder, too', async () => {
    const bin = path.join(outside.root, 'programs')
    await writeTree(outside.root, { 'programs/clangd': `#!${process.execPath}\n${attack()}` })
    await chmod(path.join(bin, 'clangd'), 0o755)
    folder = await openLanguageFolder({ 'a.c': '' }, once)
    process.env['PATH'] = `${bin}:${plainPath}`
    await expectNothingWorked('a.c', 'clangd')
  })
})

describe('a program of the folder', () => {
  const python = 'node_modules/basedpyright/langserver.index.js'
  const say = (text: string) => `console.error('${text}'); console.error('attack over'); process.exit(1)`
  const refused: string[] = []
  let programs: FolderPrograms

  async function openTrusted(files: Record<string, string>, options: Partial<LanguageServersDeps> = {}) {
    refused.length = 0
    await mkdir(path.join(outside.root, 'data'))
    folder = await openLanguageFolder(files, {
      ...once,
      ...options,
      programs: { isApproved: (file) => programs.isApproved(file), pending: () => programs.pending() },
    })
    programs = openPrograms()
  }
  const openPrograms = () =>
    createFolderPrograms({
      userData: path.join(outside.root, 'data'),
      root: folder.root,
      isTrusted: () => true,
      candidates: () => folder.languages.folderPrograms(),
      onPending: () => undefined,
      onRefused: (program) => refused.push(program),
      onNotice: () => undefined,
    })
  const status = (id: string) => folder.statuses().find((server) => server.id === id)

  it('that the agent wrote after the folder was trusted does not start until the user allows it', async () => {
    await openTrusted({ 'a.py': '' })
    expect(await programs.isApproved(path.join(folder.root, 'node_modules/.bin/x'))).toBe(false)
    await writeTree(folder.root, { [python]: say('started') })
    folder.open('a.py')
    await vi.waitFor(() => expect(status('basedpyright')).toMatchObject({ state: 'blocked' }))
    expect(status('basedpyright')?.detail).toBe(
      'basedpyright in this folder. It is new or has changed since you trusted this folder.',
    )
    expect(refused).toContain(python)
    await programs.approve(python)
    await folder.languages.refresh()
    expect(await logOfAttack('a.py', 'basedpyright')).toContain('started')
  })

  it('that was there when the folder was trusted starts, also after a restart, until a file of it changes', async () => {
    await openTrusted({
      'a.py': '',
      [python]: "require('./part.js')",
      'node_modules/basedpyright/part.js': "require('dependency')",
      'node_modules/basedpyright/package.json': '{"dependencies": {"dependency": "1"}}',
      'node_modules/dependency/index.js': say('as it was'),
    })
    const file = path.join(folder.root, python)
    expect(await programs.isApproved(file)).toBe(true)
    programs = openPrograms()
    expect(await programs.isApproved(file)).toBe(true)
    const part = path.join(folder.root, 'node_modules/basedpyright/part.js')
    const before = await readFile(part, 'utf8')
    await folder.write('node_modules/basedpyright/part.js', 'changed')
    expect(await programs.isApproved(file)).toBe(false)
    await folder.write('node_modules/basedpyright/part.js', before)
    expect(await programs.isApproved(file)).toBe(true)
    await folder.write('node_modules/dependency/index.js', 'changed')
    expect(await openPrograms().isApproved(file)).toBe(false)
  })

  it('that is a configuration of ESLint stops it when it changes, also in a folder below, until the user allows it', async () => {
    const eslint = '.data/language-servers/vscode-langservers-extracted/node_modules/vscode-langservers-extracted'
    await openTrusted({
      'a.js': '',
      'eslint.config.mjs': "import './rules.mjs'; import plugin from 'eslint-plugin-a'",
      'rules.mjs': '',
      'node_modules/eslint-plugin-a/index.js': '',
      'node_modules/eslint/package.json': '{}',
      [`${eslint}/lib/eslint-language-server/eslintServer.js`]: "console.error('started'); setInterval(() => {}, 1000)",
    })
    const config = path.join(folder.root, 'eslint.config.mjs')
    expect(await programs.isApproved(config)).toBe(true)
    folder.open('a.js')
    await vi.waitFor(() => expect(folder.languages.log('eslint').join('\n')).toContain('started'))

    await folder.write('eslint.config.mjs', 'export default [] // changed')
    folder.languages.filesChanged([{ path: 'eslint.config.mjs', change: 'changed', directory: false }])
    await vi.waitFor(() => expect(status('eslint')).toMatchObject({ state: 'blocked' }))
    expect(status('eslint')?.detail).toBe('eslint.config.mjs is new or has changed since you trusted this folder.')
    expect(refused).toEqual(['eslint.config.mjs'])
    await programs.approve('eslint.config.mjs')
    await writeTree(folder.root, { '.gitignore': 'sub', 'sub/eslint.config.js': '' })
    await folder.languages.refresh()
    await vi.waitFor(() => expect(status('eslint')?.detail).toMatch(/^sub\/eslint\.config\.js is new/))
    await programs.approve('sub/eslint.config.js')
    await writeTree(folder.root, { 'sub/node_modules/eslint/package.json': '{}' })
    await folder.languages.refresh()
    await vi.waitFor(() => expect(status('eslint')?.detail).toMatch(/^sub\/node_modules\/eslint\/package\.json is new/))
  })

  it('that is a changed TypeScript is replaced by that of Tizona', async () => {
    await openTrusted({ 'tsconfig.json': '{}', 'a.ts': 'const x: number = "a"\n' })
    await programs.isApproved('')
    const platform = `node_modules/@typescript/typescript-${process.platform}-${process.arch}`
    await writeTree(folder.root, {
      'node_modules/typescript/package.json': '{"version":"7.9.9"}',
      [`${platform}/package.json`]: '{"version":"7.9.9"}',
      [`${platform}/lib/${process.platform === 'win32' ? 'tsc.exe' : 'tsc'}`]: '#!/bin/sh\n',
    })
    folder.open('a.ts')
    await vi.waitFor(() => expect(folder.languages.problems('a.ts').problems).toHaveLength(1))
    expect(status('typescript')?.detail).toMatch(/included in Tizona\.$/)
  })

  it('does not start where there is no sandbox, unless the user named its server in the settings', async () => {
    let outsideSandbox = ''
    await openTrusted(
      { 'a.py': '', [python]: say('started') },
      {
        settings: () => ({
          enabled: true,
          maxMemoryMegabytes: 2048,
          registry: '',
          outsideSandbox,
          updateImportsOnFileMove: 'prompt',
        }),
      },
    )
    const { jobs } = folder
    vi.spyOn(jobs, 'unconfinedReason').mockResolvedValue('bubblewrap is not installed')
    folder.open('a.py')
    await vi.waitFor(() => expect(status('basedpyright')).toMatchObject({ state: 'blocked' }))
    expect(status('basedpyright')?.detail).toBe(
      'basedpyright in this folder. It only runs in the sandbox, and there is none: bubblewrap is not installed.',
    )
    outsideSandbox = 'gopls, basedpyright'
    await folder.languages.refresh()
    expect(await logOfAttack('a.py', 'basedpyright')).toContain('started')
  })
})

it('a server that Tizona installed can neither connect nor start programs where there is no sandbox', async () => {
  folder = await openLanguageFolder({ 'a.yaml': '' }, once)
  const { port } = listener.address() as AddressInfo
  vi.spyOn(folder.jobs, 'unconfinedReason').mockResolvedValue('bubblewrap is not installed')
  await writeTree(path.join(folder.root, '.data/language-servers/yaml-language-server/node_modules'), {
    'yaml-language-server/bin/yaml-language-server': `
      import { execFileSync, spawn } from 'node:child_process'
      import http from 'node:http'
      import net from 'node:net'
      const results = {}
      for (const [name, work] of Object.entries({
        spawn: () => spawn('true'), execFileSync: () => execFileSync('true'),
        connect: () => net.connect(${port}), http: () => http.get('http://127.0.0.1:${port}'),
      })) try { work(); results[name] = 'WORKED' } catch (error) { results[name] = error.code }
      results.fetch = await fetch('http://127.0.0.1:${port}').then(() => 'WORKED', () => 'EACCES')
      console.error(JSON.stringify(results)); console.error('attack over'); process.exit(1)`,
    'yaml-language-server/package.json': '{"type":"module"}',
  })
  expect(await logOfAttack('a.yaml', 'yaml')).toContain(
    '{"spawn":"EACCES","execFileSync":"EACCES","connect":"EACCES","http":"EACCES","fetch":"EACCES"}',
  )
  expect(connections).toBe(0)
})

describe('how a server runs', () => {
  const refusal = (reason: string) => ({ refused: `It only runs in the sandbox, and ${reason}.` })
  const input = (change: Partial<ModeInput>): ModeInput => ({
    program: { kind: 'script', origin: 'tizona' },
    runsFolderCode: false,
    allowedOutside: false,
    unconfined: undefined,
    hasNode: true,
    ...change,
  })
  beforeEach(async () => {
    folder = await openLanguageFolder({})
  })

  it('depends on who installed it, what it runs and whether there is a sandbox', () => {
    const unconfined = 'turned off in the settings'
    const none = refusal(`there is none: ${unconfined}`)
    const native = { kind: 'native' } as const
    const cases: [Partial<ModeInput>, ReturnType<typeof launchMode>][] = [
      [{}, 'required'],
      [{ program: { ...native, origin: 'workspace' } }, 'required'],
      [{ program: { ...native, origin: 'machine' } }, 'required'],
      [{ allowedOutside: true }, 'none'],
      [{ unconfined }, 'guarded'],
      [{ unconfined, program: { ...native, origin: 'tizona' } }, 'preferred'],
      [{ unconfined, runsFolderCode: true }, none],
      [{ unconfined, program: { ...native, origin: 'machine' } }, none],
      [{ unconfined, program: { kind: 'script', origin: 'workspace' } }, none],
      [{ unconfined, program: { ...native, origin: 'workspace' } }, none],
      [{ hasNode: false }, 'guarded'],
      [{ hasNode: false, runsFolderCode: true }, refusal('there is no Node.js on PATH for it')],
      [
        { hasNode: false, program: { kind: 'script', origin: 'workspace' } },
        refusal('there is no Node.js on PATH for it'),
      ],
    ]
    for (const [change, mode] of cases) expect(launchMode(input(change)), JSON.stringify(change)).toEqual(mode)
  })
})
