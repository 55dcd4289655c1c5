import { completionFiguresSchema, type CompletionFigures } from '../../shared/editor/inlineCompletion.ts'

/** Counts what happens to suggestions: shown, accepted, cancelled and so on. */
export interface CompletionCounter {
  count(counts: Partial<Omit<CompletionFigures, 'since'>>): void
}

export interface CompletionFiguresStore extends CompletionCounter {
  get(): CompletionFigures
  reset(): Promise<void>
  /** Writes pending counts. */
  flush(): Promise<void>
}

/** A file in the user data folder (settings/jsonFile.ts). */
export interface FiguresFile {
  readonly value: CompletionFigures
  update(change: (value: CompletionFigures) => CompletionFigures): Promise<unknown>
}

/** Milliseconds between writes. Counts change with each key, and writing each change would wear the disk. */
const writeMs = 30_000

export const noFigures: CompletionFigures = completionFiguresSchema.parse({})

/** @param onProblem called if the figures cannot be written */
export function createCompletionFigures(
  file: FiguresFile,
  onProblem: (error: unknown) => void,
): CompletionFiguresStore {
  let pending = noFigures
  let timer: NodeJS.Timeout | undefined

  async function write(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (pending === noFigures) return
    const added = pending
    pending = noFigures
    await file.update((stored) => sum(stored, added)).catch(onProblem)
  }

  return {
    count(counts) {
      pending = sum(pending, { ...noFigures, ...counts, since: Date.now() })
      timer ??= setTimeout(() => void write(), writeMs).unref()
    },
    get: () => sum(file.value, pending),
    async reset() {
      pending = noFigures
      await file.update(() => noFigures)
    },
    flush: write,
  }
}

function sum(a: CompletionFigures, b: CompletionFigures): CompletionFigures {
  const keys = Object.keys(noFigures) as (keyof CompletionFigures)[]
  const total = Object.fromEntries(keys.map((key) => [key, a[key] + b[key]]))
  return { ...noFigures, ...total, since: a.since === 0 ? b.since : a.since }
}
