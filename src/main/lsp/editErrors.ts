import type { FileProblems, Problem } from '../../shared/language/languageServers.ts'

/** Errors that an edit introduced, for the edit's result. */
export interface EditErrors {
  /**
   * Returns a file's current errors, to compare with those after an edit; undefined if they are not known without a
   * request. Call this before the edit.
   */
  known(path: string): readonly Problem[] | undefined
  /**
   * Returns the errors introduced by an edit. Empty if no server runs for the file, or if it does not respond before
   * `signal` aborts.
   * @param before the text before the edit, null for a new file
   * @param known result of `known`
   */
  introduced(
    path: string,
    edit: { before: string | null; known: readonly Problem[] | undefined },
    signal: AbortSignal,
  ): Promise<Problem[]>
}

interface EditErrorDeps {
  /** Whether a running server has the file's current text. */
  isCurrent(path: string): boolean
  /** Whether a tab shows the file. */
  isOpen(path: string): boolean
  problems(path: string): FileProblems
  /** Requests the problems of a text, by default the file's current text. */
  diagnose(path: string, signal: AbortSignal, text?: string): Promise<FileProblems | undefined>
}

export function createEditErrors({ isCurrent, isOpen, problems, diagnose }: EditErrorDeps): EditErrors {
  const errorsIn = (file: FileProblems | undefined) =>
    (file?.problems ?? []).filter(({ severity }) => severity === 'error')
  return {
    known: (path) => (isCurrent(path) ? errorsIn(problems(path)) : undefined),
    async introduced(path, { before, known }, signal) {
      let earlier = known ?? []
      // For an open file, the server keeps the current text, so that the window shows no outdated problems.
      if (known === undefined && before !== null && !isOpen(path))
        earlier = errorsIn(await diagnose(path, signal, before))
      const now = errorsIn(await diagnose(path, signal))
      return signal.aborted ? [] : added(earlier, now)
    },
  }
}

/** Returns the errors that occur more often in `after` than in `before`. Ignores lines, because an edit moves them. */
function added(before: readonly Problem[], after: readonly Problem[]): Problem[] {
  const left = new Map<string, number>()
  const key = ({ code, message }: Problem) => `${code} ${message}`
  for (const problem of before) left.set(key(problem), (left.get(key(problem)) ?? 0) + 1)
  return after.filter((problem) => {
    const count = left.get(key(problem)) ?? 0
    left.set(key(problem), count - 1)
    return count <= 0
  })
}
