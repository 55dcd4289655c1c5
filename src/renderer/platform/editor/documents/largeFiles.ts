/**
 * Limits above which Monaco turns off highlighting and folding. The maximum size of a file that opens as text at all is
 * `maxTextFileSize` in main/workspace/textFile.ts.
 */
const largeFile = { characters: 20 * 1024 * 1024, lines: 300_000 }

/** Whether a text exceeds Monaco's limits for highlighting and folding. */
export function isLarge(text: string): boolean {
  if (text.length > largeFile.characters) return true
  if (text.length < largeFile.lines) return false
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (++lines > largeFile.lines) return true
  }
  return false
}
