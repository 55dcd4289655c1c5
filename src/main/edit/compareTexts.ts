import { createTwoFilesPatch } from 'diff'

/** Limits of an exact diff. Beyond them, the diff removes and adds all lines. */
const maxEditLength = 2_000
const maxMilliseconds = 200

/** A text with its name in the diff. */
interface NamedText {
  name: string
  text: string
}

/**
 * Returns a unified diff of two texts with `\n` line endings, or '' if they are equal, and the number of added and
 * removed lines. Bounded in time: the diff of texts that differ too much removes and adds all lines.
 */
export function unifiedDiff(
  a: NamedText,
  b: NamedText,
  context: number,
): { diff: string; added: number; removed: number } {
  if (a.text === b.text) return { diff: '', added: 0, removed: 0 }
  const options = { context, maxEditLength, timeout: maxMilliseconds }
  const whole = createTwoFilesPatch(a.name, b.name, a.text, b.text, undefined, undefined, options) ?? allChanged(a, b)
  const diff = whole.replace(/^=+\n/, '')
  const body = diff.split('\n').slice(2)
  const marked = (mark: string) => body.filter((line) => line.startsWith(mark)).length
  return { diff, added: marked('+'), removed: marked('-') }
}

function allChanged(a: NamedText, b: NamedText): string {
  const old = withMark('-', a.text)
  const now = withMark('+', b.text)
  const range = (start: number, lines: readonly string[]) =>
    `${lines.length === 0 ? 0 : start},${lines.filter((line) => !line.startsWith('\\')).length}`
  return [`--- ${a.name}`, `+++ ${b.name}`, `@@ -${range(1, old)} +${range(1, now)} @@`, ...old, ...now, ''].join('\n')
}

function withMark(mark: string, text: string): string[] {
  const lines = text.split('\n')
  const open = lines.pop()
  const marked = lines.map((line) => mark + line)
  return open === '' || open === undefined ? marked : [...marked, mark + open, '\\ No newline at end of file']
}
