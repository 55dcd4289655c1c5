import { z } from 'zod'
import { plural } from '../../shared/text/plural.ts'
import type { FileReview } from './fileReview.ts'
import type { ReviewStore } from './reviewStore.ts'

/** Maximum number of files that a note names. */
const maxNoted = 20
/** Maximum number of undone files stored until the model is informed. */
const maxStored = 500
/** Key of the stored notes, which survive a restart. */
const stateKey = 'notes'

/** Files whose changes the user undid. `hunks`: number of hunks; 0 for the whole file. */
const undoneFiles = z.array(z.object({ path: z.string(), hunks: z.number(), turns: z.array(z.string().nullable()) }))
type UndoneFile = z.output<typeof undoneFiles>[number]

/** What the user undid and the model has not been informed about. */
export interface UndoNotes {
  add(file: FileReview, hunks: number): void
  /** Removes a file whose undo was reverted. */
  remove(path: string): void
  /** Returns a note about undone files that one of these turns changed. Each undo is noted once. */
  take(turns: ReadonlySet<string>): string | undefined
}

export function createUndoNotes(store: Pick<ReviewStore, 'state' | 'setState'>): UndoNotes {
  // Read each time, because another process with the same folder can change them.
  const undone = (): UndoneFile[] => {
    const stored = store.state(stateKey)
    return stored === undefined ? [] : (undoneFiles.safeParse(stored).data ?? [])
  }
  const setUndone = (files: UndoneFile[]) => store.setState(stateKey, files.length === 0 ? undefined : files)
  return {
    add({ path, layers, merged = [] }, hunks) {
      const turns = [...layers.map(({ turn }) => turn), ...merged]
      setUndone([...undone(), { path, hunks, turns }].slice(-maxStored))
    },
    remove: (path) => setUndone(undone().filter((file) => file.path !== path)),
    take(turns) {
      const all = undone()
      const own = all.filter((file) => file.turns.some((turn) => turn !== null && turns.has(turn)))
      if (own.length === 0) return undefined
      setUndone(all.filter((file) => !own.includes(file)))
      const names = own
        .slice(0, maxNoted)
        .map(({ path, hunks }) => (hunks > 0 ? `${path} (${plural(hunks, 'change')})` : path))
      const more = own.length > maxNoted ? ` and ${plural(own.length - maxNoted, 'more file')}` : ''
      return `The user undid your changes in ${names.join(', ')}${more}. Do not make them again unless the user asks. Read these files again before you edit them.`
    },
  }
}
