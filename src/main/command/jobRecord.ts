import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { isRunning, processOf, thisProcess } from '../base/processIdentity.ts'
import { endTree } from './processTree.ts'
import { Sequencer } from '../../shared/sequencer.ts'

/**
 * The commands of one running Tizona, kept in the user's own folder so that the next start can end what a killed one left behind.
 * A process is only ended when it carries the mark of the record in its environment, or is the very process of the record: same id and same
 * start time.
 */
export interface JobRecord {
  /** Before a command is started: from then on something may be left behind. */
  open(): Promise<void>
  /** A command was started. */
  add(pid: number): Promise<void>
  /** Nothing of these commands is left. */
  close(): Promise<void>
}

const identitySchema = z.object({ pid: z.number().int().positive(), start: z.string() })
const recordSchema = z.object({
  /** The Tizona that runs the commands. */
  owner: identitySchema,
  /** Begins the marks of all its commands. Random, so that nothing else begins like it. */
  mark: z.string().min(16),
  commands: z.array(identitySchema),
})
type RecordFile = z.infer<typeof recordSchema>

/** Commands that are remembered by id; older ones are found by their mark. */
const maxCommands = 200

/**
 * @param folder where the records of all Tizona processes are
 * @param mark begins the mark of every command
 */
export function createJobRecord(folder: string, mark: string): JobRecord {
  const file = path.join(folder, `${mark}.json`)
  const commands: RecordFile['commands'] = []
  const writes = new Sequencer()
  let opened: Promise<void> | undefined

  async function write(): Promise<void> {
    const record: RecordFile = { owner: thisProcess(), mark, commands: commands.slice(-maxCommands) }
    await writeFile(file, JSON.stringify(record), { mode: 0o600 })
  }

  return {
    open() {
      opened ??= writes.queue(async () => {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        await write()
      })
      return opened
    },
    add(pid) {
      commands.push(processOf(pid))
      return writes.queue(write)
    },
    close: () => writes.queue(() => rm(file, { force: true })),
  }
}

/**
 * Ends what commands of killed Tizona processes left running. Commands of those that still run stay.
 * @returns how many records were of a process that is gone
 */
export async function endOrphans(folder: string, graceMs: number): Promise<number> {
  let ended = 0
  for (const name of await recordNames(folder)) {
    const file = path.join(folder, name)
    const record = await readRecord(file)
    if (record !== undefined && isRunning(record.owner)) continue
    if (record !== undefined) {
      // Without a start time, where the system has no /proc, an id alone proves nothing.
      const roots = record.commands
        .filter((command) => command.start !== '' && isRunning(command))
        .map(({ pid }) => pid)
      await Promise.all(
        [undefined, ...roots].map((root) => endTree({ root, mark: record.mark }, { signal: 'SIGTERM', graceMs })),
      )
      ended += 1
    }
    await rm(file, { force: true })
  }
  return ended
}

async function recordNames(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.json'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

/** Undefined for a file that is no record, such as one that was only half written when its process was killed. */
async function readRecord(file: string): Promise<RecordFile | undefined> {
  try {
    return recordSchema.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
