import { execFileSync } from 'node:child_process'
import { lstat, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createCore, type Core } from '../core.ts'
import type { ModelDownload } from '../../shared/models/firstSteps.ts'
import { serve } from '../model/testing/modelServer.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'

const never = new AbortController().signal
const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** A core with one Ollama endpoint at `url`, and the folder of `files` open. */
async function open(url: string, files: Record<string, string> = {}): Promise<{ core: Core; root: string }> {
  const folder = await temporaryFolder(files)
  const data = await temporaryFolder()
  const core = await createCore({
    platform: { host: 'headless', version: 'test', userData: data.root, resources: 'resources' },
    settings: { endpoints: [{ id: 'o', name: 'Ollama', kind: 'ollama', baseUrl: url, hasKey: false }] },
  })
  cleanups.push(
    () => folder.remove(),
    () => data.remove(),
    () => core.dispose(),
  )
  return { core, root: folder.root }
}

/** A server with Ollama's list of models, which gets `qwen3:4b` when `pull` ends. */
async function ollama(pull: (end: () => void, write: (line: object) => void) => void): Promise<string> {
  let installed: string[] = []
  const { url } = await serve((request, response) => {
    response.setHeader('content-type', 'application/json')
    if (request.url === '/api/tags')
      return void response.end(JSON.stringify({ models: installed.map((name) => ({ name })) }))
    if (request.url === '/api/show') return void response.end('{"capabilities":["completion","tools"]}')
    if (request.url !== '/api/pull') return void response.writeHead(404).end('{}')
    const write = (line: object) => void response.write(`${JSON.stringify(line)}\n`)
    pull(() => {
      installed = ['qwen3:4b']
      write({ status: 'success' })
      response.end()
    }, write)
  })
  return url
}

const model = { endpointId: 'o', model: 'qwen3:4b' }

describe('a download', () => {
  it('reports its progress, and the model is listed when it ends', async () => {
    const url = await ollama((end, write) => {
      write({ status: 'pulling aa', digest: 'sha256:aa', total: 10, completed: 5 })
      end()
    })
    const { core } = await open(url)
    const reports: ModelDownload[] = []
    core.subscribe((name, payload) => {
      // The payload of this event has this type.
      if (name === 'models.downloadProgress') reports.push(payload as ModelDownload)
    })
    await core.handlers['models.download'](model, never)
    const report = { ...model, status: 'pulling aa', completed: 5, total: 10 }
    expect(reports).toEqual([report, { ...report, ended: {} }])
    const [status] = await core.handlers['endpoints.list']({ probe: false }, never)
    expect(status?.models.map(({ id }) => id)).toEqual(['qwen3:4b'])
  })

  it('runs once at a time, outlives the request of its window, and can be cancelled', async () => {
    const url = await ollama((_end, write) => write({ status: 'pulling manifest' }))
    const { core } = await open(url)
    const window = new AbortController()
    const running = Promise.resolve(core.handlers['models.download'](model, window.signal))
    const failed = expect(running).rejects.toMatchObject({ code: 'cancelled' })
    await expect(core.handlers['models.download'](model, never)).rejects.toMatchObject({ code: 'conflict' })
    window.abort()
    await expect(core.handlers['models.download'](model, never)).rejects.toMatchObject({ code: 'conflict' })
    await core.handlers['models.cancelDownload'](model, never)
    await failed
  })

  it('of another kind of server, and a failed one, say what to do', async () => {
    const url = await ollama((_end, write) => write({ error: 'pull model manifest: file does not exist' }))
    const { core } = await open(url)
    await expect(core.handlers['models.download'](model, never)).rejects.toMatchObject({
      message: expect.stringContaining('no model named qwen3:4b'),
      next: expect.stringContaining('ollama.com'),
    })
    await expect(core.handlers['models.download']({ ...model, endpointId: 'local-8080' }, never)).rejects.toMatchObject(
      {
        message: expect.stringContaining('cannot download'),
      },
    )
  })
})

describe('suggested tasks', () => {
  it('follow the files, the to-do comments and the uncommitted changes of the folder', async () => {
    const { core, root } = await open('http://127.0.0.1:1', {
      'package.json': '{"scripts":{"test":"node --test"}}',
      'src/a.js': 'one()\n// TODO: two\n',
    })
    execFileSync('git', ['init', '-q'], { cwd: root })
    await core.openWorkspace(root)
    const tasks = await core.handlers['messages.suggest']({}, never)
    expect(tasks.map(({ text }) => text)).toEqual([
      'Review my uncommitted changes and suggest a commit message',
      'Run the tests with `npm test` and explain what fails',
      'Resolve the to-do comment in src/a.js, line 2',
      'Explain what this project does and how its folders fit together',
    ])
  })

  it('are empty without a folder', async () => {
    const { core } = await open('http://127.0.0.1:1')
    expect(await core.handlers['messages.suggest']({}, never)).toEqual([])
  })
})

describe('the sample folder', () => {
  const home = process.env['HOME']
  afterEach(() => {
    process.env['HOME'] = home
  })
  /** A core whose user has these files in the home folder. */
  async function openAt(files: Record<string, string> = {}): Promise<{ core: Core; home: string; sample: string }> {
    const folder = await temporaryFolder(files)
    cleanups.push(() => folder.remove())
    process.env['HOME'] = folder.root
    const { core } = await open('http://127.0.0.1:9')
    return { core, home: folder.root, sample: join(folder.root, 'tizona-sample') }
  }
  const suggested = async (core: Core) => (await core.handlers['messages.suggest']({}, never)).map(({ text }) => text)
  const rename = 'Change name to harbour-shop in package.json.'
  const correct = 'A test in test/prices.test.js fails. Find the fault and correct it.'

  it('is created once, trusted, and suggests the changes that are still to be made', async () => {
    const { core, home, sample } = await openAt()
    expect(await core.handlers['sample.create']({}, never)).toBe(sample)
    expect(await readdir(home)).toEqual(['tizona-sample'])
    const info = await core.handlers['workspace.open']({ path: sample }, never)
    expect(info.restricted).toBeUndefined()
    const [first] = await core.handlers['messages.suggest']({}, never)
    expect(first).toMatchObject({ text: rename, changes: true })
    await writeFile(join(sample, 'README.md'), 'mine')
    await core.handlers['sample.create']({}, never)
    expect(await readFile(join(sample, 'README.md'), 'utf8')).toBe('mine')
    await writeFile(join(sample, 'package.json'), '{"name": "harbour-shop"}')
    expect(await suggested(core)).toEqual(expect.arrayContaining([correct]))
    expect(await suggested(core)).not.toContain(rename)
    await rm(join(sample, 'test/prices.test.js'))
    expect(await suggested(core)).not.toContain(correct)
  })

  it('is created once for two clicks, and for two windows', async () => {
    const { core, home, sample } = await openAt()
    const { core: other } = await open('http://127.0.0.1:9')
    const create = (window: Core) => window.handlers['sample.create']({}, never)
    expect(await Promise.all([create(core), create(core), create(other)])).toEqual([sample, sample, sample])
    expect(await readdir(home)).toEqual(['tizona-sample'])
    // Each has its own user data here: the one that created it trusts it.
    const openIn = async (window: Core) => window.handlers['workspace.open']({ path: sample }, never)
    const opened = await Promise.all([core, other].map(openIn))
    expect(opened.filter(({ restricted }) => restricted === undefined)).toHaveLength(1)
  })

  it('never trusts or changes a folder of that name that was there before', async () => {
    const { core } = await openAt({ 'tizona-sample/own.txt': 'own' })
    const path = await core.handlers['sample.create']({}, never)
    expect(await readdir(path)).toEqual(['own.txt'])
    expect((await core.handlers['workspace.open']({ path }, never)).restricted).toEqual({ decided: false })
    const texts = await suggested(core)
    expect(texts).not.toContain(rename)
    expect(texts).not.toContain(correct)
  })

  it('names a file or a broken link in its way, and leaves it', async () => {
    const { core, sample } = await openAt({ 'tizona-sample': 'a file' })
    await expect(core.handlers['sample.create']({}, never)).rejects.toMatchObject({
      code: 'io_error',
      message: `The sample folder could not be created: ${sample} is a file.`,
    })
    expect(await readFile(sample, 'utf8')).toBe('a file')
    await rm(sample)
    await symlink(join(sample, '..', 'gone'), sample)
    await expect(core.handlers['sample.create']({}, never)).rejects.toMatchObject({
      code: 'io_error',
      message: `The sample folder could not be created: ${sample} is a link to a folder that does not exist.`,
      next: 'Delete or rename it, or open a folder of your own instead.',
    })
    expect((await lstat(sample)).isSymbolicLink()).toBe(true)
  })
})
