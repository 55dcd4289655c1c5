import { execFileSync } from 'node:child_process'
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ConversationItem, NoticeItem } from '../../shared/agent/conversation.ts'
import { createCore, type Core } from '../core.ts'
import { answer, call, waitForGate, say, step, type ScenarioTurn } from '../model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../model/scripted/scriptedEndpoint.ts'
import { temporaryFolder, writeTree } from '../tools/testing/toolContext.ts'
import { inProcessIndex } from '../testing/inProcessIndex.ts'

// Restores to earlier messages, with real turns, files and HTTP.

const never = new AbortController().signal
const turns: ScenarioTurn[] = [
  {
    prompt: /^first/,
    steps: [
      step(
        'writes',
        call('write_file', { path: 'a.txt', content: 'first\n' }),
        call('write_file', { path: 'new.txt', content: 'n\n' }),
      ),
      step('ends', say('First done.')),
    ],
  },
  {
    prompt: /^second/,
    steps: [step('deletes', call('delete_file', { path: 'b.txt' })), step('ends', say('Second done.'))],
  },
  { prompt: /^look/, steps: [step('ends', say('Looked.'))] },
  { prompt: /^wait/, steps: [{ title: 'waits', play: () => answer(waitForGate('gate'), say('Waited.')) }] },
]
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let data: Awaited<ReturnType<typeof temporaryFolder>>
let endpoint: ScriptedEndpoint
let core: Core
let id: string

beforeEach(async () => {
  folder = await temporaryFolder({ 'a.txt': 'one\n', 'b.txt': 'two\n' })
  data = await temporaryFolder()
  endpoint = await startScriptedEndpoint({ name: 'rewind', turns })
  core = await createCore({
    platform: {
      host: 'headless',
      fork: inProcessIndex,
      version: 'test',
      userData: data.root,
      resources: fileURLToPath(new URL('../../../resources', import.meta.url)),
    },
    settings: {
      endpoints: [{ id: 'e', name: 'E', kind: 'openai', baseUrl: endpoint.url, hasKey: false }],
      model: { endpointId: 'e', model: 'scripted' },
      mode: 'yolo',
    },
  })
  await core.openWorkspace(folder.root)
  id = (await core.handlers['conversations.create']({}, never)).info.id
})
afterEach(async () => {
  await core.dispose()
  await endpoint.close()
  await Promise.all([folder.remove(), data.remove()])
})

/** Runs an action that starts a turn, and waits for its end. */
async function ended(begin: () => unknown): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = core.subscribe((name) => {
    if (name === 'conversation.turnEnded') resolve()
  })
  await begin()
  await promise
  stop()
}
const turn = (text: string) => ended(() => core.handlers['conversations.send']({ id, text }, never))

const items = async (of = id): Promise<ConversationItem[]> =>
  (await core.handlers['conversations.open']({ id: of }, never)).items
async function messageId(text: string): Promise<string> {
  return (await items()).find((item) => item.kind === 'user' && item.text === text)?.id ?? 'none'
}
const restore = async (text: string, what: { files: boolean; conversation: boolean }) =>
  core.handlers['conversations.restore']({ id, itemId: await messageId(text), ...what }, never)
async function notice(): Promise<NoticeItem> {
  const last = (await items()).at(-1)
  if (last?.kind !== 'notice') throw new Error('The conversation does not end with a notice.')
  return last
}
async function files(): Promise<Record<string, string>> {
  const names = (await readdir(folder.root)).filter((name) => name !== '.git').toSorted()
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(path.join(folder.root, name), 'utf8')] as const)),
  )
}
const lastAsked = (): unknown => endpoint.requests.findLast((request) => request.path === '/v1/chat/completions')?.body
const texts = (all: readonly ConversationItem[]): string[] =>
  all.flatMap((item) => ((item.kind === 'user' || item.kind === 'assistant') && item.text !== '' ? [item.text] : []))

describe('restoring to a message', () => {
  it('previews the changes and reports what happened to each file', async () => {
    await turn('first')
    await turn('second')
    const preview = await core.handlers['conversations.restorePreview']({ id, itemId: await messageId('first') }, never)
    expect(preview.changes).toEqual([
      { path: 'a.txt', change: 'changed' },
      { path: 'b.txt', change: 'deleted' },
      { path: 'new.txt', change: 'created' },
    ])
    expect(preview.items).toBe((await items()).length)
    const checkpoint = preview.checkpoint?.id ?? 0
    expect((await core.handlers['conversations.restoreDiff']({ checkpoint, path: 'a.txt' }, never)).diff).toContain(
      '-one\n+first\n',
    )
    expect(await core.handlers['conversations.restoreDiff']({ checkpoint, path: 'b.txt' }, never)).toMatchObject({
      change: 'deleted',
      removed: 1,
    })
    expect(await files()).toEqual({ 'a.txt': 'first\n', 'new.txt': 'n\n' })
  })

  it('restores files only, and informs the model with the next message', async () => {
    await turn('first')
    await turn('second')
    expect(await restore('second', { files: true, conversation: false })).toEqual({
      text: null,
      changed: 1,
      skipped: [],
    })
    expect(await files()).toEqual({ 'a.txt': 'first\n', 'b.txt': 'two\n', 'new.txt': 'n\n' })
    expect(texts(await items())).toEqual(['first', 'First done.', 'second', 'Second done.'])
    await turn('look')
    expect(JSON.stringify(lastAsked())).toContain('The user has restored files of the workspace')
  })

  it('informs the model of restored files even after a summary', async () => {
    await turn('first')
    await turn('second')
    await restore('second', { files: true, conversation: false })
    await ended(() => core.handlers['conversations.compact']({ id }, never))
    expect((await items()).at(-1)).toMatchObject({ kind: 'summary' })
    await turn('look')
    expect(JSON.stringify(lastAsked())).toContain('The user has restored files of the workspace')
    await turn('look again')
    expect(JSON.stringify(lastAsked()).match(/The user has restored files of the workspace/g)).toHaveLength(1)
  })

  it('restores files and conversation, and returns the message for editing', async () => {
    await turn('first')
    await turn('second')
    expect(await restore('first', { files: true, conversation: true })).toMatchObject({ text: 'first', skipped: [] })
    expect(await files()).toEqual({ 'a.txt': 'one\n', 'b.txt': 'two\n' })
    expect(texts(await items())).toEqual([])
    await turn('look')
    expect(JSON.stringify(lastAsked())).not.toContain('The user has restored files')
    expect(texts(await items())).toEqual(['look', 'Looked.'])
  })

  it('can be undone completely', async () => {
    await turn('first')
    await turn('second')
    const [before, beforeFiles] = [await items(), await files()]
    await restore('first', { files: true, conversation: true })
    expect(await notice()).toMatchObject({ action: 'undoRestore', restore: { state: 'done' } })
    await core.handlers['conversations.undoRestore']({ id, itemId: (await notice()).id }, never)
    expect(await files()).toEqual(beforeFiles)
    expect((await items()).slice(0, -1)).toEqual(before)
    expect((await notice()).action).toBeUndefined()
    expect(await core.handlers['conversations.list']({}, never)).toHaveLength(1)
  })

  it('keeps the earlier version as a separate conversation, even if the restored one continues', async () => {
    await turn('first')
    await turn('second')
    await restore('second', { files: false, conversation: true })
    expect(await files()).toEqual({ 'a.txt': 'first\n', 'new.txt': 'n\n' })
    const { id: undo } = await notice()
    await turn('look')
    await expect(async () => core.handlers['conversations.undoRestore']({ id, itemId: undo }, never)).rejects.toThrow(
      'has continued since',
    )
    const kept = (await core.handlers['conversations.list']({ query: 'before restoring' }, never))[0]
    expect(kept?.forkedFrom).toBe(id)
    expect((await core.handlers['conversations.list']({}, never))[0]?.id).toBe(id)
    expect(texts(await items(kept?.id))).toEqual(['first', 'First done.', 'second', 'Second done.'])
  })

  it('uses the checkpoint of the next message with changes', async () => {
    await turn('look')
    await turn('first')
    await restore('look', { files: true, conversation: false })
    expect(await files()).toEqual({ 'a.txt': 'one\n', 'b.txt': 'two\n' })
  })

  it('fails with a reason without changes, during a turn, and for an unknown message', async () => {
    await turn('look')
    expect(
      await core.handlers['conversations.restorePreview']({ id, itemId: await messageId('look') }, never),
    ).toMatchObject({ checkpoint: null, missing: 'unchanged' })
    await expect(restore('look', { files: true, conversation: true })).rejects.toThrow('There is no checkpoint')
    expect(texts(await items())).toEqual(['look', 'Looked.'])
    await expect(restore('unknown', { files: true, conversation: false })).rejects.toThrow(
      'no longer in the conversation',
    )
    const waiting = turn('wait')
    await expect(restore('look', { files: false, conversation: true })).rejects.toThrow('A turn is running')
    endpoint.release('gate')
    await waiting
  })

  it('skips unsaved tabs and names them', async () => {
    await turn('first')
    await core.handlers['buffers.sync']({ path: 'a.txt', open: true, dirty: true, text: 'typed' }, never)
    expect(
      (await core.handlers['conversations.restorePreview']({ id, itemId: await messageId('first') }, never)).unsaved,
    ).toEqual(['a.txt'])
    expect(await restore('first', { files: true, conversation: false })).toMatchObject({ skipped: [{ path: 'a.txt' }] })
    expect(await files()).toEqual({ 'a.txt': 'first\n', 'b.txt': 'two\n' })
    expect((await notice()).text).toContain('a.txt: ')
  })
})

describe('a fork', () => {
  it('of an answer contains everything up to its calls, and leaves the original unchanged', async () => {
    await turn('first')
    await turn('second')
    const all = await items()
    const calls = all.find((item) => item.kind === 'assistant' && item.text === '')
    const { conversation, text } = await core.handlers['conversations.fork']({ id, itemId: calls?.id }, never)
    expect(conversation.info).toMatchObject({ title: 'first (fork)', forkedFrom: id })
    expect(conversation.items.map(({ kind }) => kind)).toEqual(['user', 'assistant', 'tool', 'tool'])
    expect(text).toBe('')
    expect(await items()).toEqual(all)
  })

  it('of a user message contains everything before it, and returns its text', async () => {
    await turn('first')
    await turn('second')
    const { conversation, text } = await core.handlers['conversations.fork'](
      { id, itemId: await messageId('second') },
      never,
    )
    expect([texts(conversation.items), text]).toEqual([['first', 'First done.'], 'second'])
  })

  it('of a running conversation shows nothing as running', async () => {
    const waiting = turn('wait')
    const { conversation } = await core.handlers['conversations.fork']({ id }, never)
    expect(
      conversation.items.some(
        (item) => item.kind === 'notice' || (item.kind === 'assistant' && item.state === 'streaming'),
      ),
    ).toBe(false)
    endpoint.release('gate')
    await waiting
  })
})

describe("the user's git", () => {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: folder.root, encoding: 'utf8', env: { ...process.env, GIT_OPTIONAL_LOCKS: '0' } })
  async function bytesOf(place: string): Promise<Record<string, string>> {
    const entries = await readdir(place, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name))
    return Object.fromEntries(
      await Promise.all(
        files.toSorted().map(async (file) => [file, (await readFile(file)).toString('base64')] as const),
      ),
    )
  }

  it('is not touched: its folder stays the same, no hook runs, and the status does not change', async () => {
    git('init', '-q')
    git('add', 'a.txt', 'b.txt')
    git('-c', 'user.name=n', '-c', 'user.email=e@e', 'commit', '-qm', 'first')
    await writeTree(folder.root, {
      'staged.txt': 's',
      'untracked.txt': 'u',
      '.gitignore': 'ignored.txt\n',
      'ignored.txt': 'i',
    })
    git('add', 'staged.txt')
    for (const hook of ['pre-commit', 'post-index-change', 'reference-transaction', 'post-checkout']) {
      const file = path.join(folder.root, '.git/hooks', hook)
      await writeFile(file, '#!/bin/sh\ntouch hook-ran\n')
      await chmod(file, 0o755)
    }
    const [before, status] = [await bytesOf(path.join(folder.root, '.git')), git('status', '--porcelain', '--ignored')]
    await turn('second')
    await writeFile(path.join(folder.root, 'ignored.txt'), 'lost')
    await rm(path.join(folder.root, 'untracked.txt'))
    await restore('second', { files: true, conversation: false })
    expect(git('status', '--porcelain', '--ignored')).toBe(status)
    expect(await bytesOf(path.join(folder.root, '.git'))).toEqual(before)
    expect(await files()).toMatchObject({ 'b.txt': 'two\n', 'untracked.txt': 'u', 'ignored.txt': 'i' })
    expect(Object.keys(await files())).not.toContain('hook-ran')
  })
})
