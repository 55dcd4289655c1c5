import { expect, it } from 'vitest'
import { isLongForm, roundsOf, seededRandom } from '../testing/longForm.ts'
import { memoryReview, type MemoryReview } from './testing/memoryReview.ts'

// A file with three changes of the agent, and everything that can take them away and bring them back.

const pending = { kind: 'pending' } as const
const path = 'users.ts'
const original = `// Keeps users.
export const limit = 10

export function add(name: string): void {
  users.push(name)
}

export function find(name: string): boolean {
  return users.includes(name)
}

const users: string[] = []
`
const changes = [
  ['limit = 10', 'limit = 20'],
  ['  users.push', "  if (users.length === limit) throw new Error('full')\n  users.push"],
  ['string[] = []', "string[] = ['Ada']"],
] as const
/** Which of the changes are in the text. */
type State = readonly boolean[]
const all: State = [true, true, true]
const none: State = [false, false, false]

const textOf = (state: State): string =>
  changes.reduce((text, [from, to], index) => (state[index] === true ? text.replace(from, to) : text), original)

interface Sequence {
  made: MemoryReview
  /** Of the tab, or of the disk if the tab is saved. */
  state: State
  /** On disk. */
  saved: State
  /** What undo and redo in the editor return to. */
  stack: State[]
  at: number
  stash: State | null
}

/** Writes as a program does. @param first what the disk has for a moment, which the review may see */
async function write(sequence: Sequence, state: State, first?: string | null): Promise<void> {
  const { made } = sequence
  made.tabs.delete(path)
  if (first !== undefined) {
    if (first === null) made.disk.delete(path)
    else made.write(path, first)
    made.review.changedOnDisk([path])
    await made.review.list(pending)
  }
  made.write(path, textOf(state))
  made.review.changedOnDisk([path])
  enter(sequence, state)
  sequence.saved = state
}

function enter(sequence: Sequence, state: State): void {
  sequence.state = state
  sequence.stack = [...sequence.stack.slice(0, sequence.at + 1), state]
  sequence.at = sequence.stack.length - 1
}

function travel(sequence: Sequence, by: -1 | 1): void {
  const next = sequence.stack[sequence.at + by]
  if (!next) return
  sequence.at += by
  sequence.state = next
  sequence.made.type(path, textOf(next))
}

async function undoHunk(sequence: Sequence, index: number): Promise<void> {
  const { made, state } = sequence
  if (state[index] !== true) return
  const { hunkList, revision } = await made.review.hunks(pending, path)
  const id = hunkList[state.slice(0, index).filter(Boolean).length]?.id ?? ''
  const isSaved = !made.tabs.has(path)
  expect(await made.review.undo(pending, [{ path, hunks: [id], revision }])).toEqual({ changed: [path], skipped: [] })
  enter(sequence, state.with(index, false))
  if (isSaved) sequence.saved = sequence.state
}

/** Half of the text, as a reader sees it while a program writes it. */
const partOf = (state: State) => textOf(state).slice(0, textOf(state).indexOf('users.push') + 4)

const steps: Record<string, (sequence: Sequence) => Promise<void> | void> = {
  'undo in the editor': (sequence) => travel(sequence, -1),
  'redo in the editor': (sequence) => travel(sequence, 1),
  save(sequence) {
    const { made, state } = sequence
    if (!made.tabs.has(path)) return
    made.write(path, textOf(state))
    made.tabs.delete(path)
    made.review.saved(path)
    sequence.saved = state
  },
  'undo the first hunk': (sequence) => undoHunk(sequence, 0),
  'undo the second hunk': (sequence) => undoHunk(sequence, 1),
  'git revert': (sequence) => write(sequence, none),
  'git checkout, which deletes the file first': (sequence) => write(sequence, none, null),
  "git checkout of the agent's branch": (sequence) => write(sequence, all, null),
  async 'git stash'(sequence) {
    sequence.stash = sequence.saved
    await write(sequence, none)
  },
  async 'git stash pop'(sequence) {
    if (!sequence.stash) return
    const popped = sequence.stash
    sequence.stash = null
    await write(sequence, popped)
  },
  'a program empties the file first': (sequence) => write(sequence, all, ''),
  'a program writes one half and then the other': (sequence) => write(sequence, [true, true, false], partOf(all)),
  'a program removes changes in two halves': (sequence) => write(sequence, [false, false, true], partOf(none)),
  restart: ({ made }) => made.restart(),
}

async function follow(names: readonly string[]): Promise<void> {
  const made = memoryReview()
  try {
    made.write(path, original)
    await made.agent('t1', [path], () => made.write(path, textOf(all)))
    const sequence: Sequence = { made, state: all, saved: all, stack: [none, all], at: 1, stash: null }
    for (const name of names) {
      await steps[name]?.(sequence)
      const listed = await made.review.list(pending)
      const left = sequence.state.filter(Boolean).length
      expect(listed.files.map(({ hunks }) => hunks)).toEqual(left === 0 ? [] : [left])
      if (left > 0) expect((await made.review.file(pending, path)).baseText).toBe(original)
    }
    await made.review.undo(pending, 'all')
    expect(made.tabs.get(path) ?? made.text(path)).toBe(original)
  } catch (error) {
    throw new Error(`Failed in: ${names.join(', ')}.`, { cause: error })
  } finally {
    await made.review.close()
  }
}

it('three hunks are listed after each step of a sequence of undos, redos, saves, changes by git and programs, and restarts, while their text is there', async () => {
  const names = Object.keys(steps)
  const extended = (sequences: string[][]) => sequences.flatMap((sequence) => names.map((name) => [...sequence, name]))
  const everyFour = isLongForm ? extended(extended(extended(extended([[]])))) : []
  for (const sequence of everyFour) await follow(sequence)
  const random = seededRandom()
  for (let round = 0; round < roundsOf(5000); round += 1)
    await follow(Array.from({ length: 4 + random.integer(3) }, () => random.pick(names)))
}, 1_800_000)

it('three hunks return with git stash pop after an undo of one, undo in the editor and a save', () =>
  follow(['undo the first hunk', 'undo in the editor', 'save', 'git stash', 'git stash pop']))

it.each([
  ['file that git deletes before it writes it', "git checkout of the agent's branch"],
  ['text that a program empties before it writes it', 'a program empties the file first'],
])('three hunks return with a %s', (_, step) => follow(['git revert', step]))

it('three hunks return after a program wrote the file in two halves', () =>
  follow([
    'a program writes one half and then the other',
    'a program removes changes in two halves',
    'redo in the editor',
    'undo in the editor',
    'undo in the editor',
  ]))
