import { mkdir, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { isRunning, thisProcess } from '../../base/processIdentity.ts'

const recordSchema = z.object({
  owner: z.object({ pid: z.number().int().positive(), start: z.string() }),
  folders: z.array(z.string()),
})

/** Record of the placeholders of this process, so that the next start removes those of a killed one. */
export interface PlaceholderRecord {
  /** Records folders before they are created. Never rejects: without a record the command still runs. */
  write(folders: readonly string[]): Promise<void>
}

/** @param records folder with the records of all processes for one workspace */
export function createPlaceholderRecord(records: string): PlaceholderRecord {
  const owner = thisProcess()
  const file = path.join(records, `${owner.pid}.json`)
  let written = ''
  return {
    async write(folders) {
      const text = JSON.stringify({ owner, folders })
      if (text === written) return
      try {
        if (folders.length === 0) await rm(file, { force: true })
        else {
          await mkdir(records, { recursive: true, mode: 0o700 })
          await writeFile(file, text, { mode: 0o600 })
        }
        written = text
      } catch {
        // The user data cannot be written, which other parts report.
      }
    },
  }
}

/** Removes empty placeholders that killed processes left. */
export async function sweepPlaceholders(records: string): Promise<void> {
  const names = (await readdir(records).catch(() => [])).filter((name) => name.endsWith('.json'))
  for (const name of names) {
    const file = path.join(records, name)
    const record = await readRecord(file)
    if (record !== undefined && isRunning(record.owner)) continue
    // Only an empty folder can be removed so.
    for (const folder of record?.folders ?? []) await rmdir(folder).catch(() => undefined)
    await rm(file, { force: true }).catch(() => undefined)
  }
}

async function readRecord(file: string): Promise<z.infer<typeof recordSchema> | undefined> {
  try {
    return recordSchema.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return undefined // only partly written, or removed by another process
  }
}
