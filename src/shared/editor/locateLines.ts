/**
 * Finds lines again in a text that has changed.
 * @param line 1-based number of their first line before the change
 * @returns the number of the first line of the nearest match; null if the lines are gone
 */
export function locateLines(text: string, wanted: readonly string[], line: number): number | null {
  const lines = text.split('\n')
  let nearest: number | null = null
  for (let at = 0; at + wanted.length <= lines.length; at += 1) {
    if (lines[at] !== wanted[0] || !wanted.every((each, index) => lines[at + index] === each)) continue
    if (nearest === null || Math.abs(at + 1 - line) < Math.abs(nearest - line)) nearest = at + 1
  }
  return wanted.length === 0 ? null : nearest
}
