import { createTwoFilesPatch } from 'diff'

/** Limits of an exact diff. Beyond them, all lines are shown as removed and added. */
const maxEditLength = 2_000
const maxMilliseconds = 200

interface Named {
  name: string
  text: string
}

/**
 * Returns a unified diff of two texts with `\n` line ends, or '' if they are equal. Bounded in time: texts that differ
 * too much are shown as completely removed and added.
 */
export function unifiedDiff(a: Named, b: Named, context: number): { diff: string; added: number; removed: number } {
  if (a.text === b.text) return { diff: '', added: 0, removed: 0 }
  const options = { context, maxEditLength, timeout: maxMilliseconds }
  const whole = createTwoFilesPatch(a.name, b.name, a.text, b.text, undefined, undefined, options) ?? allChanged(a, b)
  const diff = whole.replace(/^=+\n/, '')
  const body = diff.split('\n').slice(2)
  const marked = (mark: string) => body.filter((line) => line.startsWith(mark)).length
  return { diff, added: marked('+'), removed: marked('-') }
}

function allChanged(a: Named, b: Named): string {
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
