/** Lines that the user replaced. `line` is 1-based. */
export interface LineEdit {
  line: number
  before: string[]
  after: string[]
}

/** A change of a text: lines from `start` to `oldEnd` (both 1-based, inclusive) became `newCount` lines. */
export interface LineChange {
  start: number
  oldEnd: number
  newCount: number
}

/** Changes that are at most this many lines apart count as one edit. */
const nearLines = 2
/** Longer edits, such as a pasted file, do not indicate what comes next. */
const maxLines = 40

/** Groups the changes of one file into edits. Pure, apart from its own state. */
export class EditRegions {
  /** The lines before the current edit. */
  #base: string[]
  /** The current edit: `oldCount` lines of the base became `newCount` lines, both from `start`. */
  #region: { start: number; oldCount: number; newCount: number } | null = null
  #finished: LineEdit[] = []
  readonly #max: number

  constructor(lines: readonly string[], max: number) {
    this.#base = [...lines]
    this.#max = max
  }

  /** @param now the lines after the change */
  changed({ start, oldEnd, newCount }: LineChange, now: readonly string[]): void {
    const grown = newCount - (oldEnd - start + 1)
    const region = this.#region
    if (region && start <= region.start + region.newCount + nearLines && oldEnd >= region.start - 1 - nearLines) {
      const first = Math.min(region.start, start)
      const last = Math.max(region.start + region.newCount - 1, oldEnd)
      const around = region.start - first + (last - (region.start + region.newCount - 1))
      this.#region = { start: first, oldCount: region.oldCount + around, newCount: last - first + 1 + grown }
      return
    }
    if (region) this.#finish(now, start < region.start ? grown : 0)
    this.#region = { start, oldCount: oldEnd - start + 1, newCount }
  }

  /** Returns the edits, oldest first, including the current one. */
  edits(now: readonly string[]): LineEdit[] {
    const current = this.#region && this.#editOf(this.#region, now, 0)
    return [...this.#finished, ...(current ? [current] : [])].slice(-this.#max)
  }

  /** @param shift number of lines by which the change after the current edit moved it */
  #finish(now: readonly string[], shift: number): void {
    const region = this.#region
    if (!region) return
    const edit = this.#editOf(region, now, shift)
    if (edit) this.#finished = [...this.#finished, edit].slice(-this.#max)
    const { start, oldCount, newCount } = region
    this.#base.splice(start - 1, oldCount, ...now.slice(start - 1 + shift, start - 1 + shift + newCount))
  }

  #editOf(
    { start, oldCount, newCount }: { start: number; oldCount: number; newCount: number },
    now: readonly string[],
    shift: number,
  ): LineEdit | null {
    if (oldCount > maxLines || newCount > maxLines) return null
    const before = this.#base.slice(start - 1, start - 1 + oldCount)
    const after = now.slice(start - 1 + shift, start - 1 + shift + newCount)
    return before.join('\n') === after.join('\n') ? null : { line: start, before, after }
  }
}
