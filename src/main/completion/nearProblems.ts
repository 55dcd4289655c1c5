import type { Problem } from '../../shared/language/languageServers.ts'

/** Lines before and after the cursor's whose problems a request contains. */
const nearLines = 3
const maxProblems = 3
const maxMessage = 200

/**
 * Pure: describes the errors near a line. The line itself is left out: while it is typed, its errors change with each key,
 * and with them the prompt, so that the server could not reuse its prompt cache.
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
