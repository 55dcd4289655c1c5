import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCore, type Core } from '../../core.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../../model/scripted/scriptedEndpoint.ts'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { sweepTemporary } from '../../workspace/sweepTemporary.ts'
import { isLongForm, seededRandom, testSeed } from '../longForm.ts'
import {
  busyTurn,
  coreOptions,
  fileProblems,
  filesOf,
  hosts,
  killAfter,
  original,
  processesWith,
  startHost,
  type KilledHost,
} from './killedHost.ts'

const never = new AbortController().signal
/** Number of kills per host. */
const kills = isLongForm ? 100 : 2
/**
 * Latest kill after the start, in milliseconds. The turn makes no progress once its command hangs, which takes less
 * time.
 */
const longest: Readonly<Record<KilledHost, number>> = { headless: 6_000, browser: 6_000 }

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let data: Awaited<ReturnType<typeof temporaryFolder>>
let endpoint: ScriptedEndpoint | undefined
let core: Core | undefined

beforeEach(async () => {
  folder = await temporaryFolder(original)
  data = await temporaryFolder()
})
afterEach(async () => {
  await core?.dispose()
  await endpoint?.close()
  core = endpoint = undefined
  await Promise.all([folder.remove(), data.remove()])
})

/**
 * Opens the data of the killed process. If the kill came after its start, the conversation is complete and can
 * continue.
 */
async function expectConversation(made: Core): Promise<void> {
  const [latest] = await made.handlers['conversations.list']({}, never)
  if (!latest) return expect(await filesOf(folder.root)).toEqual(original)
  const { id } = latest
  const { items } = await made.handlers['conversations.open']({ id }, never)
  for (const item of items) {
    if (item.kind === 'assistant') expect(item.state).not.toBe('streaming')
    if (item.kind === 'tool') expect(['done', 'failed', 'refused', 'cancelled']).toContain(item.state)
  }
  const outcome = new Promise<string>((resolve) => {
    made.subscribe((name, payload) => {
      if (name === 'conversation.turnEnded' && payload && 'outcome' in payload) resolve(payload.outcome)
    })
  })
  await made.handlers['conversations.send']({ id, text: 'next' }, never)
  expect(await outcome).toBe('done')
  const message = items.find((item) => item.kind === 'user')
  if (message?.kind !== 'user' || message.checkpoint === undefined)
    return expect(await filesOf(folder.root)).toEqual(original)
  await made.handlers['conversations.restore']({ id, itemId: message.id, files: true, conversation: false }, never)
  expect(await filesOf(folder.root)).toEqual(original)
}

describe.skipIf(process.platform !== 'linux').each(hosts)('the %s host', (host) => {
  const random = seededRandom(testSeed + hosts.indexOf(host))
  const moments = Array.from({ length: kills }, (_, index) => Math.round(((index + random()) / kills) * longest[host]))

  it.each(moments)(
    'killed after %i ms leaves complete files, no process, and a conversation that can be restored',
    async (moment) => {
      const mark = `${600 + random.integer(300)}.${testSeed}${process.pid}${random.integer(1e6)}`
      endpoint = await startScriptedEndpoint(busyTurn(mark))
      const child = startHost(host, { folder: folder.root, data: data.root, url: endpoint.url, mark })
      await killAfter(child, moment)
      // A killed write leaves its temporary file, which a later start deletes once it is an hour old.
      await sweepTemporary(folder.root, never, { minAgeMs: 0 })
      expect(fileProblems(await filesOf(folder.root))).toEqual([])
      core = await createCore(coreOptions('headless', data.root, endpoint.url))
      await core.openWorkspace(folder.root)
      await expectConversation(core)
      expect(endpoint.mismatches).toEqual([])
      await expect.poll(() => processesWith(mark), { timeout: 30_000 }).toEqual([])
    },
  )
})
