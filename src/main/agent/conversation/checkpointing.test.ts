import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ConversationItem, UserItem } from '../../../shared/agent/conversation.ts'
import type { Checkpoint } from '../../history/checkpoints/checkpoints.ts'
import { openDatabase } from '../../history/database.ts'
import { createManifests } from '../../history/checkpoints/manifests.ts'
import { createCore, type Core } from '../../core.ts'
import { call, say, step, type ScenarioStep } from '../../model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../../model/scripted/scriptedEndpoint.ts'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { noticeItem } from './items.ts'
import { createCheckpointing } from './checkpointing.ts'
import { inProcessIndex } from '../../testing/inProcessIndex.ts'

// Whole turns over real HTTP: the checkpoint taken before a model changes something.

const never = new AbortController().signal
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let data: Awaited<ReturnType<typeof temporaryFolder>>
let endpoint: ScriptedEndpoint | undefined
let core: Core | undefined

beforeEach(async () => {
  folder = await temporaryFolder({ 'a.txt': 'one\n', 'sub/b.txt': 'two\n' })
  data = await temporaryFolder()
})
afterEach(async () => {
  await core?.dispose()
  await endpoint?.close()
  core = undefined
  endpoint = undefined
  await Promise.all([folder.remove(), data.remove()])
})

/** Opens the folder in a core whose model makes these calls. */
async function open(...steps: ScenarioStep[]): Promise<Core> {
  endpoint = await startScriptedEndpoint({
    name: 'checkpoints',
    turns: [{ prompt: /.*/s, steps: [...steps, step('ends', say('Done.'))] }],
  })
  const made = await createCore({
    platform: {
      host: 'headless',
      fork: inProcessIndex,
      version: 'test',
      userData: data.root,
      resources: fileURLToPath(new URL('../../../../resources', import.meta.url)),
    },
    settings: {
      endpoints: [{ id: 'e', name: 'E', kind: 'openai', baseUrl: endpoint.url, hasKey: false }],
      model: { endpointId: 'e', model: 'scripted' },
      mode: 'yolo',
    },
  })
  core = made
  await made.openWorkspace(folder.root)
  return made
}

/** Runs a turn in which the model makes these calls. @returns the conversation afterwards */
async function turn(...steps: ScenarioStep[]): Promise<ConversationItem[]> {
  const made = await open(...steps)
  const {
    info: { id },
  } = await made.handlers['conversations.create']({}, never)
  const ended = new Promise<void>((resolve) => {
    made.subscribe((name) => {
      if (name === 'conversation.turnEnded') resolve()
    })
  })
  await made.handlers['conversations.send']({ id, text: 'do it\nplease' }, never)
  await ended
  return (await made.handlers['conversations.open']({ id }, never)).items
}

async function kept(): Promise<Checkpoint[]> {
  const { db } = await openDatabase(data.root)
  try {
    return createManifests(db, folder.root).list()
  } finally {
    db.close()
  }
}

const pending = { prepare: async () => undefined, beforeChange: async () => undefined, entriesRead: () => 0 }

const message = (items: readonly ConversationItem[]): UserItem | undefined => items.find((item) => item.kind === 'user')
const failed = (items: readonly ConversationItem[]) =>
  items.filter((item) => item.kind === 'tool' && item.result?.ok !== true)

describe('a turn that changes files', () => {
  it('stores one checkpoint on its message, taken before the first change', async () => {
    const items = await turn(
      step('looks', call('read_file', { path: 'a.txt' })),
      step(
        'writes',
        call('write_file', { path: 'a.txt', content: 'changed\n' }),
        call('write_file', { path: 'new.txt', content: 'x\n' }),
      ),
    )
    expect(failed(items)).toEqual([])
    const all = await kept()
    expect(all).toMatchObject([
      { id: message(items)?.checkpoint, reason: 'do it', turnId: message(items)?.id, files: 2 },
    ])
    expect(all[0]?.paths).toBeUndefined()
  })

  it('takes a checkpoint before a command, which may write anything', async () => {
    const items = await turn(step('runs', call('run_command', { command: 'printf changed > a.txt' })))
    expect(failed(items)).toEqual([])
    expect(await readFile(path.join(folder.root, 'a.txt'), 'utf8')).toBe('changed')
    expect(await kept()).toMatchObject([{ id: message(items)?.checkpoint }])
  })
})

it('the files are stored before the message is sent, so that its first command need not wait for them', async () => {
  // Files that were just written may change without a new time, so they would be read again.
  await delay(150)
  const made = await open()
  await made.handlers['conversations.prepareCheckpoint']({}, never)
  const stored = path.join(data.root, 'checkpoints')
  await vi.waitFor(async () => {
    const entries = await readdir(stored, { recursive: true, withFileTypes: true })
    expect(entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.part'))).toHaveLength(2)
  })
  const taken = await made.checkpoints().pending.begin({ reason: 'message' }, () => undefined, never)
  expect([taken.files, taken.hashed]).toEqual([2, 0])
})

describe('a turn without changes', () => {
  it('takes no checkpoint', async () => {
    const batch = {
      calls: [
        { tool: 'read_file', arguments: { path: 'a.txt' } },
        { tool: 'list_dir', arguments: { path: '.' } },
      ],
    }
    const items = await turn(
      step('looks', call('read_file', { path: 'a.txt' }), call('list_dir', { path: '.' }), call('batch', batch)),
    )
    expect(failed(items)).toEqual([])
    expect(message(items)?.checkpoint).toBeUndefined()
    expect(await kept()).toEqual([])
  })

  it('takes no checkpoint for a refused call', async () => {
    const items = await turn(step('writes outside', call('write_file', { path: '../x.txt', content: 'x' })))
    expect(failed(items)).toHaveLength(1)
    expect(await kept()).toEqual([])
  })
})

describe('a checkpoint that fails', () => {
  it('lets the call continue and shows one notice', async () => {
    await rm(path.join(data.root, 'checkpoints'), { recursive: true, force: true })
    // A file in place of the folder of contents, so that no user can write there, not even root.
    await writeFile(path.join(data.root, 'checkpoints'), '')
    const items = await turn(
      step('writes', call('write_file', { path: 'a.txt', content: 'n' })),
      step('again', call('write_file', { path: 'sub/b.txt', content: 'm' })),
    )
    expect(failed(items)).toEqual([])
    expect(message(items)?.checkpoint).toBeUndefined()
    expect(items.filter((item) => item.kind === 'notice').map(({ text }) => text)).toEqual([
      expect.stringContaining('No checkpoint was saved before this change'),
    ])
  })

  it('does not delay the call beyond the time limit', async () => {
    const said: ConversationItem[] = [{ id: 'u', kind: 'user', at: 0, text: 'x' }]
    const ended = Promise.withResolvers<never>()
    const begin = (_request: unknown, _onSaved: unknown, signal: AbortSignal) => {
      signal.addEventListener('abort', () => ended.reject(signal.reason))
      return ended.promise
    }
    const beforeChange = () => ended.promise.catch(() => undefined)
    const checkpointing = createCheckpointing({
      conversationId: 'c',
      signal: never,
      maxMs: 20,
      transcript: { items: () => said, put: (item) => void said.push(item), note: () => undefined },
      checkpoints: () => ({ pending: { ...pending, begin, beforeChange } }),
    })
    await Promise.all([checkpointing.beforeChange(undefined), checkpointing.beforeChange(undefined)])
    expect(said.slice(1)).toMatchObject([
      {
        ...noticeItem('warning', ''),
        id: expect.any(String),
        at: expect.any(Number),
        text: expect.stringContaining('longer than'),
      },
    ])
  })
})

it('a call that waits for a checkpoint shows how much is read', async () => {
  const complete = Promise.withResolvers<never>()
  const notes: (string | undefined)[] = []
  const checkpointing = createCheckpointing({
    conversationId: 'c',
    signal: never,
    transcript: {
      items: () => [{ id: 'u', kind: 'user', at: 0, text: 'x' }],
      put: () => undefined,
      note(text) {
        notes.push(text)
        if (text?.includes('1,234')) complete.resolve(undefined as never)
      },
    },
    checkpoints: () => ({
      pending: {
        ...pending,
        begin: () => complete.promise,
        beforeChange: () => complete.promise,
        entriesRead: () => 1234,
      },
    }),
  })
  await checkpointing.beforeChange(undefined)
  expect(notes).toEqual(['Saving a checkpoint…', 'Saving a checkpoint: 1,234 files and folders read…', undefined])
})
