import { plural } from '../../shared/plural.ts'
import type { FileReview } from './fileReview.ts'

/** Maximum number of files that a note names. */
const maxNoted = 20

/** A file whose changes the user undid. */
interface UndoneFile {
  path: string
  /** Number of hunks; 0 for the whole file. */
  hunks: number
  turns: ReadonlySet<string | null>
}

/** What the user undid and the model has not been informed of. */
export interface UndoNotes {
  add(file: FileReview, hunks: number): void
  /** Removes a file, because its undo was reverted. */
  remove(path: string): void
  /** Returns, once, a note about the files that one of these turns changed. */
  take(turns: ReadonlySet<string>): string | undefined
}

export function createUndoNotes(): UndoNotes {
  let undone: UndoneFile[] = []
  return {
    add: ({ path, layers }, hunks) => void undone.push({ path, hunks, turns: new Set(layers.map(({ turn }) => turn)) }),
    remove(path) {
      undone = undone.filter((file) => file.path !== path)
    },
    take(turns) {
      const own = undone.filter((file) => [...file.turns].some((turn) => turn !== null && turns.has(turn)))
      undone = undone.filter((file) => !own.includes(file))
      if (own.length === 0) return undefined
      const names = own
        .slice(0, maxNoted)
        .map(({ path, hunks }) => (hunks > 0 ? `${path} (${plural(hunks, 'change')})` : path))
      const more = own.length > maxNoted ? ` and ${plural(own.length - maxNoted, 'more file')}` : ''
      return `The user undid your changes in ${names.join(', ')}${more}. Do not make them again unless the user asks. Read these files again before you edit them.`
    },
  }
}
