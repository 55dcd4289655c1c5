import { createTwoFilesPatch } from 'diff'

/** Beyond this many changed lines, or this time, two texts are shown as all removed and all added. */
const maxEditLength = 2_000
const maxMilliseconds = 200

interface Named {
  name: string
  text: string
}

/**
 * A unified diff of two texts with `\n` line ends, '' where they are the same. Bounded in time: texts that differ too much are shown
 * as wholly removed and added.
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
