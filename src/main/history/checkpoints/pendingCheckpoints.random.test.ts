import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { roundsOf, seededRandom, testSeed, type SeededRandom } from '../../testing/longForm.ts'
import { fakeEditor, temporaryFolder } from '../../tools/testing/toolContext.ts'
import { openWorkspace } from '../../workspace/containment.ts'
import { createDocuments } from '../../workspace/documents.ts'
import { createFileOperations } from '../../workspace/fileOperations.ts'
import { createRestoreTarget } from '../../workspace/restoreTarget.ts'
import { openDatabase } from '../database.ts'
import { createCheckpoints, type Checkpoints } from './checkpoints.ts'
import { hashOf } from './entries.ts'

// Each checkpoint has the state when it began, whatever edits, commands, other checkpoints and restores run beside it.

type State = Record<string, string>

const never = new AbortController().signal
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let data: Awaited<ReturnType<typeof temporaryFolder>>
let db: DatabaseSync
let checkpoints: Checkpoints
let random: SeededRandom
let count: number

const at = (name: string) => path.join(folder.root, name)

beforeEach(async () => {
  random = seededRandom()
  count = 0
  // Enough that a thread reads and watches them.
  const files = Array.from({ length: 600 }, (_, index) => [`d${index % 12}/e/f${index}.txt`, `${index}\n`])
  folder = await temporaryFolder(Object.fromEntries(files) as State)
  data = await temporaryFolder()
  db = (await openDatabase(data.root)).db
  const workspace = await openWorkspace(folder.root)
  const documents = createDocuments(workspace, fakeEditor())
  const target = createRestoreTarget(workspace, documents, createFileOperations(workspace), () => undefined)
  checkpoints = createCheckpoints({ db, root: folder.root, userData: data.root, target })
})
afterEach(async () => {
  await checkpoints.close()
  db.close()
  await Promise.all([folder.remove(), data.remove()])
})

function filesIn(at: string): string[] {
  return readdirSync(at, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(at, entry.name)
    return entry.isDirectory() ? filesIn(file) : [file]
  })
}

async function state(): Promise<State> {
  const files = filesIn(folder.root).map(
    async (file) => [path.relative(folder.root, file), await hashOf(readFileSync(file))] as const,
  )
  return Object.fromEntries(await Promise.all(files))
}

async function stateAt(id: number): Promise<State> {
  const tree = await checkpoints.treeAt(id)
  return Object.fromEntries([...tree].flatMap(([place, entry]) => (entry.kind === 'file' ? [[place, entry.hash]] : [])))
}

const someFile = () => path.relative(folder.root, random.pick([...filesIn(folder.root), at('a.txt')]))
const someFolder = () => `d${random.integer(14)}${random.pick(['', '/e', '/new/deep'])}`
const someText = () => `${random.integer(1000)} ${count++}`

function write(place: string): void {
  rmSync(at(place), { recursive: true, force: true })
  mkdirSync(path.dirname(at(place)), { recursive: true })
  writeFileSync(at(place), someText())
}

/** Chooses a change. @returns the paths that it changes */
function someChange(): { paths: string[]; act(): void } {
  const [file, place] = [someFile(), someFolder()]
  const name = `${place}/f${random.integer(30)}.txt`
  switch (random.integer(4)) {
    case 0:
      return { paths: [file], act: () => write(file) }
    case 1:
      return { paths: [name], act: () => write(name) }
    case 2:
      return { paths: [file], act: () => rmSync(at(file), { force: true }) }
    default: {
      const other = someFolder()
      const canMove = existsSync(at(place)) && !existsSync(at(other)) && !`${other}/`.startsWith(`${place}/`)
      return {
        paths: [place, other],
        act() {
          if (!canMove) return
          mkdirSync(path.dirname(at(other)), { recursive: true })
          renameSync(at(place), at(other))
        },
      }
    }
  }
}

test('random edits, commands, checkpoints and restores', async () => {
  const about = `seed ${testSeed}`
  /** States of complete checkpoints. */
  const taken: { id: number; expected: State }[] = []
  let running: Promise<unknown>[] = []
  const remember = async (expected: State, complete: Promise<{ id: number }>) => {
    const { id } = await complete
    taken.push({ id, expected })
  }
  for (let round = 0; round < roundsOf(400); round++) {
    const action = random.integer(8)
    if (action === 0) {
      // An edit at once, which the scan may read before or after.
      const { paths, act } = someChange()
      const expected = await state()
      for (let conversations = 1 + random.integer(2); conversations > 0; conversations--)
        running.push(
          remember(
            expected,
            checkpoints.pending.begin({ reason: 'r' }, () => undefined, never),
          ),
        )
      if (random() < 0.7) {
        await checkpoints.pending.beforeChange(paths)
        act()
      }
    } else if (action === 1) running.push(checkpoints.pending.prepare())
    else if (action <= 4) {
      const { paths, act } = someChange()
      await checkpoints.pending.beforeChange(paths)
      act()
    } else if (action === 5) {
      await checkpoints.pending.beforeChange(undefined)
      for (let changes = random.integer(5); changes >= 0; changes--) someChange().act()
      // So many that the next scan reads everything.
      if (random() < 0.3) for (const file of filesIn(folder.root).slice(-150)) writeFileSync(file, someText())
    } else {
      await Promise.all(running)
      running = []
      // Another program, beside no checkpoint.
      someChange().act()
      const expected = await state()
      if (random() < 0.7) await remember(expected, checkpoints.take({ reason: 't' }))
      else if (taken.length > 0) {
        const chosen = random.pick(taken)
        const { skipped } = await checkpoints.restore(chosen.id)
        expect(skipped, `${about}, round ${round}`).toEqual([])
        expect(await state(), `${about}, round ${round}`).toEqual(chosen.expected)
      }
      for (const { id, expected: then } of taken.slice(-3))
        expect(await stateAt(id), `${about}, round ${round}, checkpoint ${id}`).toEqual(then)
    }
  }
  await Promise.all(running)
  for (const { id, expected } of taken) expect(await stateAt(id), `${about}, checkpoint ${id}`).toEqual(expected)
  expect(taken.length).toBeGreaterThan(roundsOf(400) / 10)
}, 600_000)
