import { expect, it } from 'vitest'
import { roundsOf, seededRandom, type SeededRandom } from '../testing/longForm.ts'
import { memoryReview, type MemoryReview } from './testing/memoryReview.ts'

// Checkpoints are restored in any order: what differs from before the first change is listed, whoever wrote it back.

const pending = { kind: 'pending' } as const
type Disk = ReadonlyMap<string, { content: Buffer; mode: number }>

interface Round {
  random: SeededRandom
  made: MemoryReview
  original: Disk
  /** Checkpoints with the files of their time. */
  checkpoints: { id: number; disk: Disk }[]
  line(): string
  /** Changes files as the agent, which makes a checkpoint. */
  agent(paths: readonly string[], change: () => void): Promise<void>
}

function differing(one: Disk, other: Disk): string[] {
  const isSame = (path: string) => {
    const [before, after] = [one.get(path), other.get(path)]
    return before && after && before.mode === after.mode && before.content.equals(after.content)
  }
  return [...new Set([...one.keys(), ...other.keys()])].filter((path) => !isSame(path)).toSorted()
}

async function listed({ review }: MemoryReview): Promise<string[]> {
  const { files } = await review.list(pending)
  const paths = files.flatMap(({ path, renamedFrom }) => (renamedFrom === undefined ? [path] : [path, renamedFrom]))
  return [...new Set(paths)].toSorted()
}

async function restore({ made, checkpoints }: Pick<Round, 'made' | 'checkpoints'>, number: number): Promise<void> {
  const { id, disk } = checkpoints[number] ?? { id: 0, disk: new Map() }
  await made.review.restoring(id, async (begun) => {
    begun(made.checkpoint())
    for (const path of made.disk.keys()) if (!disk.has(path)) made.disk.delete(path)
    for (const [path, file] of disk) made.disk.set(path, file)
  })
}

const steps: Record<string, (round: Round, path: string) => Promise<void> | void> = {
  async edit({ random, made, line, agent }, path) {
    const text = made.text(path) ?? ''
    if (text.startsWith('\0')) return
    const lines = text.split(/(?<=\n)/)
    lines.splice(random.integer(lines.length + 1), random.integer(2), line())
    await agent([path], () => made.write(path, lines.join('')))
  },
  async create({ made, line, agent }) {
    const name = line().trim()
    await agent([name], () => made.write(name, line() + line()))
  },
  delete: ({ made, agent }, path) => agent([path], () => made.disk.delete(path)),
  async rename({ made, line, agent }, path) {
    const [name, file] = [line().trim(), made.disk.get(path)]
    await agent([path, name], () => {
      made.disk.delete(path)
      if (file) made.disk.set(name, file)
    })
  },
  binary: ({ made, line, agent }, path) => agent([path], () => made.write(path, `\0\0\0${line()}`)),
  mode({ made, agent }, path) {
    const file = made.disk.get(path)
    return agent([path], () => file && made.disk.set(path, { ...file, mode: file.mode ^ 0o111 }))
  },
  restore: (round) => restore(round, round.random.integer(round.checkpoints.length)),
  'restore again': (round) => restore(round, round.random.integer(round.checkpoints.length)),
  async undo({ random, made, checkpoints }) {
    const { files } = await made.review.list(pending)
    const file = files[random.integer(Math.max(1, files.length))]
    if (!file) return
    expect((await made.review.undo(pending, [{ path: file.path }])).skipped).toEqual([])
    checkpoints.push({ id: made.checkpoint(), disk: new Map(made.disk) })
  },
  restart: ({ made }) => made.restart(),
}

it('lists all changes of the agent after checkpoints were restored in random order, and undoes them', async () => {
  const random = seededRandom()
  for (let number = 0; number < roundsOf(3000); number += 1) {
    const made = memoryReview()
    let count = 0
    const line = () => `${random.integer(1_000_000)} in line ${(count += 1)}\n`
    for (const path of ['a', 'b', 'folder/c']) made.write(path, Array.from({ length: 8 }, line).join(''))
    const original = new Map(made.disk)
    const checkpoints = [{ id: made.checkpoint(), disk: original }]
    const taken: string[] = []
    const agent = async (paths: readonly string[], change: () => void) => {
      await made.agent(`turn ${taken.length}`, random.integer(2) === 0 ? undefined : paths, change)
      checkpoints.push({ id: made.checkpoint(), disk: new Map(made.disk) })
    }
    try {
      for (let step = 0; step < 7; step += 1) {
        const [name, paths] = [random.pick(Object.keys(steps)), [...made.disk.keys()]]
        taken.push(name)
        if (paths.length > 0)
          await steps[name]?.({ random, made, original, checkpoints, line, agent }, random.pick(paths))
        expect(await listed(made)).toEqual(differing(original, made.disk))
      }
      expect((await made.review.undo(pending, 'all')).skipped).toEqual([])
      expect(differing(original, made.disk)).toEqual([])
    } catch (error) {
      throw new Error(`Round ${number} failed after ${taken.join(', ')}.`, { cause: error })
    } finally {
      await made.review.close()
    }
  }
}, 600_000)

it('lists a folder of 300 changed files again when the later checkpoint is restored', async () => {
  const made = memoryReview()
  const paths = Array.from({ length: 300 }, (_, number) => `file ${number}`)
  for (const path of paths) made.write(path, 'before\n')
  const original = new Map(made.disk)
  const checkpoints = [{ id: made.checkpoint(), disk: original }]
  await made.agent('turn', paths, () => {
    for (const path of paths) made.write(path, 'after\n')
  })
  checkpoints.push({ id: made.checkpoint(), disk: new Map(made.disk) })
  await restore({ made, checkpoints }, 0)
  expect(await listed(made)).toEqual([])
  await made.restart()
  await restore({ made, checkpoints }, 1)
  expect(await listed(made)).toHaveLength(300)
  await made.review.close()
})
