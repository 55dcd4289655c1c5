import type { DebugVariable } from '../../../shared/debug/debug.ts'

/** Maximum characters of a value, and of all values of a line. */
const maxValue = 60
const maxLine = 160

/** Words in strings and comments are found too, as in VS Code. */
const words = /[\p{L}_$][\p{L}\p{N}_$]*/gu

/**
 * Pure: returns the values of the variables that each line mentions, to show at the end of the line. Lists a variable
 * once per line.
 * @returns texts by line index; lines that mention no variable have none
 */
export function inlineValues(
  lines: readonly string[],
  variables: readonly Pick<DebugVariable, 'name' | 'value'>[],
): { index: number; text: string }[] {
  // The first one is in the innermost scope.
  const byName = new Map(variables.toReversed().map((variable) => [variable.name, variable.value]))
  return lines.flatMap((line, index) => {
    if (line.length > 2000) return []
    const names = new Set(line.match(words)?.filter((word) => byName.has(word)))
    if (names.size === 0) return []
    const text = [...names].map((name) => `${name} = ${shorten(byName.get(name) ?? '', maxValue)}`).join(', ')
    return [{ index, text: shorten(text, maxLine) }]
  })
}

function shorten(value: string, length: number): string {
  const line = value.replaceAll(/\s+/g, ' ')
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`
}
