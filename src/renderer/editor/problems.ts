import type { EditorProblem } from '../../shared/editor/editorRequests.ts'
import { monaco, uriOf } from '../platform/editor/monaco/monaco.ts'

const maxProblems = 200

/** Errors and warnings that Monaco reports for open files, errors first. At most `maxProblems`. */
export function problemsOf(paths: readonly string[]): EditorProblem[] {
  const { Error, Warning } = monaco.MarkerSeverity
  const problems = paths.flatMap((path) =>
    monaco.editor
      .getModelMarkers({ resource: uriOf(path) })
      .filter(({ severity }) => severity === Error || severity === Warning)
      .map(({ startLineNumber, startColumn, severity, message }): EditorProblem => ({
        path,
        line: startLineNumber,
        column: startColumn,
        severity: severity === Error ? 'error' : 'warning',
        message: message.slice(0, 1000),
      })),
  )
  return problems
    .toSorted((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'))
    .slice(0, maxProblems)
}
