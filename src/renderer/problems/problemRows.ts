import type { Problem } from '../../shared/language/languageServers.ts'
import {
  listedSeverities,
  type ListedFile,
  type ListedProblem,
  type ListedSeverity,
} from '../platform/languages/problemsStore.ts'

export interface ProblemFilter {
  /** Text in the message, source, code or path. */
  text: string
  shown: Readonly<Record<ListedSeverity, boolean>>
}

type RelatedPlace = Problem['related'][number]

export type ProblemRow =
  | { kind: 'file'; id: string; path: string; folded: boolean; count: number }
  | {
      kind: 'problem'
      id: string
      path: string
      problem: ListedProblem
      /** Whether its related locations are shown; null if there are none. */
      expanded: boolean | null
    }
  | { kind: 'related'; id: string; parent: string; place: RelatedPlace }

/** Pure: the rows of the problems that match the filter, by file. */
export function problemRows(
  files: readonly ListedFile[],
  { text, shown }: ProblemFilter,
  folded: ReadonlySet<string>,
  expanded: ReadonlySet<string>,
): ProblemRow[] {
  const query = text.trim().toLowerCase()
  const all = query === '' && listedSeverities.every((severity) => shown[severity])
  return files.flatMap(({ path, problems }) => {
    const pathMatches = path.toLowerCase().includes(query)
    const matching = all
      ? problems
      : problems.filter(
          ({ severity, message, source, code }) =>
            shown[severity] && (pathMatches || `${message}\n${source}\n${code}`.toLowerCase().includes(query)),
        )
    if (matching.length === 0) return []
    const file: ProblemRow = { kind: 'file', id: path, path, folded: folded.has(path), count: matching.length }
    if (file.folded) return [file]
    return [file, ...matching.flatMap((problem, index) => rowsOf(path, problem, index, expanded))]
  })
}

function rowsOf(path: string, problem: ListedProblem, index: number, expanded: ReadonlySet<string>): ProblemRow[] {
  const id = `${path}:${index}`
  const { related } = problem
  const isExpanded = related.length === 0 ? null : expanded.has(problemKey(path, problem))
  const row: ProblemRow = { kind: 'problem', id, path, problem, expanded: isExpanded }
  if (isExpanded !== true) return [row]
  return [row, ...related.map((place, at): ProblemRow => ({ kind: 'related', id: `${id}:${at}`, parent: id, place }))]
}

/** Identifies a problem while its line moves and other problems come and go. */
export function problemKey(path: string, { source, code, message }: ListedProblem): string {
  return `${path} ${source} ${code} ${message}`
}

/**
 * Pure: the next (1) or previous (-1) file with problems in path order, wrapping around. Null if there is no other
 * file.
 */
export function neighborFile(files: readonly ListedFile[], path: string | null, step: 1 | -1): ListedFile | null {
  const others = files.filter((file) => file.path !== path).toSorted((a, b) => (a.path < b.path ? -1 : 1))
  if (path === null) return others.at(step === 1 ? 0 : -1) ?? null
  return step === 1
    ? (others.find((file) => file.path > path) ?? others[0] ?? null)
    : (others.findLast((file) => file.path < path) ?? others.at(-1) ?? null)
}

/** Pure: the start of a file's first or last problem. */
export function edgeProblem({ problems }: ListedFile, step: 1 | -1): { line: number; column: number } {
  const starts = problems
    .map(({ range }) => ({ line: range.startLine, column: range.startColumn }))
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
  return starts.at(step === 1 ? 0 : -1) ?? { line: 1, column: 1 }
}
