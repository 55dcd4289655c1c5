import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { makeFolder } from '../base/makeFolder.ts'
import { isRunning, processOf, thisProcess } from '../base/processIdentity.ts'
import { endTree } from './processTree.ts'
import { Sequencer } from '../../shared/async/sequencer.ts'

/**
 * Record of this process's commands in the user data folder, so that the next start can end processes left behind if
 * Tizona is killed. A process is only ended if its environment contains the record's job tag, or if its id and start
 * time are recorded.
 */
export interface JobRecord {
  /**
   * Creates the record. Call this before the first command starts, because processes may be left behind from then on.
   */
  open(): Promise<void>
  /** Adds a started command. */
  add(pid: number): Promise<void>
  /** Deletes the record when no processes remain. */
  close(): Promise<void>
}

const identitySchema = z.object({ pid: z.number().int().positive(), start: z.string() })
const recordSchema = z.object({
  /** Process of Tizona that runs the commands. */
  owner: identitySchema,
  /** Prefix of the job tags of all its commands. Random, so that it is unique. */
  mark: z.string().min(16),
  commands: z.array(identitySchema),
})
type RecordFile = z.infer<typeof recordSchema>

/** Maximum number of commands recorded by id. Older ones are found by their job tag. */
const maxCommands = 200

/**
 * Creates the record of this process.
 * @param folder folder with the records of all Tizona processes
 * @param jobTag prefix of the job tag of every command
 */
export function createJobRecord(folder: string, jobTag: string): JobRecord {
  const file = path.join(folder, `${jobTag}.json`)
  const commands: RecordFile['commands'] = []
  const writes = new Sequencer()
  let opened: Promise<void> | undefined

  async function write(): Promise<void> {
    const record: RecordFile = { owner: thisProcess(), mark: jobTag, commands: commands.slice(-maxCommands) }
    await writeFile(file, JSON.stringify(record), { mode: 0o600 })
  }

  return {
    open() {
      opened ??= writes.queue(async () => {
        await makeFolder(folder)
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
 * Ends processes left behind by killed Tizona processes. Commands of running ones are not affected.
 * @returns number of records of dead Tizona processes
 */
export async function endOrphans(folder: string, graceMs: number): Promise<number> {
  let ended = 0
  for (const name of await recordNames(folder)) {
    const file = path.join(folder, name)
    const record = await readRecord(file)
    if (record !== undefined && isRunning(record.owner)) continue
    if (record !== undefined) {
      // Without a start time (systems without /proc), an id alone does not identify a process.
      const roots = record.commands
        .filter((command) => command.start !== '' && isRunning(command))
        .map(({ pid }) => pid)
      await Promise.all(
        [undefined, ...roots].map((root) => endTree({ root, jobTag: record.mark }, { signal: 'SIGTERM', graceMs })),
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

/** Reads a record; undefined if it is invalid, e.g. only partly written. */
async function readRecord(file: string): Promise<RecordFile | undefined> {
  try {
    return recordSchema.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
