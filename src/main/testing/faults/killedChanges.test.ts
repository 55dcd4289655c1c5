import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createCore, type Core } from '../../core.ts'
import { sweepTemporary } from '../../workspace/sweepTemporary.ts'
import { chosenCases, isLongForm, seededRandom, testSeed } from '../longForm.ts'
import { coreOptionsFor, killedChanges, originalFiles } from './killedChange.ts'

// After a kill at any step of a change, the review lists exactly what differs from before, and its undo restores that.

const never = new AbortController().signal
const script = path.join(import.meta.dirname, 'killedChange.ts')
/** Number of kills of each change. */
const kills = isLongForm ? 12 : 2
const scope = { kind: 'pending' } as const

let home: string
let core: Core | undefined

beforeAll(async () => {
  home = await realpath(await mkdtemp(path.join(tmpdir(), 'tizona-killed-')))
  for (const [name, { content, mode }] of originalFiles()) {
    const file = path.join(home, 'original', name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, content)
    await chmod(file, mode)
  }
})
afterEach(async () => {
  await core?.dispose()
  core = undefined
})
afterAll(() => rm(home, { recursive: true, force: true }))

/** Runs a change in a process of its own. @returns the number of its steps; null if it was killed */
async function runChange(change: string, place: string, killAt?: number): Promise<number | null> {
  const [folder, data] = [path.join(place, 'folder'), path.join(place, 'data')]
  await cp(path.join(home, 'original'), folder, { recursive: true, mode: 0 })
  const child = spawn(process.execPath, ['--no-warnings', script, JSON.stringify({ change, folder, data, killAt })])
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  await once(child, 'close')
  if (child.signalCode === 'SIGKILL') return null
  const steps = /^steps (\d+)$/m.exec(printed)?.[1]
  if (steps === undefined) throw new Error(`"${change}" failed: ${printed.slice(-3000)}`)
  return Number(steps)
}

/** Returns all files by path, with their permissions and bytes, and all folders. */
async function stateOf(root: string): Promise<Map<string, string>> {
  const state = new Map<string, string>()
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name)
    const { mode } = await lstat(file)
    const content = entry.isDirectory() ? '' : (await readFile(file)).toString('latin1')
    state.set(path.relative(root, file), entry.isDirectory() ? 'folder' : `${(mode & 0o777).toString(8)} ${content}`)
  }
  return state
}

/** Returns the files that differ, sorted. */
function differing(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): string[] {
  const isFile = (name: string) =>
    (one.get(name) ?? 'folder') !== 'folder' || (other.get(name) ?? 'folder') !== 'folder'
  return [...new Set([...one.keys(), ...other.keys()])]
    .filter((name) => isFile(name) && one.get(name) !== other.get(name))
    .toSorted()
}

/** Returns the folders without a file below them. A review has files only, so these may remain. */
function emptyFolders(state: ReadonlyMap<string, string>): string[] {
  const files = [...state].filter(([, content]) => content !== 'folder').map(([name]) => name)
  return [...state.keys()]
    .filter((name) => !files.some((file) => file === name || file.startsWith(`${name}/`)))
    .toSorted()
}

async function expectReview(change: string, place: string): Promise<void> {
  const root = path.join(place, 'folder')
  await sweepTemporary(root, never, { minAgeMs: 0 })
  const original = await stateOf(path.join(home, 'original'))
  const problems: string[] = []
  core = await createCore(coreOptionsFor(path.join(place, 'data')))
  core.subscribe((name, payload) => {
    if (name === 'notice' && payload && 'message' in payload) problems.push(payload.message)
  })
  await core.openWorkspace(root)
  const { files } = await core.handlers['review.list']({ scope }, never)
  // Opening the folder ends a rename that was undone by half.
  const left = await stateOf(root)
  const listed = files.flatMap((file) => [file.path, ...(file.renamedFrom === undefined ? [] : [file.renamedFrom])])
  // What was kept is no longer listed, and stays.
  const kept = change === 'keep all' ? differing(original, left).filter((name) => !listed.includes(name)) : []
  expect(listed.toSorted()).toEqual(differing(original, left).filter((name) => !kept.includes(name)))
  const { skipped } = await core.handlers['review.undo']({ scope, targets: 'all' }, never)
  expect(skipped).toEqual([])
  const undone = await stateOf(root)
  expect(differing(original, undone)).toEqual(kept)
  expect(differing(left, undone).filter((name) => kept.includes(name))).toEqual([])
  const empty = emptyFolders(left)
  if (kept.length === 0)
    expect([...undone.keys()].filter((name) => !original.has(name) && !empty.includes(name))).toEqual([])
  expect((await core.handlers['review.list']({ scope }, never)).files).toEqual([])
  expect(problems).toEqual([])
}

describe.skipIf(process.platform !== 'linux')('a kill in the middle of a change', () => {
  const random = seededRandom(testSeed)

  it.each(chosenCases(Object.keys(killedChanges), 3))(
    '%s: the review lists exactly what differs from before, and its undo restores that',
    { timeout: 1_800_000 },
    async (change) => {
      const whole = path.join(home, 'whole')
      await rm(whole, { recursive: true, force: true })
      const steps = await runChange(change, whole)
      expect(steps).toBeGreaterThan(1)
      for (let kill = 0; kill < kills; kill += 1) {
        const at = 1 + Math.floor(((kill + random()) / kills) * (steps ?? 0))
        const place = path.join(home, `kill ${at}`)
        // The number of steps varies a little, so the last ones may not come.
        for (let wanted = at; ; wanted = Math.ceil(wanted / 2)) {
          await rm(place, { recursive: true, force: true })
          if ((await runChange(change, place, wanted)) === null) break
          expect(wanted, `${change} ended before step ${wanted}`).toBeGreaterThan(1)
        }
        try {
          await expectReview(change, place)
        } catch (error) {
          throw new Error(`Killed at step ${at} of ${steps}: ${String(error)}`, { cause: error })
        }
        await core?.dispose()
        core = undefined
      }
    },
  )
})
