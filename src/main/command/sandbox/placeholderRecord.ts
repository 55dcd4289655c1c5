import { randomUUID } from 'node:crypto'
import { lstat, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { inFolder } from '../../base/heldFolder.ts'
import { makeFolder } from '../../base/makeFolder.ts'
import { isRunning, thisProcess } from '../../base/processIdentity.ts'
import { readUnlinkedFile } from '../../base/unlinkedFile.ts'

/** An empty folder, or a file whose content has no effect. */
export interface CoveredPath {
  path: string
  /** Undefined for a folder. */
  content?: string
}

const recordSchema = z.object({
  owner: z.object({ pid: z.number().int().positive(), start: z.string() }),
  folders: z.array(z.string()),
  files: z.array(z.object({ path: z.string(), content: z.string() })).default([]),
})

/** Record of this process's placeholders, so that the next start removes them if this process is killed. */
export interface PlaceholderRecord {
  /** Records placeholders before they are created. Never rejects: commands still run without a record. */
  write(places: readonly CoveredPath[]): Promise<void>
}

/** Returns the folder with the records of all processes. */
export function placeholderRecords(userData: string): string {
  return path.join(userData, 'sandbox-placeholders')
}

/** @param records folder with the records of all processes */
export function createPlaceholderRecord(records: string): PlaceholderRecord {
  const owner = thisProcess()
  const file = path.join(records, `${owner.pid}-${randomUUID()}.json`)
  let written = ''
  return {
    async write(places) {
      const folders = places.filter(({ content }) => content === undefined).map((place) => place.path)
      const files = places.filter(({ content }) => content !== undefined)
      const text = JSON.stringify({ owner, folders, files })
      if (text === written) return
      try {
        if (places.length === 0) await rm(file, { force: true })
        else {
          await makeFolder(records)
          await writeFile(file, text, { mode: 0o600 })
        }
        written = text
      } catch {
        // The user data cannot be written, which is reported elsewhere.
      }
    },
  }
}

/** Removes empty placeholders left by killed processes. */
export async function sweepPlaceholders(records: string): Promise<void> {
  const names = (await readdir(records).catch(() => [])).filter((name) => name.endsWith('.json'))
  for (const name of names) {
    const file = path.join(records, name)
    const record = await readRecord(file)
    if (record !== undefined && isRunning(record.owner)) continue
    for (const place of [...(record?.folders ?? []).map((folder) => ({ path: folder })), ...(record?.files ?? [])])
      await removePlaceholder(place)
    await rm(file, { force: true }).catch(() => undefined)
  }
}

/**
 * Removes a placeholder unless something has filled or changed it.
 * @param inode its inode, if known
 */
export async function removePlaceholder({ path: file, content }: CoveredPath, inode?: number): Promise<void> {
  try {
    await inFolder(file, async (entry) => {
      const { ino } = await lstat(entry)
      if (inode !== undefined && ino !== inode) return
      if (content === undefined) await rmdir(entry)
      else if ((await readUnlinkedFile(entry)) === content) await rm(entry)
    })
  } catch {
    // Removed or filled in the meantime.
  }
}

async function readRecord(file: string): Promise<z.infer<typeof recordSchema> | undefined> {
  try {
    return recordSchema.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return undefined // incomplete, or removed by another process
  }
}
