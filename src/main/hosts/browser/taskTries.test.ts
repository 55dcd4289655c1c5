import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { SessionRow } from '../../../shared/agent/sessionRows.ts'
import { hasSandbox } from '../../command/testing/sandboxedJobs.ts'
import { createCore, type Core } from '../../core.ts'
import { createOpenCores } from '../../core/openCores.ts'
import { answer, call, say, waitForGate } from '../../model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../../model/scripted/scriptedEndpoint.ts'
import { inProcessIndex } from '../../testing/inProcessIndex.ts'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { createBrowserCores, type BrowserCores } from './browserCores.ts'

// Several tries of a task, which the window starts and which run in folders without a page.

const never = new AbortController().signal
const exec = promisify(execFile)
let home: Awaited<ReturnType<typeof temporaryFolder>>
let project: string
let endpoint: ScriptedEndpoint
let cores: BrowserCores
let shown: Core
let openCores = createOpenCores()

beforeEach(async () => {
  home = await temporaryFolder({ 'project/a.txt': 'one\n' })
  project = path.join(home.root, 'project')
  await exec('git', ['init', '-q', '-b', 'main', project])
  for (const [key, value] of Object.entries({ 'user.name': 'Ana', 'user.email': 'ana@example.org' }))
    await exec('git', ['-C', project, 'config', key, value])
  await exec('git', ['-C', project, 'add', '-A'])
  await exec('git', ['-C', project, 'commit', '-qm', 'first'])
  endpoint = await startScriptedEndpoint({
    name: 'tries',
    turns: [],
    respond: ({ body, messages }) => {
      const { role, content } = messages.at(-1) ?? {}
      if (role === 'user' && String(content).includes('wait')) return answer(say('I wait.'), waitForGate('never'))
      return role === 'user' && body['model'] === 'good'
        ? answer(say('I write.'), call('write_file', { path: 'new.txt', content: 'new\nlines\n' }))
        : answer(say('Done.'))
    },
  })
  openCores = createOpenCores()
  cores = await openCoresOf((core) => (shown = core))
  shown = cores.first
  await shown.openWorkspace(project)
})
function openCoresOf(onShown: (core: Core) => void): Promise<BrowserCores> {
  return createBrowserCores(
    ({ open, focus, openHidden, closeHidden }) =>
      createCore({
        openCores,
        trustWorkspace: true,
        platform: {
          host: 'browser',
          fork: inProcessIndex,
          version: 'test',
          userData: path.join(home.root, 'data'),
          resources: path.join(import.meta.dirname, '..', '..', '..', '..', 'resources'),
          openWindow: open,
          focusFolder: focus,
          openHidden,
          closeHidden,
        },
        settings: {
          endpoints: [
            {
              id: 'e',
              name: 'E',
              kind: 'openai',
              baseUrl: endpoint.url,
              hasKey: false,
              models: { good: { temperature: 0.1 } },
            },
          ],
          model: { endpointId: 'e', model: 'plain' },
          mode: 'yolo',
        },
      }),
    onShown,
  )
}

afterEach(async () => {
  await cores.dispose()
  await endpoint.close()
  await home.remove()
})

const rows = () => shown.handlers['sessions.overview']({ refresh: false }, never)
const tried = async () =>
  (await rows()).flatMap(({ worktree }) => worktree?.try ?? []).toSorted((one, other) => one.number - other.number)
const folders = () => openCores.all().map((core) => core.folder())

async function until<T>(check: (rows: SessionRow[]) => T | false): Promise<T> {
  return vi.waitUntil(async () => check(await rows()), { timeout: 60_000 })
}

it('each try works in its worktree with its own options, and is measured', async ({ skip }) => {
  if (!(await hasSandbox())) skip('no sandbox')
  const model = { endpointId: 'e', model: 'good' }
  const { task } = await shown.handlers['sessions.startTries'](
    { prompt: ' Add a file ', tries: [{ model, temperature: 0.7, toolset: 'blade' }, {}], test: 'test -f new.txt' },
    never,
  )
  expect(await tried()).toMatchObject([
    { task, number: 1, title: 'Add a file', model: 'good', temperature: 0.7, toolset: 'blade', running: true },
    { task, number: 2, running: true },
  ])
  expect(shown.isWorking()).toBe(true)
  const ended = await vi.waitUntil(
    async () => {
      const found = await tried()
      return found.every(({ result, running }) => result && !running) && found
    },
    { timeout: 60_000 },
  )
  expect(ended.map(({ result }) => result)).toMatchObject([
    { outcome: 'done', files: 1, added: 2, removed: 0, test: { exitCode: 0, ran: true } },
    { outcome: 'done', files: 0, added: 0, removed: 0, test: { exitCode: 1, ran: true } },
  ])
  // A try's own temperature wins over the option of the model.
  const sent = endpoint.requests.flatMap(
    ({ body }) => (body ?? []) as { model: string; temperature: number; tools?: unknown },
  )
  const of = (name: string) =>
    new Set(sent.filter(({ model: used, tools }) => used === name && tools).map(({ temperature }) => temperature))
  expect([...of('good')]).toEqual([0.7])
  expect([...of('plain')]).not.toContain(0.7)
  expect(existsSync(path.join(project, 'new.txt'))).toBe(false)
  // Their folders are closed again, and can be removed.
  await vi.waitUntil(() => !shown.isWorking(), { timeout: 20_000 })
  expect(folders()).toEqual([project])
  expect((await shown.handlers['app.state']({}, never)).recents).toEqual([project])
  for (const { worktree } of await rows())
    if (worktree) await shown.handlers['sessions.remove']({ id: worktree.id, confirmed: true }, never)
  expect(await tried()).toEqual([])
})

it('a running try is shown when its worktree is opened, and is stopped from another folder', async () => {
  await shown.handlers['sessions.startTries']({ prompt: 'wait', tries: [{}, {}] }, never)
  const [row, other] = await until((all) => {
    const working = all.filter(({ state }) => state === 'working')
    return working.length === 2 && working
  })
  const first = shown
  await first.handlers['sessions.open']({ folder: row?.folder ?? '', conversation: row?.conversation ?? null }, never)
  expect(shown).not.toBe(first)
  const [here] = await until((all) => all.filter(({ place }) => place === 'here'))
  expect(here).toMatchObject({ state: 'working', conversation: row?.conversation })
  await shown.handlers['sessions.stopTries']({ ids: [row?.worktree?.id ?? '', other?.worktree?.id ?? ''] }, never)
  expect((await tried()).map(({ result }) => result?.outcome)).toEqual(['cancelled', 'cancelled'])
})

it('a try whose set-up command fails tells why', async ({ skip }) => {
  if (!(await hasSandbox())) skip('no sandbox')
  await mkdir(path.join(project, '.tizona'))
  const command = 'echo no package manager; exit 3'
  await writeFile(path.join(project, '.tizona', 'settings.json'), JSON.stringify({ sessions: { setUp: command } }))
  await shown.handlers['sessions.approveSetUp']({ command }, never)
  await shown.handlers['sessions.startTries']({ prompt: 'go', tries: [{}] }, never)
  const [ended] = await vi.waitUntil(async () => ((await tried())[0]?.result ? tried() : false), { timeout: 60_000 })
  expect(ended?.result).toMatchObject({ outcome: 'failed', error: expect.stringContaining('no package manager') })
})

it('no session is left if one of them cannot be made', async () => {
  await exec('git', ['-C', project, 'branch', 'tizona/task-1-2'])
  const starting = shown.handlers['sessions.startTries']({ prompt: 'go', tries: [{}, {}] }, never)
  await expect(starting).rejects.toMatchObject({ code: 'already_exists' })
  expect(await tried()).toEqual([])
  expect((await exec('git', ['-C', project, 'worktree', 'list'])).stdout.trim().split('\n')).toHaveLength(1)
})

it('a try whose Tizona ended before it had a result is interrupted', async () => {
  await shown.sessions.createTries({ folder: project, prompt: 'go', tries: [{}] })
  // Its Tizona may begin it at any time.
  expect(await tried()).toMatchObject([{ running: false, interrupted: false }])
  await cores.dispose()
  const file = path.join(home.root, 'data', 'sessions.json')
  const own = new RegExp(`"pid": ${process.pid}\\b`, 'g')
  await writeFile(file, (await readFile(file, 'utf8')).replaceAll(own, '"pid": 99999999'))
  openCores = createOpenCores()
  cores = await openCoresOf((core) => (shown = core))
  shown = cores.first
  await shown.openWorkspace(project)
  expect(await tried()).toMatchObject([{ running: false, interrupted: true }])
  expect((await rows()).find(({ worktree }) => worktree)).toMatchObject({ state: 'idle', place: 'closed' })
})
