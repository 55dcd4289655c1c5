import { describe, expect, it } from 'vitest'
import { parseUnifiedDiff } from './unifiedDiff.ts'

const diff = `--- a/src/price.ts
+++ b/src/price.ts
@@ -10,4 +10,5 @@ export function price() {
 const rate = 1
-const total = net * rate
+const total = net * rate * vat
+const shown = round(total)
 
 return total
@@ -40 +41 @@
--- old banner
+-- new banner
\\ No newline at end of file
`

describe('parseUnifiedDiff', () => {
  it('numbers the lines of both sides', () => {
    const [first] = parseUnifiedDiff(diff)
    expect(first?.lines.map((line) => [line.kind, line.oldNumber, line.newNumber])).toEqual([
      ['context', 10, 10],
      ['removed', 11, undefined],
      ['added', undefined, 11],
      ['added', undefined, 12],
      ['context', 12, 13],
      ['context', 13, 14],
    ])
    expect(first?.section).toBe('export function price() {')
  })

  it('does not read a removed line of dashes as a file header', () => {
    const second = parseUnifiedDiff(diff)[1]
    expect(second?.lines.map((line) => [line.kind, line.text])).toEqual([
      ['removed', '-- old banner'],
      ['added', '-- new banner'],
      ['note', 'No newline at end of file'],
    ])
  })

  it('marks the difference between a line and its replacement', () => {
    const [removed, added] = parseUnifiedDiff('@@ -1 +1 @@\n-const a = 1\n+const a = 22\n')[0]?.lines ?? []
    expect(removed?.text.slice(removed.changed?.start, removed.changed?.end)).toBe('1')
    expect(added?.text.slice(added.changed?.start, added.changed?.end)).toBe('22')
  })

  it('marks nothing in lines that have little in common', () => {
    const lines = parseUnifiedDiff('@@ -1 +1 @@\n-completely different\n+nothing in common here\n')[0]?.lines ?? []
    expect(lines.every((line) => line.changed === undefined)).toBe(true)
  })

  it('accepts an empty context line without its space', () => {
    const lines = parseUnifiedDiff('@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n')[0]?.lines ?? []
    expect(lines.map((line) => line.kind)).toEqual(['context', 'context', 'removed', 'added'])
  })

  it('is empty for an empty diff', () => {
    expect(parseUnifiedDiff('')).toEqual([])
  })
})
