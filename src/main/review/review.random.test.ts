import { expect, it } from 'vitest'
import type { ReviewScope } from '../../shared/review/review.ts'
import { roundsOf, seededRandom, type SeededRandom } from '../testing/longForm.ts'
import { memoryReview, type MemoryReview } from './testing/memoryReview.ts'

const pending: ReviewScope & { kind: 'pending' } = { kind: 'pending' }
type Lines = readonly string[]

/** What the review must contain, from the rules alone. Every new line is unique, so there is one way to compare. */
interface Reference {
  base: Lines | null
  current: Lines | null
}
interface ReferenceHunk {
  base: [number, number]
  current: [number, number]
}

const digits = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
/** A line unlike all others, so that none passes for another one with a few other characters. */
const lineOf = (number: number) =>
  String(number)
    .split('')
    .map((digit) => digits[Number(digit)])
    .join(' ')

const textOf = (lines: Lines | null) => (lines === null ? null : lines.map((line) => `${line}\n`).join(''))

/** The runs of lines between those that both texts contain. */
function hunksOf({ base, current }: Reference): ReferenceHunk[] {
  const [old, now] = [base ?? [], current ?? []]
  const hunks: ReferenceHunk[] = []
  let [at, nowAt] = [0, 0]
  const close = (end: number, nowEnd: number) => {
    if (end > at || nowEnd > nowAt) hunks.push({ base: [at, end], current: [nowAt, nowEnd] })
    at = end + 1
    nowAt = nowEnd + 1
  }
  for (const [index, line] of old.entries()) if (now.includes(line)) close(index, now.indexOf(line))
  close(old.length, now.length)
  return hunks
}

/** Replaces lines of the current text by those of the user. */
function userEdit(file: Reference, start: number, end: number, lines: Lines): Reference {
  const now = file.current ?? []
  const current = now.toSpliced(start, end - start, ...lines)
  if (file.base === null) return { ...file, current }
  const hunks = hunksOf(file)
  const touches = hunks.some(({ current: [from, to] }) =>
    from === to || start === end ? from <= end && start <= to : from < end && start < to,
  )
  if (touches) return { ...file, current }
  const grown = hunks
    .filter(({ current: [, to] }) => to <= start)
    .reduce((sum, hunk) => sum + (hunk.current[1] - hunk.current[0]) - (hunk.base[1] - hunk.base[0]), 0)
  return { base: file.base.toSpliced(start - grown, end - start, ...lines), current }
}

function kept(file: Reference, hunk: ReferenceHunk): Reference {
  const lines = (file.current ?? []).slice(...hunk.current)
  const base = (file.base ?? []).toSpliced(hunk.base[0], hunk.base[1] - hunk.base[0], ...lines)
  return { ...file, base: file.current === null ? null : base }
}

function undone(file: Reference, hunk: ReferenceHunk): Reference {
  const lines = (file.base ?? []).slice(...hunk.base)
  const current = (file.current ?? []).toSpliced(hunk.current[0], hunk.current[1] - hunk.current[0], ...lines)
  return { ...file, current: file.base === null ? null : current }
}

const paths = ['a', 'b'] as const
interface Round {
  random: SeededRandom
  made: MemoryReview
  files: Map<string, Reference>
  /** Texts in the latest commit. */
  committed: Map<string, string | null>
  line(): string
  steps: string[]
  /** States before the last actions, to revert to; cleared by every other change. */
  past: Map<string, Reference>[]
  future: Map<string, Reference>[]
  /** What undo and redo in the editor return to, by path. Cleared by what changes the base: a keep or a commit. */
  stacks: Map<string, { states: Reference[]; at: number }>
  /** Files that git has stashed, and what it left in their place. */
  stash: Map<string, { stashed: Reference; left: Reference }> | null
  /** Lines of the agent that the user has not kept. */
  ofAgent: Set<string>
  /** Lines that the agent has deleted. If the user deletes one again, nothing tells this from a redo. */
  deleted: Set<string>
}

/** Goes through the states of the editor, one by one, as the user presses undo or redo, and saves. */
async function travel(round: Round, by: -1 | 1): Promise<void> {
  const { random, made, files, stacks } = round
  const path = random.pick(paths)
  const stack = stacks.get(path)
  const times = 1 + random.integer(2)
  for (let time = 0; time < times; time += 1) {
    const next = stack?.states[stack.at + by]
    if (!stack || !next || next.current === null || files.get(path)?.current === null) return
    stack.at += by
    files.set(path, next)
    const text = textOf(next.current) ?? ''
    made.type(path, text)
    if (random.integer(2) === 0) await made.review.list(pending)
    made.tabs.delete(path)
    made.write(path, text)
    made.review.saved(path)
    await check(round)
  }
}

/** Writes a text as git does. What the rules say of its base depends on where the user had changed lines, so it is read. */
async function writeByGit(round: Round, path: string, current: Lines | null): Promise<void> {
  const { made, files } = round
  const text = textOf(current)
  if (text === null) made.disk.delete(path)
  else made.write(path, text)
  made.review.changedOnDisk([path])
  const listed = await made.review.list(pending)
  const shown = listed.files.find((file) => file.path === path)
  if (!shown) files.set(path, { base: current, current })
  else {
    const { baseText } = await made.review.file(pending, path)
    files.set(path, { base: shown.change === 'created' ? null : baseText.split('\n').slice(0, -1), current })
  }
}

/** Remembers the texts for undo in the editor, and the lines of the agent that were kept. */
function follow({ files, stacks, ofAgent }: Round, step: string): void {
  for (const [path, file] of files) {
    const stack = stacks.get(path) ?? { states: [], at: -1 }
    const last = stack.states[stack.at]
    const changesBase = ['keep', 'commit', 'revert', 'redo'].some((name) => step.startsWith(name))
    if (changesBase && textOf(last?.base ?? null) !== textOf(file.base)) stacks.set(path, { states: [file], at: 0 })
    else if (textOf(last?.current ?? null) !== textOf(file.current) || !last)
      stacks.set(path, { states: [...stack.states.slice(0, stack.at + 1), file], at: stack.at + 1 })
    else stack.states[stack.at] = file
    for (const line of file.base ?? []) if (changesBase) ofAgent.delete(line)
  }
}

const steps: Record<string, (round: Round) => Promise<void> | void> = {
  async agentEdit(round) {
    const { random, made, files } = round
    const path = random.pick(paths)
    const file = referenceOf(round, path)
    const [start, end, lines] = randomEdit(round, file)
    const next = { ...file, current: (file.current ?? []).toSpliced(start, end - start, ...lines) }
    files.set(path, next)
    await made.agent(random.pick(['t1', 't2', null]), [path], () => made.write(path, textOf(next.current) ?? ''))
  },
  async command({ random, made, files, ...round }) {
    await made.agent(random.pick(['t1', 't2']), undefined, () => {
      for (const path of paths) {
        const file = files.get(path) ?? { base: null, current: null }
        const lines = [...(file.current ?? []), round.line()]
        if (random.integer(4) === 0 && file.current !== null) {
          files.set(path, { ...file, current: null })
          made.disk.delete(path)
        } else if (random.integer(2) === 0) {
          files.set(path, { ...file, current: lines })
          made.write(path, textOf(lines) ?? '')
        }
      }
    })
  },
  async userSaves(round) {
    const { random, made, files } = round
    const path = random.pick(paths)
    const file = referenceOf(round, path)
    if (file.current === null) return
    const edit = randomEdit(round, file)
    if (file.current.slice(edit[0], edit[1]).some((line) => round.deleted.has(line))) return
    const next = userEdit(file, ...edit)
    files.set(path, next)
    if (random.integer(2) === 0) {
      // Typed first, and saved after the review has seen the unsaved text.
      made.type(path, textOf(next.current) ?? '')
      await made.review.list(pending)
      made.tabs.delete(path)
    }
    made.write(path, textOf(next.current) ?? '')
    made.review.saved(path)
  },
  async keepHunk(round) {
    await actOnHunk(round, 'keep')
  },
  async undoHunk(round) {
    await actOnHunk(round, 'undo')
  },
  async keepAll({ made, files, ...round }) {
    const before = new Map(files)
    const { changed } = await made.review.keep(pending, 'all')
    if (changed.length > 0) remember(before, round)
    for (const [path, file] of files) files.set(path, { ...file, base: file.current })
  },
  async undoAll({ made, files, ...round }) {
    const before = new Map(files)
    const { changed } = await made.review.undo(pending, 'all')
    if (changed.length > 0) remember(before, round)
    for (const [path, file] of files) files.set(path, { ...file, current: file.base })
  },
  async revert({ made, files, past, future }) {
    const before = past.pop()
    if (!before) return
    future.push(new Map(files))
    expect((await made.review.revert()).skipped).toEqual([])
    for (const [path, file] of before) files.set(path, file)
  },
  async redo({ made, files, past, future }) {
    const after = future.pop()
    if (!after) return
    past.push(new Map(files))
    expect((await made.review.redo()).skipped).toEqual([])
    for (const [path, file] of after) files.set(path, file)
  },
  async commit({ random, made, files, committed }) {
    await made.review.list(pending)
    const chosen = random.integer(2) === 0 ? paths : [random.pick(paths)]
    const first = committed.size === 0
    made.commit(chosen)
    for (const path of paths) {
      const file = files.get(path)
      const before = committed.get(path) ?? null
      const after = file && chosen.includes(path) ? textOf(file.current) : before
      committed.set(path, after)
      if (file && (first ? after !== null : after !== before)) files.set(path, { ...file, base: file.current })
    }
  },
  restart: ({ made }) => made.restart(),
  editorUndo: (round) => travel(round, -1),
  editorRedo: (round) => travel(round, 1),
  async gitRevert(round) {
    const path = round.random.pick(paths)
    const committed = round.committed.get(path)
    const first = round.stacks.get(path)?.states[0]?.current ?? null
    await writeByGit(round, path, committed === undefined ? first : (committed?.split('\n').slice(0, -1) ?? null))
  },
  /** To a branch that has another text, or none. */
  async gitCheckout(round) {
    const { random, stacks } = round
    const path = random.pick(paths)
    const states = stacks.get(path)?.states ?? []
    await writeByGit(round, path, random.pick([...states.map(({ current }) => current), null, [round.line()]]))
  },
  async gitStash(round) {
    round.stash = new Map()
    for (const path of paths) {
      const stashed = referenceOf(round, path)
      await writeByGit(round, path, round.committed.get(path)?.split('\n').slice(0, -1) ?? null)
      round.stash.set(path, { stashed, left: referenceOf(round, path) })
    }
  },
  async gitStashPop({ made, files, stash, ...round }) {
    const isSame = [...(stash ?? [])].every(([path, { left }]) => files.get(path) === left)
    for (const [path, { stashed }] of isSame ? (stash ?? []) : []) {
      files.set(path, stashed)
      const text = textOf(stashed.current)
      if (text === null) made.disk.delete(path)
      else made.write(path, text)
      made.review.changedOnDisk([path])
    }
    if (isSame) Object.assign(round, { stash: null })
  },
}
/** Steps after which an earlier action cannot be reverted to the same state. */
const changes = [
  'agentEdit',
  'command',
  'userSaves',
  'commit',
  'editorUndo',
  'editorRedo',
  'gitRevert',
  'gitCheckout',
  'gitStash',
  'gitStashPop',
]

const byAgent = ['agentEdit', 'command']

function referenceOf({ files, made }: Round, path: string): Reference {
  const current = made.text(path)?.split('\n').slice(0, -1) ?? null
  return files.get(path) ?? { base: current, current }
}

function randomEdit({ random, line }: Round, { current }: Reference): [number, number, Lines] {
  const count = current?.length ?? 0
  const start = random.integer(count + 1)
  const end = Math.min(count, start + random.integer(3))
  const lines = Array.from({ length: random.integer(3) }, line)
  return [start, end, lines.length === 0 && start === end ? [line()] : lines]
}

function remember(files: Map<string, Reference>, { past, future }: Pick<Round, 'past' | 'future'>): void {
  past.push(new Map(files))
  future.length = 0
}

async function actOnHunk({ random, made, files, past, future }: Round, kind: 'keep' | 'undo'): Promise<void> {
  const path = random.pick(paths)
  const file = files.get(path)
  const hunks = file ? hunksOf(file) : []
  const hunk = hunks[random.integer(Math.max(1, hunks.length))]
  if (!file || !hunk) return
  const { hunkList, revision } = await made.review.hunks(pending, path)
  const id = hunkList[hunks.indexOf(hunk)]?.id ?? ''
  remember(files, { past, future })
  expect(await made.review[kind](pending, [{ path, hunks: [id], revision }])).toEqual({ changed: [path], skipped: [] })
  files.set(path, kind === 'keep' ? kept(file, hunk) : undone(file, hunk))
}

async function check({ made, files, ofAgent }: Round): Promise<void> {
  const listed = await made.review.list(pending)
  for (const [path, file] of files) {
    expect(made.text(path)).toBe(textOf(file.current))
    // Lines of the agent are in hunks until the user keeps them.
    expect(file.base?.filter((line) => ofAgent.has(line)) ?? []).toEqual([])
    const expected = hunksOf(file)
    const shown = listed.files.find((each) => each.path === path)
    const same = (file.base === null) === (file.current === null) && expected.length === 0
    if (same) {
      expect(shown).toBe(undefined)
      continue
    }
    const { baseText, hunkList } = await made.review.file(pending, path)
    expect(baseText).toBe(textOf(file.base) ?? '')
    expect(hunkList.map(({ base, current }) => [base.start - 1, base.count, current.start - 1, current.count])).toEqual(
      expected.map(({ base, current }) => [base[0], base[1] - base[0], current[0], current[1] - current[0]]),
    )
  }
}

it('agrees with the rules in random sequences of edits, commands, keeps, undos, reverts, commits, restarts, undo and redo in the editor and changes by git', async () => {
  const random = seededRandom()
  for (let number = 0; number < roundsOf(10_000); number += 1) {
    let lines = 0
    const made = memoryReview()
    const round: Round = {
      random,
      made,
      files: new Map(),
      committed: new Map(),
      line: () => lineOf((lines += 1)),
      steps: [],
      past: [],
      future: [],
      stacks: new Map(),
      stash: null,
      ofAgent: new Set(),
      deleted: new Set(),
    }
    for (const path of paths) {
      if (random.integer(4) > 0) made.write(path, textOf(Array.from({ length: 6 }, round.line)) ?? '')
      round.files.set(path, referenceOf(round, path))
    }
    follow(round, 'start')
    try {
      for (let step = 0; step < 10; step += 1) {
        const name = random.pick(Object.keys(steps))
        round.steps.push(name)
        if (changes.includes(name)) round.past.length = round.future.length = 0
        const before = { lines, current: paths.flatMap((path) => referenceOf(round, path).current ?? []) }
        await steps[name]?.(round)
        if (byAgent.includes(name)) {
          for (let n = before.lines + 1; n <= lines; n += 1) round.ofAgent.add(lineOf(n))
          const now = new Set(paths.flatMap((path) => referenceOf(round, path).current ?? []))
          for (const line of before.current) if (!now.has(line)) round.deleted.add(line)
        }
        follow(round, name)
        await check(round)
      }
    } catch (error) {
      throw new Error(`Round ${number} failed after ${round.steps.join(', ')}.`, { cause: error })
    } finally {
      await made.review.close()
    }
  }
}, 600_000)

it('undoes and keeps single turns in random order, without touching the lines of other turns', async () => {
  const random = seededRandom()
  for (let number = 0; number < roundsOf(3_000); number += 1) {
    let count = 0
    const made = memoryReview()
    made.write('a', textOf(Array.from({ length: 8 }, () => `line ${(count += 1)}`)) ?? '')
    const now = () => made.text('a')?.split('\n').slice(0, -1) ?? []
    const turns = ['t1', 't2', 't3', 't4']
    const added = new Map<string, string[]>()
    for (const turn of turns) {
      const start = random.integer(now().length + 1)
      const lines = Array.from({ length: 1 + random.integer(2) }, () => `line ${(count += 1)} of ${turn}`)
      added.set(turn, lines)
      const next = textOf(now().toSpliced(start, random.integer(3), ...lines)) ?? ''
      await made.agent(turn, ['a'], () => made.write('a', next))
    }
    const steps: string[] = []
    try {
      for (let step = 0; step < 6; step += 1) {
        const turn = random.pick(turns)
        const kind = random.pick(['undo', 'keep', 'restart'] as const)
        steps.push(`${kind} ${turn}`)
        const scope = { kind: 'turn', turns: new Set([turn]) } as const
        const before = now()
        const lists = await Promise.all(turns.map((id) => made.review.list({ kind: 'turn', turns: new Set([id]) })))
        if (kind === 'restart') {
          await made.restart()
          continue
        }
        const { changed, skipped } = await made.review[kind](scope, 'all')
        if (changed.length === 0) {
          expect(now()).toEqual(before)
          continue
        }
        expect(skipped).toEqual([])
        expect((await made.review.list(scope)).files).toEqual([])
        const own = added.get(turn) ?? []
        // An undo can return lines of other turns that the turn had removed.
        const others = (lines: string[]) => lines.filter((line) => before.includes(line) && !own.includes(line))
        expect(others(now())).toEqual(others(before))
        if (kind === 'keep') expect(now()).toEqual(before)
        else if (random.integer(2) === 0) {
          await made.review.revert()
          expect(now()).toEqual(before)
          for (const [index, id] of turns.entries()) {
            const { files } = await made.review.list({ kind: 'turn', turns: new Set([id]) })
            expect(files).toMatchObject(lists[index]?.files.map(({ added, removed }) => ({ added, removed })) ?? [])
          }
        }
      }
    } catch (error) {
      throw new Error(`Round ${number} failed after ${steps.join(', ')}.`, { cause: error })
    } finally {
      await made.review.close()
    }
  }
}, 600_000)
