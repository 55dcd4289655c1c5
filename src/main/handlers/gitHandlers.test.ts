import { ToolError } from '../../shared/errors.ts'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { gitActions } from '../../shared/git/git.ts'
import { gitRequests } from '../../shared/git/gitRequests.ts'
import { createOperations } from '../git/view/operations.ts'
import { gitFolder, type GitFolder } from '../git/view/testing/gitFolder.ts'
import { ModelError, type ChatRequest, type ModelEvent } from '../model/modelClient.ts'
import { createTokenCounter } from '../model/tokens/tokenCounter.ts'
import { openWorkspace } from '../workspace/containment.ts'
import { createGitHandlers } from './gitHandlers.ts'

let folder: GitFolder
/** The folder that is open. */
let opened: GitFolder
let requests: ChatRequest[]
let fail: ModelError | null
let ended: string[]
let handlers: ReturnType<typeof createGitHandlers>
const signal = new AbortController().signal

beforeEach(async () => {
  folder = await gitFolder()
  requests = []
  fail = null
  ended = []
  opened = folder
  const target = { name: 'e', kind: 'openai' as const, baseUrl: 'http://127.0.0.1:9' }
  const tokens = createTokenCounter(
    { root: target.baseUrl, target, tokenizer: false, connection: () => Promise.resolve({}) },
    'm',
  )
  async function* stream(request: ChatRequest): AsyncGenerator<ModelEvent, void, void> {
    requests.push(request)
    if (fail) throw fail
    if (request.model === 'hanging')
      await new Promise((_, reject) => request.signal.addEventListener('abort', () => reject(request.signal.reason)))
    yield { kind: 'text', text: 'change a' }
    yield { kind: 'finish', reason: 'stop' }
  }
  handlers = createGitHandlers({
    current: () => ({ sourceControl: opened.service }),
    session: () => ({ sourceControl: opened.service }),
    sessionOf: async () => undefined,
    mergeSession: () => Promise.reject(new Error('No session was expected.')),
    operations: createOperations(() => undefined),
    onEnded: (operation) => ended.push(operation),
    credentials: {
      open: async () => ({}),
      accepted: () => undefined,
      close: () => undefined,
      pending: () => [],
      answer: () => undefined,
      dispose: async () => undefined,
    },
    model: async () => ({ tokens, client: { models: async () => [], stream } }),
    modelOf: (conversation) => {
      if (conversation === 'none') throw new ToolError('not_found', 'No model is chosen.', 'Choose one.')
      return { endpointId: 'e', model: conversation ?? 'default' }
    },
  })
})
afterEach(() => folder.remove())

const draft = (conversation?: string, repository = folder.id) =>
  handlers['git.draftMessage']({ repository, operation: 'd', conversation }, signal)

it('a message is drafted from the staged changes by the model of the conversation, without secret files', async () => {
  await folder.write({ 'a.txt': 'staged\n', 'prod.env': 'PASSWORD=hunter2\n', 'sub/b.txt': 'not staged\n' })
  await folder.service.stage(folder.id, ['a.txt', 'prod.env'])
  expect(await draft('big')).toBe('change a')
  const prompt = requests[0]?.messages[0]?.content ?? ''
  expect(requests[0]?.model).toBe('big')
  expect(prompt).toContain('+staged')
  expect(prompt).toContain('Recent commits:\nfirst')
  expect(prompt).not.toContain('hunter2')
  expect(prompt).not.toContain('not staged')
})

it('without staged changes, all changes are described; without any, there is nothing to describe', async () => {
  await expect(draft()).rejects.toMatchObject({ code: 'no_change' })
  await folder.write({ 'sub/b.txt': 'not staged\n' })
  await draft()
  expect(requests[0]?.messages[0]?.content).toContain('+not staged')
})

it('a message is drafted in a worktree whose git folder is elsewhere', async () => {
  const tree = path.join(folder.root, 'tree')
  await folder.git('worktree', 'add', '-q', tree, '-b', 'side')
  opened = await gitFolder({ empty: true, workspace: await openWorkspace(tree) })
  await folder.write({ 'tree/a.txt': 'in the worktree\n' })
  await opened.service.stage(tree, ['a.txt'])
  await draft('big', tree)
  expect(requests[0]?.messages[0]?.content).toContain('+in the worktree')
  opened.trusted = false
  await expect(draft('big', tree)).rejects.toMatchObject({ code: 'outside_workspace' })
  await opened.remove()
})

it('in a folder below the top of a repository, a draft has the changes of that folder', async () => {
  opened = await gitFolder({ empty: true, workspace: await openWorkspace(path.join(folder.root, 'sub')) })
  await folder.write({ 'a.txt': 'outside\n', 'sub/b.txt': 'inside\n', 'sub/prod.env': 'hunter2\n' })
  await folder.git('add', '-A')
  await draft('big')
  const prompt = requests[0]?.messages[0]?.content
  expect(prompt).toContain('+inside')
  expect(prompt).not.toMatch(/outside|hunter2/)
  await opened.remove()
})

it('a failure of the model is reported with its hint, and a missing model says what to do', async () => {
  await folder.write({ 'a.txt': 'changed\n' })
  fail = new ModelError('unreachable', 'The server does not answer.', 'Start it.')
  await expect(draft()).rejects.toMatchObject({
    message: 'No message was drafted. The server does not answer.',
    next: 'Start it.',
  })
  await expect(draft('none')).rejects.toMatchObject({ code: 'not_found' })
})

it('a result that the window no longer waits for is listed once for the next one', async () => {
  const window = new AbortController()
  const drafting = handlers['git.draftMessage'](
    { repository: folder.id, operation: 'd', conversation: 'none' },
    window.signal,
  )
  window.abort()
  await expect(drafting).rejects.toMatchObject({ code: 'not_found' })
  const failure = expect.objectContaining({ code: 'not_found', message: 'No model is chosen.' })
  expect(await handlers['git.running']({}, signal)).toEqual([
    { operation: 'd', repository: folder.id, action: 'git.draftMessage', ended: { failure } },
  ])
  expect(await handlers['git.running']({}, signal)).toEqual([])
})

it('running actions are listed for a window that connects, until they end', async () => {
  await folder.write({ 'a.txt': 'changed\n' })
  const cancelled = expect(draft('hanging')).rejects.toMatchObject({ code: 'cancelled' })
  expect(await handlers['git.running']({}, signal)).toEqual([
    { operation: 'd', repository: folder.id, action: 'git.draftMessage' },
  ])
  await expect(draft('big')).rejects.toMatchObject({ code: 'conflict' })
  expect(ended).toEqual([])
  await handlers['git.cancel']({ operation: 'd' }, signal)
  await cancelled
  expect([await handlers['git.running']({}, signal), ended]).toEqual([[], ['d']])
})

it('every request with an operation is listed while it runs', () => {
  const withOperation = Object.entries(gitRequests).filter(([, { params }]) => 'operation' in params.shape)
  const names = withOperation.map(([name]) => name)
  expect(names.toSorted()).toEqual([...gitActions, 'git.cancel'].toSorted())
})

it('a draft can be cancelled', async () => {
  await folder.write({ 'a.txt': 'changed\n' })
  const cancelled = expect(draft('hanging')).rejects.toMatchObject({ code: 'cancelled' })
  await expect.poll(() => requests).toHaveLength(1)
  await handlers['git.cancel']({ operation: 'd' }, signal)
  await cancelled
})

it('a search of the log cancels the one before, which the window no longer shows', async () => {
  const search = (text: string) =>
    handlers['git.log']({ repository: folder.id, all: false, text, skip: 0, limit: 10 }, signal)
  const earlier = expect(search('nothing')).rejects.toMatchObject({ name: 'AbortError' })
  expect(await search('first')).toMatchObject({ commits: [{ subject: 'first' }] })
  await earlier
})

it('a read of the blame ends with the connection that requested it, and a later one still gets it', async () => {
  const closed = new AbortController()
  const params = { repository: folder.id, path: 'a.txt' }
  const first = expect(handlers['git.blame'](params, closed.signal)).rejects.toMatchObject({ name: 'AbortError' })
  closed.abort()
  expect(await handlers['git.blame'](params, signal)).toMatchObject({ commits: [{ subject: 'first' }] })
  await first
})
