import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ApprovalRequest } from '../../../shared/tools/approval.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import type { Core } from '../../core.ts'
import { startStory, storyHome, type AgentStory, type StoryOptions } from './testing/agentStory.ts'

const never = new AbortController().signal

let place: Awaited<ReturnType<typeof storyHome>>
let home: string
let workspace: string
let story: AgentStory
let core: Core
let conversation: string
let asked: ApprovalRequest[]

beforeEach(async () => {
  place = await storyHome()
  ;({ home, workspace } = place)
})
afterEach(async () => {
  await core.dispose()
  await place.remove()
})

async function start(args: string[] = [], options: StoryOptions = {}) {
  story = await startStory(place, { args, ...options })
  ;({ core, conversation, asked } = story)
}

const send: AgentStory['send'] = (...args) => story.send(...args)
const items = () => story.items()
const answers = () => story.answers()
const cards = () => story.cards()
const notices = () => story.notices()
const changed = () => story.changed()
const missing = (path: string) => expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' })

describe('a well-mannered agent', () => {
  it('answers, and keeps its session for the next message', async () => {
    await start()
    expect(await send('hello')).toBe('done')
    expect(await send('hello')).toBe('done')
    expect(await answers()).toEqual(['Hello from session s1.', 'Hello from session s1.'])
    const { info } = await core.handlers['conversations.open']({ id: conversation }, never)
    expect(info).toMatchObject({ agent: 'other', agentSession: 's1', title: 'hello' })
  })

  it('has the files read for its checkpoint while it starts', async () => {
    await start()
    const prepared = vi.spyOn(core.checkpoints().pending, 'prepare')
    expect(await send('hello')).toBe('done')
    expect(prepared).toHaveBeenCalledOnce()
  })

  it('writes through the gate, the review and a checkpoint, on the card of its call', async () => {
    await start()
    expect(await send(`write ${join(workspace, 'b.txt')}`)).toBe('done')
    expect(asked).toMatchObject([{ tool: 'write_file', risk: 'write', preview: { kind: 'diff' } }])
    expect(await readFile(join(workspace, 'b.txt'), 'utf8')).toBe('from the agent\n')
    expect(await answers()).toContain('Written.')
    expect(await cards()).toMatchObject([
      { name: 'edit', state: 'done', result: { ok: true, view: { kind: 'diff', editId: expect.any(String) } } },
    ])
    expect(await changed()).toEqual(['b.txt'])
    const [user] = await items()
    expect(user).toMatchObject({ kind: 'user', checkpoint: expect.any(Number) })
    const review = (await items()).findLast((item) => item.kind === 'assistant')
    expect(review).toMatchObject({ review: { files: 1 } })
  })

  it('is refused a write that the user refuses', async () => {
    await start()
    story.decide({ kind: 'refuse', reason: 'not now' })
    await send(`write ${join(workspace, 'b.txt')}`)
    await missing(join(workspace, 'b.txt'))
    expect((await answers()).join()).toContain('Not written: The user refused this call: not now')
    expect(await cards()).toMatchObject([{ state: 'failed' }])
  })

  it('reads a file and the unsaved text of a tab, and asks before a secret file', async () => {
    await start()
    await writeFile(join(workspace, '.env'), 'KEY=1\n')
    await send(`read ${join(workspace, 'a.txt')}`)
    expect((await answers()).at(-1)).toBe('It says: one\n')
    await core.handlers['buffers.sync'](
      { path: 'a.txt', open: true, dirty: true, text: 'unsaved\n', version: 1 },
      never,
    )
    await send(`read ${join(workspace, 'a.txt')}`)
    expect((await answers()).at(-1)).toBe('It says: unsaved\n')
    story.decide({ kind: 'refuse', reason: '' })
    await send(`read ${join(workspace, '.env')}`)
    expect(asked).toHaveLength(1)
    expect((await answers()).at(-1)).toMatch(/^Not read: The user refused/)
  })

  it('runs a command in a terminal after approval, and returns its output and exit code', async () => {
    await start()
    await send('run touch t.txt && echo ran && exit 3')
    expect(asked).toMatchObject([{ tool: 'run_command', command: 'touch t.txt && echo ran && exit 3' }])
    expect(await answers()).toContain('Exit 3: ran')
    expect(await cards()).toMatchObject([{ name: 'run_command', state: 'done', job: { exitCode: 3 } }])
    expect(await changed()).toContain('t.txt')
    story.decide({ kind: 'refuse', reason: 'no' })
    await send('run rm t.txt')
    expect((await answers()).at(-1)).toMatch(/^Not run: The user refused this call: no/)
  })

  it('shows its permission requests as approval cards, and follows mode and grants', async () => {
    await start()
    story.decide({ kind: 'exact' })
    await send('ask npm install')
    expect(asked).toMatchObject([
      { command: 'npm install', sandbox: { sandboxed: false, reason: 'Other runs it itself' } },
    ])
    expect((await answers()).at(-1)).toBe('Answer: yes')
    await send('ask npm install')
    expect(asked).toHaveLength(1)
    story.decide({ kind: 'refuse', reason: '' })
    await send('ask npm publish')
    expect((await answers()).at(-1)).toBe('Answer: no')
    // Its card still shows what was refused.
    expect((await cards()).at(-1)).toMatchObject({
      state: 'refused',
      result: { arguments: { command: 'npm publish' } },
    })
    await core.handlers['conversations.update']({ id: conversation, mode: 'plan' }, never)
    await send('ask npm install')
    expect((await answers()).at(-1)).toBe('Answer: no')
    expect(asked).toHaveLength(2)
  })

  it('asks once for an edit that it shows before it writes it, and again if it writes something else', async () => {
    await start()
    await send(`edit ${join(workspace, 'b.txt')}`)
    expect(asked).toMatchObject([{ risk: 'write', preview: { kind: 'diff' } }])
    expect(await readFile(join(workspace, 'b.txt'), 'utf8')).toBe('as shown\n')
    await send(`cheat ${join(workspace, 'c.txt')}`)
    expect(asked.map(({ tool }) => tool)).toEqual(['Other: Edit', 'Other: Edit', 'write_file'])
    await core.handlers['conversations.update']({ id: conversation, mode: 'plan' }, never)
    await send(`edit ${join(workspace, 'd.txt')}`)
    await missing(join(workspace, 'd.txt'))
  })

  it('that writes an allowed file itself and through Tizona has it in the review and on its card', async () => {
    await start()
    expect(await send(`twice ${join(workspace, 'b.txt')}`)).toBe('done')
    expect(asked).toMatchObject([{ risk: 'write', preview: { kind: 'diff' } }])
    expect(await cards()).toMatchObject([
      { name: 'edit', state: 'done', result: { view: { kind: 'diff', files: [{ path: 'b.txt', added: 1 }] } } },
    ])
    await vi.waitFor(async () => expect(await changed()).toEqual(['b.txt']))
  })

  it('shows the output of its own commands, and not the text of its permission requests', async () => {
    await start()
    expect(await send('output npm test')).toBe('done')
    expect(asked).toMatchObject([{ command: "bash -lc 'npm test'" }])
    expect(await cards()).toMatchObject([{ name: 'run_command', state: 'done', result: { text: 'out\n' } }])
    await send('output npm test --color')
    expect((await cards()).at(-1)).toMatchObject({ state: 'done', result: { text: 'piece by piece\n' } })
  })

  it('gets an empty text for a missing file if it could not read the error, else the error', async () => {
    await start(['--named', 'gemini-cli'])
    await send(`read ${join(workspace, 'new.txt')}`)
    expect((await answers()).at(-1)).toBe('It says: ')
    await send('read /etc/missing.txt')
    expect((await answers()).at(-1)).toMatch(/^Not read: .*outside/)
    await core.dispose()
    await start()
    await send(`read ${join(workspace, 'new.txt')}`)
    expect((await answers()).at(-1)).toMatch(/^Not read: .*does not exist/)
  })

  it('shows its plan as to-dos and its diffs on cards', async () => {
    await start()
    await send(`plan ${join(workspace, 'a.txt')}`)
    expect(await cards()).toMatchObject([
      { name: 'todo_write', result: { view: { kind: 'todos', todos: [{ content: 'Look', status: 'in_progress' }] } } },
      {
        name: 'edit',
        state: 'done',
        result: { view: { kind: 'diff', files: [{ path: 'a.txt', added: 1, removed: 1 }] } },
      },
    ])
    expect((await items()).some((item) => item.kind === 'assistant' && item.reasoning === 'Hm.')).toBe(true)
  })

  it('has what its own process changed in the review and in the checkpoint', async () => {
    await start()
    await send(`own ${join(workspace, 'a.txt')}`)
    expect(asked).toEqual([])
    await vi.waitFor(async () => expect(await changed()).toEqual(['a.txt']))
    await core.handlers['review.undo']({ scope: { kind: 'pending' }, targets: 'all' }, never)
    expect(await readFile(join(workspace, 'a.txt'), 'utf8')).toBe('one\n')
  })

  it('continues its session after a restart, or says that it does not', async () => {
    await start()
    await send('hello')
    await core.handlers['workspace.close']({}, never)
    await core.openWorkspace(workspace)
    await send('hello')
    expect((await answers()).at(-1)).toBe('Hello from session s1.')
    expect(await notices()).toEqual([])
    await core.dispose()
    await start(['--forgetful'])
    await send('hello')
    await core.handlers['workspace.close']({}, never)
    await core.openWorkspace(workspace)
    await send('hello')
    expect(await notices()).toEqual([expect.stringContaining('does not know the earlier messages')])
  })

  it('starts a session of its own for a fork, and says what the agent does not know', async () => {
    await start()
    await send('hello')
    const fork = (await core.handlers['conversations.fork']({ id: conversation }, never)).conversation.info
    expect(fork).toMatchObject({ agent: 'other', forkedFrom: conversation })
    const ended = new Promise<void>((resolve) => {
      core.subscribe((name) => name === 'conversation.turnEnded' && resolve())
    })
    await core.handlers['conversations.send']({ id: fork.id, text: 'hello', steer: false }, never)
    await ended
    const shown = await core.handlers['conversations.open']({ id: fork.id }, never)
    expect(shown.items.flatMap((item) => (item.kind === 'notice' ? [item.text] : []))).toEqual([
      'Other does not know the earlier messages of this conversation.',
    ])
  })
})

describe('a hostile agent', () => {
  it('cannot read or write outside the folder, nor ask for permission to', async () => {
    await start([], { mode: 'yolo' })
    await send('read /etc/passwd')
    expect((await answers()).at(-1)).toMatch(/^Not read: .*outside/)
    await send(`write ${join(home, 'x.txt')}`)
    expect((await answers()).at(-1)).toMatch(/^Not written: .*outside/)
    await missing(join(home, 'x.txt'))
    await send('askread /etc/passwd')
    expect((await answers()).at(-1)).toBe('Answer: no')
    expect(asked).toEqual([])
  })

  it.each(['read', 'execute make', 'edit Same'])(
    'must ask for a write that the user has not seen, also if it was part of an allowed request (%s)',
    async (kind) => {
      await start()
      // Allows the command, or the title of the edit, for the session.
      story.decide({ kind: 'exact' })
      await send(`sneak ${join(workspace, 'b.txt')} ${kind}`)
      asked.length = 0
      story.decide({ kind: 'refuse', reason: '' })
      await send(`sneak ${join(workspace, 'c.txt')} ${kind}`)
      expect(asked).not.toEqual([])
      expect(asked.at(-1)?.risk).toBe('write')
      await missing(join(workspace, 'c.txt'))
    },
  )

  it('must ask again if the file did not have the text that its diff started from', async () => {
    await start()
    const path = join(workspace, 'a.txt')
    await send(`disguise ${path}`)
    expect(asked).toMatchObject([{ risk: 'write' }, { tool: 'write_file', preview: { kind: 'diff' } }])
    asked.length = 0
    const oldText = `hidden\n${'line\n'.repeat(20)}`
    await writeFile(path, oldText)
    await send(`disguise ${path}`)
    expect(asked).toMatchObject([{ risk: 'write' }])
    expect(await readFile(path, 'utf8')).toBe(`${oldText}shown\n`)
  })

  it('is ended when it requests too much', async () => {
    await start()
    expect(await send(`readflood ${join(workspace, 'a.txt')}`)).toBe('endpoint_failed')
    expect((await notices()).join()).toMatch(/more than [\d,]+ /)
    expect((await cards()).length).toBeLessThanOrEqual(4000)
    expect(await send('hello')).toBe('done')
  }, 60_000)

  it('gets all that it reads, but its cards keep only a part of it', async () => {
    await start()
    const path = join(workspace, 'big.txt')
    await writeFile(path, 'a line of text\n'.repeat(70_000))
    await send(`readmany ${path} 3`)
    expect((await answers()).at(-1)).toBe(`Read: ${3 * 15 * 70_000}`)
    const kept = (await cards()).map(({ result }) => result?.text.length ?? 0)
    for (const length of kept) expect(length).toBeLessThan(101_000)
    await send(`readmany ${path} 2 70000`)
    expect((await answers()).at(-1)).toBe(`Read: ${2 * 14}`)
    expect((await cards()).at(-1)?.result).toMatchObject({
      text: 'a line of text',
      view: { startLine: 70_000, endLine: 70_000, totalLines: 70_001 },
    })
  })

  it('must ask before a protected place in every mode', async () => {
    await start([], { mode: 'yolo' })
    story.decide({ kind: 'refuse', reason: '' })
    await mkdir(join(workspace, '.git'))
    await send(`write ${join(workspace, '.git/config')}`)
    expect(asked).toHaveLength(1)
    await missing(join(workspace, '.git/config'))
  })

  it.each(['flood', 'longline'])(
    'is ended when it sends 100 MB (%s)',
    async (word) => {
      await start()
      expect(await send(word)).toBe('endpoint_failed')
      expect((await notices()).join()).toMatch(/more than [\d,]+ (?:MB|characters) in one turn/)
      const size = (await answers()).join('').length
      expect(size).toBeLessThanOrEqual(1_000_000)
      expect(await send('hello')).toBe('done')
    },
    60_000,
  )

  it('that dies in a turn is reported with its last words, and started again', async () => {
    await start()
    expect(await send('die')).toBe('endpoint_failed')
    expect((await notices()).at(-1)).toMatch(/^Other stopped\. It exited with code 3\.\nboom: out of order/)
    expect(await send('hello')).toBe('done')
  })

  it('that dies while the user is asked leaves no question and no running card', async () => {
    await start()
    core.subscribe((name, payload) => {
      if (name === 'approval.resolved' && payload !== null && 'requestId' in payload) resolved.push(payload.requestId)
    })
    const resolved: string[] = []
    story.decide({ kind: 'wait' })
    expect(await send(`askdie ${join(workspace, 'b.txt')}`)).toBe('endpoint_failed')
    expect(asked).toHaveLength(2)
    expect(resolved).toEqual(expect.arrayContaining(asked.map(({ id }) => id)))
    for (const { state } of await cards()) expect(['cancelled', 'refused', 'failed']).toContain(state)
    await missing(join(workspace, 'b.txt'))
  })

  it('may write noise', async () => {
    await start()
    expect(await send('noise')).toBe('done')
    expect(await answers()).toContain('After the noise.')
  })

  it('of another protocol version is refused clearly', async () => {
    await start(['--version', '9'])
    expect(await send('hello')).toBe('endpoint_failed')
    expect((await notices()).at(-1)).toContain(
      'It uses version 9 of the Agent Client Protocol, but Tizona uses version 1.',
    )
  })

  it.each<[string, unknown, RegExp]>([
    ['initialize', null, /^Other could not be started\. Its answer to "initialize" is invalid/],
    ['initialize', {}, /"initialize" is invalid \(protocolVersion: /],
    ['session/new', null, /^Other could not start a session\. Its answer to "session\/new" is invalid/],
    ['session/new', { sessionId: 5 }, /"session\/new" is invalid \(sessionId: /],
    ['session/prompt', null, /^Other stopped\. Its answer to "session\/prompt" is invalid/],
  ])('that answers "%s" with %j is reported', async (method, answer, message) => {
    await start(['--answers', JSON.stringify({ [method]: answer })])
    expect(await send('hello')).toBe('endpoint_failed')
    expect((await notices()).at(-1)).toMatch(message)
  })

  it('cannot hide a command in the name of a variable', async () => {
    await start()
    await send('runenv A;touch made;B')
    expect(await answers()).toEqual(['Not run: "A;touch made;B" is not a valid environment variable name.'])
    expect(asked).toEqual([])
  })

  it('may report invalid capabilities, which count as absent', async () => {
    const answer = { protocolVersion: 1, agentCapabilities: { promptCapabilities: null }, authMethods: [null] }
    await start(['--answers', JSON.stringify({ initialize: answer })])
    expect(await send('hello')).toBe('done')
  })

  it('that needs a login names only some ways, shortened', async () => {
    const authMethods = Array.from({ length: 20 }, (_, index) => ({
      id: `${index}`,
      name: `Login ${'x'.repeat(300)}`,
    }))
    const initialize = { protocolVersion: 1, agentCapabilities: {}, authMethods }
    await start(['--answers', JSON.stringify({ initialize, 'session/new': null })])
    expect(await send('hello')).toBe('endpoint_failed')
    const notice = (await notices()).at(-1) ?? ''
    expect(notice).toContain(`It may need a login (Login ${'x'.repeat(94)}, Login `)
    expect(notice.length).toBeLessThan(1500)
  })

  it('has a long plan shortened', async () => {
    await start()
    await send('longplan')
    expect((await cards()).at(-1)?.result?.view).toMatchObject({ todos: [{ content: 'y'.repeat(500) }] })
  })

  it('that exits at the start is reported with its exit code and last words', async () => {
    await start(['--broken'])
    expect(await send('hello')).toBe('endpoint_failed')
    expect((await notices()).at(-1)).toMatch(/^Other could not be started\. It exited with code 3\.\nno such module/)
  })

  it('is not started in a folder that has disappeared, which is named', async () => {
    await start()
    await rm(workspace, { recursive: true })
    expect(await send('hello')).toBe('endpoint_failed')
    expect((await notices()).at(-1)).toContain(`Its working directory ${workspace} does not exist.`)
  })

  it('that closes its output and goes on is reported and ended', async () => {
    await start()
    expect(await send('mute')).toBe('endpoint_failed')
    expect((await notices()).at(-1)).toMatch(/^Other stopped\. It closed its standard output\./)
    expect(await send('hello')).toBe('done')
  })

  it('that never answers can be stopped, at the start and in a turn', async () => {
    await start(['--silent'])
    const stop = new AbortController()
    const waiting = send('hello', stop.signal)
    setTimeout(() => stop.abort(), 300)
    expect(await waiting).toBe('cancelled')
    await core.dispose()
    await start()
    const hang = new AbortController()
    const hanging = send('hang', hang.signal)
    await vi.waitFor(async () => expect(await answers()).toContain('Hanging'), { timeout: 10_000 })
    hang.abort()
    expect(await hanging).toBe('cancelled')
    expect(await send('hello')).toBe('done')
  }, 30_000)

  it('gets nothing after the user stopped it', async () => {
    const seen = join(home, 'seen')
    await start(['--seen', seen])
    const stop = new AbortController()
    const waiting = send(`wait ${join(workspace, 'late.txt')}`, stop.signal)
    await vi.waitFor(async () => expect(await answers()).toContain('Waiting'), { timeout: 10_000 })
    stop.abort()
    expect(await waiting).toBe('cancelled')
    expect(asked).toEqual([])
    expect(await readFile(seen, 'utf8')).toMatch(/^permission: cancelled\nwrite: .*No turn is running/)
    await missing(join(workspace, 'late.txt'))
    expect((await answers()).join()).not.toContain('Late words')
  })

  it('in the sandbox changes nothing outside the folder', async () => {
    await start([], { sandbox: true })
    const { sandbox } = await core.handlers['app.state']({}, never)
    const outside = join(home, 'outside.txt')
    await send(`own ${join(workspace, 'in.txt')}`)
    expect(await readFile(join(workspace, 'in.txt'), 'utf8')).toBe('by its own process\n')
    if (sandbox?.kind !== 'available') return
    await send(`own ${outside}`)
    await missing(outside)
  })
})

it('that should run in a sandbox but cannot is reported when it starts', async () => {
  const { commands } = settingsSchema.parse({ commands: { sandbox: false } })
  await start([], { sandbox: true, settings: { commands } })
  expect(await send('hello')).toBe('done')
  expect(await send('hello')).toBe('done')
  expect(await notices()).toEqual([
    'Other runs outside the sandbox (turned off in the settings), so its process can do everything that you can do. Stop the turn if you do not want that.',
  ])
  await core.dispose()
  await start([], { settings: { commands } })
  expect(await send('hello')).toBe('done')
  expect(await notices()).toEqual([])
})

it('does not start in a folder that is not trusted', async () => {
  await start(['--seen', join(home, 'seen')], { host: 'browser', trusted: false })
  expect(await send('wait x')).toBe('endpoint_failed')
  expect((await notices()).at(-1)).toContain('you have not trusted this folder')
  expect(await answers()).toEqual([])
})

it('does not start after its removal from the settings', async () => {
  await start()
  await core.handlers['settings.set']({ agents: [] }, never)
  expect(await send('hello')).toBe('endpoint_failed')
  expect((await notices()).at(-1)).toContain('removed from the settings')
})

it('cannot be changed after the first message', async () => {
  await start()
  await send('hello')
  await expect(
    (async () => core.handlers['conversations.update']({ id: conversation, agent: null }, never))(),
  ).rejects.toMatchObject({ code: 'conflict' })
})
