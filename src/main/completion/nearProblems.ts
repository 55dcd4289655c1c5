import type { Problem } from '../../shared/language/languageServers.ts'

/** Number of lines before and after the cursor's line whose problems a request contains. */
const nearLines = 3
const maxProblems = 3
const maxMessage = 200

/**
 * Describes the errors near a line. Leaves out the line itself: its errors change with each key, and a changing prompt
 * would prevent the server from reusing its cache.
 */
export function nearProblems(problems: readonly Problem[], line: number): string[] {
  return problems
    .filter(({ severity, range: { startLine, endLine } }) => {
      const isNear = startLine <= line + nearLines && endLine >= line - nearLines
      return severity === 'error' && isNear && !(startLine <= line && endLine >= line)
    })
    .slice(0, maxProblems)
    .map(({ range, message }) => `line ${range.startLine}: ${(message.split('\n', 1)[0] ?? '').slice(0, maxMessage)}`)
}
