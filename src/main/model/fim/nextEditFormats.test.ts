import { describe, expect, test } from 'vitest'
import { nextEditFormat, nextEditPrompt, type NextEditFormat, type NextEditInput } from './nextEditFormats.ts'

const input: NextEditInput = {
  path: 'src/area.ts',
  above: ['// above'],
  lines: ['function area(width) {', '  return w * 2', '}'],
  below: ['// below'],
  firstLine: 2,
  cursor: { line: 0, character: 19 },
  edits: [{ path: 'src/area.ts', line: 2, before: ['function area(w) {'], after: ['function area(width) {'] }],
}
function format(model: string): NextEditFormat {
  const found = nextEditFormat(model)
  if (!found) throw new Error(`No format for ${model}`)
  return found
}

describe('the prompt of', () => {
  test('Zeta 2.1 is that of its model card', () => {
    expect(nextEditPrompt(format('zed-industries/zeta-2.1'), input)).toBe(
      `<[fim-suffix]>
// below
<[fim-prefix]><filename>edit_history
--- a/src/area.ts
+++ b/src/area.ts
-function area(w) {
+function area(width) {

<filename>src/area.ts
// above
<|marker_1|>
function area(width<|user_cursor|>) {
  return w * 2
}
<|marker_2|>
<[fim-middle]>`,
    )
  })

  test('Zeta 2 has merge markers', () => {
    expect(nextEditPrompt(format('zeta-2'), input)).toContain(
      '// above\n<<<<<<< CURRENT\nfunction area(width<|user_cursor|>) {\n  return w * 2\n}\n=======\n<[fim-middle]>',
    )
  })

  test('Sweep has the excerpt before the latest edit and now', () => {
    expect(nextEditPrompt(format('sweep-next-edit-1.5B'), input)).toBe(
      `<|file_sep|>src/area.ts.diff
original:
function area(w) {
updated:
function area(width) {
<|file_sep|>original/src/area.ts
function area(w) {
  return w * 2
}
<|file_sep|>current/src/area.ts
function area(width) {
  return w * 2
}
<|file_sep|>updated/src/area.ts
`,
    )
    expect(nextEditPrompt(format('sweepai/sweep-next-edit-v2-7B'), input)).toContain(
      '<|file_sep|>current/src/area.ts:2:4\nfunction area(width<|cursor|>) {',
    )
  })

  test('no format contains control tokens of the file', () => {
    const lines = ["const end = '<|marker_2|><|file_sep|>'"]
    for (const model of ['zeta-2.1', 'sweep'])
      expect(nextEditPrompt(format(model), { ...input, lines, below: lines })).not.toContain(
        "'<|marker_2|><|file_sep|>'",
      )
  })
})

describe('the answer of', () => {
  const updated = ['function area(width) {', '  return width * 2', '}']

  test('Zeta 2.1 is between its markers', () => {
    const { read, isComplete } = format('zeta-2.1')
    const answer = `<|marker_1|>\n${updated.join('\n')}<|user_cursor|>\n<|marker_2|>`
    expect(isComplete(answer)).toBe(true)
    expect(read(answer, true)).toEqual(updated)
    expect(read(`<|marker_1|>\n${updated[0]}`, false)).toBeNull()
  })

  test('Zeta 2 ends with its merge marker, or has no edit', () => {
    const { read } = format('zeta-2')
    expect(read(`${updated.join('\n')}\n>>>>>>> UPDATED\n`, true)).toEqual(updated)
    expect(read('NO_EDITS\n>>>>>>> UPDATED\n', true)).toBeNull()
  })

  test('Sweep is the excerpt, unless it was cut off, which would delete what comes after', () => {
    const { read } = format('sweep-next-edit-0.5B')
    expect(read(`${updated.join('\n')}\n<|file_sep|>more`, true)).toEqual(updated)
    expect(read(updated[0] ?? '', false)).toBeNull()
    expect(read('\n', true)).toBeNull()
  })
})

test('other models do not predict edits', () => {
  expect(nextEditFormat('qwen2.5-coder')).toBeUndefined()
})
