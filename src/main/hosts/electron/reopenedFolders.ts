import { readFile, rename, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { Sequencer } from '../../../shared/async/sequencer.ts'
import { restoreChoices, type RestoreChoice } from '../../../shared/settings/table/windowSettings.ts'
import { maxFolderLength } from '../../../shared/remote/remote.ts'
import { log } from '../../base/log/log.ts'

/** Root of an open folder, or a folder on another machine. */
const placeSchema = z.union([
  z.string(),
  z.object({ address: z.string().max(500), folder: z.string().max(maxFolderLength) }),
])
export type OpenPlace = z.output<typeof placeSchema>

const fileSchema = z.object({
  restore: z.enum(restoreChoices),
  /** The open folders, the most recently focused window's last. */
  folders: z.array(placeSchema).max(100),
  /** Whether a start has not finished opening them. */
  opening: z.boolean(),
})
type Stored = z.infer<typeof fileSchema>

/** Milliseconds after which the windows of a start count as opened, because a crash would have happened by then. */
const settledMs = 5000
/** Milliseconds before a closed window is forgotten: when the application quits, its windows close one by one. */
const forgetMs = 1000

/** Remembers the folders of open windows in the user data folder, so that the next start reopens them. */
export interface OpenFolders {
  /**
   * Returns the folders to open, according to the user's choice.
   * `failed`: the last start ended while opening them, so opening them again could end this one too.
   */
  begin(): Promise<{ folders: OpenPlace[]; failed: boolean }>
  /** Call this once the folders are open. */
  opened(): void
  /** Stores the user's choice for the next start. */
  setRestore(choice: RestoreChoice): void
  /** Stores the folders of open windows, the most recently focused window's last. */
  changed(folders: readonly OpenPlace[]): void
  /** Records that the application quits: windows closed from now on are reopened at the next start. */
  quitting(): void
  /** Resolves when everything is stored. */
  close(): Promise<void>
}

export function createOpenFolders(file: string, delays = { settledMs, forgetMs }): OpenFolders {
  let stored: Stored = { restore: 'all', folders: [], opening: false }
  let isQuitting = false
  let settling: NodeJS.Timeout | undefined
  let forgetting: NodeJS.Timeout | undefined
  const writes = new Sequencer()

  function store(change: Partial<Stored>): Promise<void> {
    stored = { ...stored, ...change }
    return writes.queue(async () => {
      try {
        await writeFile(`${file}.new`, JSON.stringify(stored), { mode: 0o600 })
        await rename(`${file}.new`, file)
      } catch (error) {
        log.error('The open windows could not be stored', error)
      }
    })
  }

  function settle(): void {
    clearTimeout(settling)
    settling = undefined
    if (stored.opening) void store({ opening: false })
  }

  return {
    async begin() {
      try {
        stored = fileSchema.parse(JSON.parse(await readFile(file, 'utf8')))
      } catch {
        // The first start, or a damaged file.
        return { folders: [], failed: false }
      }
      const { restore, opening } = stored
      const folders = restore === 'none' ? [] : restore === 'last' ? stored.folders.slice(-1) : stored.folders
      if (opening) {
        await store({ opening: false, folders: [] })
        return { folders: [], failed: true }
      }
      if (folders.length > 0) await store({ opening: true })
      return { folders, failed: false }
    },
    opened() {
      settling = setTimeout(settle, delays.settledMs).unref()
    },
    setRestore(restore) {
      if (restore !== stored.restore) void store({ restore })
    },
    changed(folders) {
      const keyOf = (place: OpenPlace): string => JSON.stringify(place)
      const known = new Set(stored.folders.map(keyOf))
      const isNew = folders.some((place) => !known.has(keyOf(place)))
      // The user cancelled quitting and continues to work.
      if (isNew) isQuitting = false
      clearTimeout(forgetting)
      if (isQuitting || JSON.stringify(folders) === JSON.stringify(stored.folders)) return
      if (isNew) void store({ folders: [...folders] })
      else forgetting = setTimeout(() => void store({ folders: [...folders] }), delays.forgetMs).unref()
    },
    quitting() {
      isQuitting = true
      clearTimeout(forgetting)
    },
    async close() {
      clearTimeout(forgetting)
      settle()
      await writes.queue(async () => {})
    },
  }
}
