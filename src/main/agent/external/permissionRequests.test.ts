import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startStory, storyHome, type AgentStory } from './testing/agentStory.ts'

let place: Awaited<ReturnType<typeof storyHome>>
let story: AgentStory

// One core, because a start takes longer than a test.
beforeAll(async () => {
  place = await storyHome()
  story = await startStory(place)
})
afterAll(async () => {
  await story.core.dispose()
  await place.remove()
})
beforeEach(async () => {
  await story.setMode('safe')
  story.decide({ kind: 'refuse', reason: '' })
})

const shell = (rawInput: unknown) => ({ kind: 'execute', title: 'Shell', rawInput })

describe('an external agent', () => {
  it('cannot pass a command off as something harmless', async () => {
    const calls = [
      { kind: 'search', rawInput: { command: ['bash', '-c', 'rm -rf build'] } },
      { kind: 'read', locations: [{ path: 'a.txt' }], rawInput: { command: 'touch b' } },
      { kind: 'read', rawInput: { command: 'cat', args: ['/etc/shadow'] } },
      { kind: 'read', rawInput: { command: 'cat notes', cwd: '/root/.ssh' } },
      { kind: 'edit', locations: [{ path: 'a.txt' }], rawInput: { command: 'rm -rf build' } },
      { kind: 'move', rawInput: { cmd: 'mv a.txt /x' } },
    ].map((call) => ({ title: 'Harmless', ...call }))
    for (const mode of ['safe', 'cautious'] as const) {
      await story.setMode(mode)
      expect(await story.request(...calls)).toBe(calls.map(() => 'no').join(', '))
      expect(story.asked).toHaveLength(calls.length)
      for (const { risk, command } of story.asked) expect([risk, typeof command]).toEqual(['execute', 'string'])
    }
  })

  it('cannot hide the end of a command in a long title, which the card shows', async () => {
    const title = `echo ${'x'.repeat(400)}; rm -rf important`
    expect(await story.request({ kind: 'execute', title })).toBe('no')
    expect(story.asked).toMatchObject([{ command: title, title: expect.stringMatching(/^echo x{295}…$/) }])
    // Its own card has it, too.
    expect((await story.cards()).at(-1)?.result?.arguments).toEqual({ title })
    await story.setMode('plan')
    expect(await story.request({ kind: 'execute', title: `cat ${'a.txt '.repeat(60)}; touch made` })).toBe('no')
    expect(story.asked).toEqual([])
  })

  it('has no grant for another command with the same beginning', async () => {
    story.decide({ kind: 'exact' })
    const long = `echo ${'x'.repeat(300)}`
    const calls = ['ls', 'ls', 'rm -rf important'].map((end) => ({ kind: 'execute', title: `${long}; ${end}` }))
    expect(await story.request(...calls)).toBe('yes, yes, yes')
    expect(story.asked.map(({ command }) => command)).toEqual([`${long}; ls`, `${long}; rm -rf important`])
  })

  it('must ask before a command of which it sends only a title, and if it does not say where it runs', async () => {
    for (const call of [{ kind: 'execute', title: 'cat a.txt' }, shell({ command: 'cat a.txt' })]) {
      expect(await story.request(call)).toBe('no')
      expect(story.asked).toMatchObject([{ command: 'cat a.txt', cwd: undefined }])
    }
    expect(await story.request(shell({ command: 'cat a.txt', cwd: story.workspace }))).toBe('yes')
    expect(story.asked).toEqual([])
  })

  it('must ask before a read or search that names no path, or one that is not understood', async () => {
    const calls = [
      { kind: 'read' },
      { kind: 'search', rawInput: { pattern: 'x' } },
      { kind: 'search', locations: [{ path: story.workspace }], rawInput: { roots: ['/root'] } },
      { kind: 'read', locations: [{ path: 'https://a.example' }] },
    ].map((call) => ({ title: 'Look', ...call }))
    expect(await story.request(...calls)).toBe('no, no, no, no')
    expect(story.asked).toHaveLength(calls.length)
    for (const { risk, reason } of story.asked)
      expect([risk, reason]).toEqual(['execute', expect.stringMatching(/^It is not clear what it does\. /)])
  })

  it('must ask before an edit or move that names no path, also in cautious mode', async () => {
    await story.setMode('cautious')
    const change = { title: 'Change', rawInput: { old_string: 'a', new_string: 'b' } }
    expect(await story.request({ kind: 'edit', ...change }, { kind: 'move', ...change })).toBe('no, no')
    expect(story.asked).toHaveLength(2)
    const path = join(story.workspace, 'a.txt')
    expect(await story.request({ kind: 'edit', title: 'Edit', rawInput: { file_path: path } })).toBe('yes')
  })

  it('is refused what leads outside, wherever the request names it', async () => {
    await story.setMode('cautious')
    const calls = [
      { kind: 'read', rawInput: { path: '/etc/passwd' } },
      { kind: 'read', locations: [{ path: pathToFileURL('/etc/passwd').href }] },
      { kind: 'search', rawInput: { pattern: 'x', dir: '/root' } },
      { kind: 'edit', rawInput: { file_path: '/root/.bashrc' } },
      { kind: 'move', rawInput: { from: 'a.txt', to: '/root/x' } },
      { kind: 'read', locations: [{ path: '~/x' }] },
    ].map((call) => ({ title: 'Call', ...call }))
    expect(await story.request(...calls)).toBe(calls.map(() => 'no').join(', '))
    expect(story.asked).toEqual([])
  })

  it('must ask before a search in a folder with secret files, and a move of one with protected files', async () => {
    await story.setMode('cautious')
    await mkdir(join(story.workspace, 'src/.github'), { recursive: true })
    await writeFile(join(story.workspace, 'src/.github/ci.yml'), '')
    const search = { kind: 'search', title: 'Search', locations: [{ path: 'src' }] }
    expect(await story.request(search)).toBe('yes')
    const move = { kind: 'move', title: 'Move', locations: [{ path: 'src' }, { path: 'lib' }] }
    expect(await story.request(move)).toBe('no')
    expect(story.asked).toMatchObject([{ reason: expect.stringContaining('src/.github') }])
    await writeFile(join(story.workspace, 'src/.env'), 'KEY=1\n')
    expect(await story.request(search)).toBe('no')
    expect(story.asked).toMatchObject([{ reason: expect.stringContaining('src/.env') }])
  })

  it('must ask before a protected place in every mode, also if the kind does not say what it does', async () => {
    await story.setMode('yolo')
    const call = (path: string) => ({ kind: 'other', title: 'Notebook', rawInput: { path } })
    expect(await story.request(call('.git/config'), call('/elsewhere'))).toBe('no, yes')
    expect(story.asked).toHaveLength(1)
  })

  it('cannot leave out of a request what it has reported about the call before', async () => {
    const call = { toolCallId: 'same', ...shell({ command: 'cat notes', cwd: '/root/.ssh' }) }
    expect(await story.request(call, { ...call, kind: 'read', rawInput: { command: 'cat notes' } })).toBe('no, no')
    const shown = { command: 'cat notes', cwd: '/root/.ssh' }
    expect(story.asked).toMatchObject([shown, shown])
  })

  it('has what else it sends beside a command on the card', async () => {
    const rawInput = { command: 'ls', args: ['-l'], cwd: story.workspace, permissions: { network: true }, timeout: 1 }
    expect(await story.request(shell(rawInput))).toBe('no')
    expect(story.asked).toMatchObject([
      { command: 'ls -l', cwd: '.', arguments: { permissions: { network: true }, timeout: 1 } },
    ])
    expect(story.asked[0]?.reason).toContain('the field "permissions", whose meaning is unknown')
  })

  it('is refused a request that no card can show', async () => {
    await story.setMode('yolo')
    const locations = Array.from({ length: 300 }, (_, index) => ({ path: `${index}.txt` }))
    const calls = [
      { kind: 'execute', title: 'x'.repeat(200_000) },
      { kind: 'edit', title: 'Edit', locations },
    ]
    expect(await story.request(...calls)).toBe('no, no')
    expect((await story.cards()).slice(-2).map(({ result }) => result?.text)).toEqual([
      expect.stringContaining('more than 100,000 characters'),
      expect.stringContaining('more than 200 paths'),
    ])
  })

  it('never gets an answer for more than one call', async () => {
    const option = (kind: string) => ({ optionId: kind, name: kind, kind })
    const offering = (...kinds: string[]) => ({ ...shell({ command: 'make' }), options: kinds.map(option) })
    const calls = [offering('allow_always', 'reject_once'), offering('allow_always', 'reject_always')]
    expect(await story.request(...calls)).toBe('reject_once, cancelled')
    expect(story.asked).toEqual([])
    expect((await story.cards()).at(-1)).toMatchObject({
      state: 'refused',
      result: { text: expect.stringContaining('did not offer a one-time approval') },
    })
    expect(await story.request(offering('allow_once', 'reject_always'))).toBe('cancelled')
    story.decide({ kind: 'once' })
    expect(await story.request(offering('allow_always', 'allow_once'))).toBe('allow_once')
  })

  it('must ask to run a command itself that is allowed in the sandbox', async () => {
    story.decide({ kind: 'exact' })
    story.asked.length = 0
    await story.send('run touch t.txt')
    await story.send('run touch t.txt')
    expect(story.asked).toHaveLength(1)
    const sandboxed = story.asked[0]?.sandbox?.sandboxed
    expect(await story.request(shell({ command: 'touch t.txt', cwd: story.workspace }))).toBe('yes')
    expect(story.asked).toHaveLength(sandboxed === true ? 1 : 0)
  })
})
