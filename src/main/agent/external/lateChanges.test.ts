import { execFileSync } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startStory, storyHome, type AgentStory, type StoryOptions } from './testing/agentStory.ts'

const never = new AbortController().signal

let place: Awaited<ReturnType<typeof storyHome>>
let story: AgentStory
beforeEach(async () => {
  place = await storyHome()
})
afterEach(async () => {
  await story.core.dispose()
  await place.remove()
})

const file = (name: string) => join(place.workspace, name)
const read = (name: string) => readFile(file(name), 'utf8').catch(() => '')

async function start(options: StoryOptions = {}) {
  story = await startStory(place, options)
  if (options.host === 'browser') await story.watching
}

/** Runs a turn after which the agent writes a file, and returns when it has. */
async function turnThatWritesLater(name: string): Promise<void> {
  const sign = join(place.home, `sign-${name}`)
  expect(await story.send(`later ${file(name)} ${sign}`)).toBe('done')
  await writeFile(sign, '')
  await expect.poll(() => read(name)).toMatch(/^written later\n/)
}

describe('what an external agent changes after its turn', () => {
  it('is in the review with the next turn, as a change of the turn before', async () => {
    await start()
    await turnThatWritesLater('late.txt')
    const [first] = await story.items()
    await story.send('hello')
    await expect.poll(story.changed).toEqual(['late.txt'])
    const scope = { kind: 'turn', conversation: story.conversation, message: first?.id ?? '' } as const
    const { files } = await story.core.handlers['review.list']({ scope }, never)
    expect(files.map(({ path }) => path)).toEqual(['late.txt'])
  })

  it('is in the review when its process has ended', async () => {
    await start()
    await turnThatWritesLater('late.txt')
    await story.core.handlers['workspace.close']({}, never)
    await story.core.openWorkspace(place.workspace)
    expect(await story.changed()).toEqual(['late.txt'])
  })

  it('is in the review at once if the folder is watched, also in a file that it has changed before', async () => {
    await start({ host: 'browser' })
    const before = 'line\n'.repeat(30)
    await writeFile(file('b.txt'), before)
    await story.send(`append ${file('b.txt')}`)
    await expect.poll(story.changed).toEqual(['b.txt'])
    await turnThatWritesLater('late.txt')
    await expect.poll(story.changed, { timeout: 10_000 }).toEqual(['b.txt', 'late.txt'])
    await turnThatWritesLater('b.txt')
    const scope = { kind: 'pending' } as const
    const hunks = async () => (await story.core.handlers['review.hunks']({ scope, path: 'b.txt' }, never)).hunkList
    await expect.poll(async () => (await hunks()).length, { timeout: 10_000 }).toBe(2)
    await story.core.handlers['review.undo']({ scope, targets: 'all' }, never)
    expect(await read('b.txt')).toBe(before)
    expect(await read('late.txt')).toBe('')
  })
})

describe('what the user changes between two turns', () => {
  it('in the editor or explorer is not in the review', async () => {
    await start({ host: 'browser' })
    await writeFile(file('b.txt'), 'two\n')
    await story.send('hello')
    const { handlers } = story.core
    const { format, stamp } = await handlers['files.read']({ path: 'a.txt' }, never)
    if (format === undefined) throw new Error('It is no text.')
    await handlers['files.write']({ path: 'a.txt', text: 'by the user\n', format, stamp, force: false }, never)
    await handlers['files.create']({ path: 'c.txt', directory: false }, never)
    await handlers['files.move']({ from: 'c.txt', to: 'd.txt' }, never)
    await handlers['files.delete']({ path: 'b.txt', keep: false }, never)
    await turnThatWritesLater('late.txt')
    await expect.poll(story.changed, { timeout: 10_000 }).toEqual(['late.txt'])
  })

  it('by checking out another commit is not in the review', async () => {
    await start()
    const git = (...args: string[]) => execFileSync('git', ['-C', place.workspace, ...args], { stdio: 'ignore' })
    git('init', '-q')
    git('config', 'user.name', 'A')
    git('config', 'user.email', 'a@b.c')
    git('add', '.')
    git('commit', '-qm', 'first')
    git('rm', '-q', 'a.txt')
    git('commit', '-qm', 'second')
    await story.send('hello')
    git('checkout', '-q', 'HEAD~1')
    await story.send('hello')
    expect(await story.changed()).toEqual([])
    await rm(file('a.txt'))
    await story.send('hello')
    // Nothing tells a deletion in a terminal from one by the agent.
    await expect.poll(story.changed).toEqual(['a.txt'])
  })
})
