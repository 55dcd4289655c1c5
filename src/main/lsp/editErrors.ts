import type { FileProblems, Problem } from '../../shared/language/languageServers.ts'

/** Errors that an edit introduced, for the result of the edit. */
export interface EditErrors {
  /**
   * Returns the current errors of a file, to compare with those after an edit; undefined if they are not known without a
   * request. Call it before the edit.
   */
  known(path: string): readonly Problem[] | undefined
  /**
   * Returns the errors that were not there before an edit. Empty if no server runs for the file, or if it does not
   * answer before `signal` aborts.
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
  /** Whether a running server has the current text of a file. */
  isCurrent(path: string): boolean
  /** Whether a tab shows the file. */
  isOpen(path: string): boolean
  problems(path: string): FileProblems
  /** Requests the problems of a text, by default the current text of the file. */
  diagnose(path: string, signal: AbortSignal, text?: string): Promise<FileProblems | undefined>
}

export function createEditErrors({ isCurrent, isOpen, problems, diagnose }: EditErrorDeps): EditErrors {
  const errorsIn = (file: FileProblems | undefined) =>
    (file?.problems ?? []).filter(({ severity }) => severity === 'error')
  return {
    known: (path) => (isCurrent(path) ? errorsIn(problems(path)) : undefined),
    async introduced(path, { before, known }, signal) {
      let earlier = known ?? []
      // An open file keeps its current text at the server, so that the window shows no outdated problems.
      if (known === undefined && before !== null && !isOpen(path))
        earlier = errorsIn(await diagnose(path, signal, before))
      const now = errorsIn(await diagnose(path, signal))
      return signal.aborted ? [] : added(earlier, now)
    },
  }
}

/** Pure: returns the errors that are more often in `after` than in `before`. An edit moves lines, so they do not count. */
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
