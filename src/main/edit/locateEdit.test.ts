import { describe, expect, test } from 'vitest'
import { ToolError } from '../../shared/errors.ts'
import { applyPlacements, type Edit, locateEdit } from './locateEdit.ts'

function edited(text: string, edit: Edit): { text: string; stage: string; line: number } {
  const placement = locateEdit(text, edit)
  return { text: applyPlacements(text, [placement]), stage: placement.stage, line: placement.startLine }
}

function failure(text: string, edit: Edit): ToolError {
  try {
    locateEdit(text, edit)
  } catch (error) {
    if (error instanceof ToolError) return error
    throw error
  }
  throw new Error('the edit was expected to fail')
}

describe('exact', () => {
  test('replaces the only occurrence, even in the middle of a line', () => {
    expect(edited('let a = 1\nlet b = 2\n', { oldText: 'b = 2', newText: 'b = 3' })).toEqual({
      text: 'let a = 1\nlet b = 3\n',
      stage: 'exact',
      line: 2,
    })
  })

  test('inserts replacement patterns literally', () => {
    expect(edited('price', { oldText: 'price', newText: '$& $1 $$ $`' }).text).toBe('$& $1 $$ $`')
  })

  test('takes precedence over a looser match elsewhere', () => {
    expect(edited('  a\na\n', { oldText: '\na\n', newText: '\nb\n' })).toMatchObject({
      text: '  a\nb\n',
      stage: 'exact',
    })
  })

  test('converts \\r\\n of the model to \\n', () => {
    expect(edited('a\nb\n', { oldText: 'a\r\nb\r\n', newText: 'c\r\nd\r\n' })).toMatchObject({
      text: 'c\nd\n',
      stage: 'exact',
    })
  })

  test('two overlapping occurrences are ambiguous', () => {
    expect(failure('aaa', { oldText: 'aa', newText: 'b' })).toMatchObject({ code: 'ambiguous_match' })
  })

  test('deletes a line with its line ending', () => {
    expect(edited('a\nb\nc\n', { oldText: 'b\n', newText: '' }).text).toBe('a\nc\n')
  })
})

describe('ignoring trailing space', () => {
  test('matches whole lines and keeps unchanged ones byte for byte', () => {
    expect(edited('if x:  \n  one\t\n  two\n', { oldText: 'if x:\n  one\n', newText: 'if x:\n  three\n' })).toEqual({
      text: 'if x:  \n  three\n  two\n',
      stage: 'trailing_space',
      line: 1,
    })
  })

  test('does not match the start of a longer line', () => {
    expect(failure('returning\n', { oldText: 'return ', newText: 'yield' }).code).toBe('no_match')
  })

  test('a last line without a line ending stays without one', () => {
    expect(edited('a\nb', { oldText: 'b\n', newText: 'c\n' }).text).toBe('a\nc')
    expect(edited('a\nb\n', { oldText: 'b\n\n', newText: 'c\n\n' }).text).toBe('a\nc\n')
  })

  test('deletes lines with their line endings', () => {
    expect(edited('a\nb \nc\n', { oldText: 'b\n', newText: '' })).toMatchObject({
      text: 'a\nb \nc\n'.replace('b \n', ''),
    })
  })
})

describe('ignoring indentation', () => {
  test('indents the new lines like the file', () => {
    const file = 'class A {\n    run() {\n        go()\n    }\n}\n'
    const edit = {
      oldText: 'run() {\n    go()\n}',
      newText: 'run() {\n    if (x) {\n        go()\n    }\n\n    stop()\n}',
    }
    expect(edited(file, edit)).toEqual({
      text: 'class A {\n    run() {\n        if (x) {\n            go()\n        }\n\n        stop()\n    }\n}\n',
      stage: 'indentation',
      line: 2,
    })
  })

  test("turns spaces into the file's tabs", () => {
    expect(
      edited('func f() {\n\tone()\n}\n', {
        oldText: 'func f() {\n    one()\n}',
        newText: 'func f() {\n    if x {\n        one()\n    }\n}',
      }).text,
    ).toBe('func f() {\n\tif x {\n\t\tone()\n\t}\n}\n')
  })

  test("turns tabs into the file's spaces", () => {
    expect(edited('a:\n  b:\n    c\n', { oldText: '\tb:\n\t\tc', newText: '\tb:\n\t\tc\n\t\td:\n\t\t\te' }).text).toBe(
      'a:\n  b:\n    c\n    d:\n      e\n',
    )
  })

  test("turns steps of two into the file's steps of four", () => {
    expect(
      edited('a\n    b\n        c\n', { oldText: 'a\n  b\n    c', newText: 'a\n  b\n    c\n      d\n  e' }).text,
    ).toBe('a\n    b\n        c\n            d\n    e\n')
  })

  test('a first line without its indentation does not shift the others', () => {
    expect(
      edited('x {\n  foo(a)  \n    bar\n  }\n}\n', {
        oldText: 'foo(a)\n    bar\n  }',
        newText: 'foo(b)\n    baz\n      qux\n  }',
      }).text,
    ).toBe('x {\n  foo(b)\n    baz\n      qux\n  }\n}\n')
  })

  test('a new line above the old depth is outdented relative to the file', () => {
    expect(edited('a\n        b\n        e\n', { oldText: '    b\n    e', newText: '  c\n    d' }).text).toBe(
      'a\n      c\n        d\n',
    )
  })

  test('a single unindented line gets the indentation of the file', () => {
    expect(edited('\tone\n\ttwo\n', { oldText: '  two\n', newText: '  if x:\n      two\n' }).text).toBe(
      '\tone\n\tif x:\n\t\ttwo\n',
    )
  })

  test('blank lines stay blank', () => {
    expect(edited('  a\n\n  b\n', { oldText: 'a\n\nb', newText: 'a\n\nc\n\nb' }).text).toBe('  a\n\n  c\n\n  b\n')
  })
})

describe('look-alikes', () => {
  test('matches typographic quotes in the middle of a line and keeps unchanged ones', () => {
    expect(edited('say “hi” – now\n', { oldText: 'say "hi" - now', newText: 'say "hi" - later' })).toEqual({
      text: 'say “hi” – later\n',
      stage: 'look_alikes',
      line: 1,
    })
  })

  test('matches ASCII if the model wrote typographic characters, and non-breaking spaces', () => {
    expect(edited("it's\u00a0done\n", { oldText: 'it’s done', newText: 'it’s over' }).text).toBe("it's\u00a0over\n")
  })

  test('match together with different indentation', () => {
    expect(edited('  a = “x”\n  b\n', { oldText: 'a = "x"\nb', newText: 'a = "x"\nc' })).toMatchObject({
      text: '  a = “x”\n  c\n',
      stage: 'look_alikes',
    })
  })
})

describe('line numbers', () => {
  const file = 'x\na\nx\nb\nx\nc\n'

  test('select the match inside them', () => {
    expect(edited(file, { oldText: 'x', newText: 'y', startLine: 3 }).text).toBe('x\na\ny\nb\nx\nc\n')
    expect(edited(file, { oldText: 'x', newText: 'y', endLine: 5 }).text).toBe('x\na\nx\nb\ny\nc\n')
    expect(edited(file, { oldText: 'x', newText: 'y', startLine: 4, endLine: 6 }).text).toBe('x\na\nx\nb\ny\nc\n')
  })

  test('select the only match within five lines if none is inside', () => {
    expect(edited('x\n\n\n\n\n\n\n\nx\n', { oldText: 'x', newText: 'y', startLine: 3 }).line).toBe(1)
    expect(edited(`x${'\n'.repeat(20)}x\n`, { oldText: 'x', newText: 'y', startLine: 14, endLine: 16 }).line).toBe(21)
  })

  test('do not select a match further away, even if the others are much further', () => {
    expect(failure(`x${'\n'.repeat(20)}x\n`, { oldText: 'x', newText: 'y', startLine: 14, endLine: 15 }).code).toBe(
      'ambiguous_match',
    )
    expect(failure(`x${'\n'.repeat(200)}x\n`, { oldText: 'x', newText: 'y', startLine: 51 }).code).toBe(
      'ambiguous_match',
    )
  })

  test('select none if two are equally near, or two are inside', () => {
    expect(failure(file, { oldText: 'x', newText: 'y', startLine: 2 }).code).toBe('ambiguous_match')
    expect(failure(file, { oldText: 'x', newText: 'y', startLine: 40 }).code).toBe('ambiguous_match')
    expect(failure(file, { oldText: 'x', newText: 'y', startLine: 1, endLine: 4 }).message).toContain(
      'The line numbers do not select one match.',
    )
  })

  test('have no effect if there is one match', () => {
    expect(edited(file, { oldText: 'b', newText: 'y', startLine: 1, endLine: 1 }).line).toBe(4)
  })

  test('apply to looser stages too', () => {
    expect(edited('a \nb\na  \n', { oldText: 'a\n', newText: 'c\n', startLine: 3 })).toMatchObject({
      text: 'a \nb\nc\n',
      stage: 'trailing_space',
    })
  })

  test('in reverse order are rejected', () => {
    expect(failure(file, { oldText: 'x', newText: 'y', startLine: 4, endLine: 2 }).code).toBe('invalid_arguments')
  })
})

describe('failures', () => {
  test('the error for an empty old text explains how to add text', () => {
    expect(failure('a', { oldText: '', newText: 'b' })).toMatchObject({
      code: 'invalid_arguments',
      next: expect.stringContaining('to insert text, repeat an adjacent line'),
    })
  })

  test('equal texts are rejected', () => {
    expect(failure('a', { oldText: 'a\r\n', newText: 'a\n' })).toMatchObject({
      code: 'no_change',
      message: expect.stringContaining('differ only in their line endings'),
    })
    expect(failure('a  \n', { oldText: 'a\n', newText: 'a  \n' }).code).toBe('no_change')
  })

  test('an ambiguous match lists all its lines', () => {
    const error = failure('a = 1\nb\na = 2\n', { oldText: 'a =', newText: 'c =' })
    expect(error.message).toContain('found 2 times (exact match)')
    expect(error.message).toContain('  1: a = 1\n  3: a = 2')
  })

  test('an ambiguous match of a looser stage fails too', () => {
    expect(failure(' a\n  a\n', { oldText: '\ta', newText: 'b' })).toMatchObject({
      code: 'ambiguous_match',
      message: expect.stringContaining('ignoring indentation'),
    })
  })

  test('hundreds of matches: twenty are listed and the rest is counted', () => {
    const error = failure('x\n'.repeat(3_000), { oldText: 'x', newText: 'y' })
    expect(error.message).toContain('3,000 times')
    expect(error.message).toContain('… and 2,980 more')
    expect(error.message.split('\n')).toHaveLength(22)
  })

  test('a missing text shows the most similar lines with their numbers', () => {
    const file = Array.from({ length: 50 }, (_, index) => `const value${index} = compute(${index})`)
      .with(30, 'function calculateTotal(items, tax) {')
      .join('\n')
    const error = failure(file, { oldText: 'function calculateTotals(items, taxRate) {', newText: 'x' })
    expect(error.code).toBe('no_match')
    expect(error.message).toMatch(/Line 31 \(\d\d % similar\):\n {2}31: function calculateTotal\(items, tax\) \{/)
    expect(error.next).toContain('line 31')
  })

  test('a missing text is reported as already replaced if the file contains the new text', () => {
    expect(failure('a\nlet x = 2\n', { oldText: 'let y = 1', newText: 'let x = 2' }).message).toContain(
      'Line 2 already contains new_text',
    )
  })

  test('line numbers copied from a read are reported', () => {
    expect(failure('alpha\n', { oldText: '1: alpha', newText: 'beta' }).next).toContain('Remove the line numbers')
  })

  test('a text without similar lines shows none', () => {
    expect(failure('alpha\nbeta\n', { oldText: 'zzzz qqqq', newText: 'x' }).message).toContain(
      'The file has no similar lines.',
    )
    expect(failure('', { oldText: 'a', newText: 'b' }).message).toContain('The file is empty.')
  })

  test("errors use the tool's parameter names", () => {
    expect(() =>
      locateEdit('a', { oldText: 'b', newText: 'c' }, { oldText: 'old_content', newText: 'new_content' }),
    ).toThrow('old_content was not found')
  })

  test('a file of fifty thousand lines is searched to the end', () => {
    const file = Array.from(
      { length: 50_000 },
      (_, index) => `  item_${(index * 7919) % 50_021}: { weight: ${index % 97}, label: "row ${index}" },`,
    ).join('\n')
    const error = failure(file, { oldText: 'item_unknown: { weight: 1, label: "row 49998" }', newText: 'x' })
    expect(error.message).toContain('row 49998')
  })

  test('in a large file, only lines around the line numbers are compared, which the error states', () => {
    const file = Array.from({ length: 90_000 }, (_, index) =>
      index === 70_000 ? 'alpha beta gamma' : `row ${index}`,
    ).join('\n')
    const message = (startLine?: number) =>
      failure(file, { oldText: 'alpho beto gamma', newText: 'x', startLine }).message
    expect(message(70_010)).toMatch(/most similar lines from 60,\d+ to 80,\d+ are:\nLine 70001 \(/)
    expect(message(5)).toMatch(/No line from 1 to 20,\d+ is similar\. Other lines were not compared/)
    expect(message()).toContain('Line 70001 (')
  })

  test('above five megabytes, similar lines are not searched', () => {
    expect(failure('some line\n'.repeat(510_000), { oldText: 'some lime', newText: 'x' }).message).toContain(
      'over 5 MB, so similar lines were not searched',
    )
  })
})

describe('for any text and edit', () => {
  let seed = 7
  const random = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below
  const pick = (from: readonly string[]) => from[random(from.length)] ?? ''
  const line = () =>
    pick(['', ' ', '  ', '\t', '    ']) +
    pick(['a', 'b', "it's", 'it’s', 'a b', 'a\u00a0b', '']) +
    pick(['', '', ' ', '\t'])
  const anyText = (max: number) => Array.from({ length: 1 + random(max) }, line).join('\n') + pick(['', '\n'])

  test('nothing outside the match changes, and the match equals the old text', () => {
    let matched = 0
    for (let round = 0; round < 20_000; round += 1) {
      const text = anyText(8)
      const edit = { oldText: anyText(2), newText: anyText(3) }
      const count = text.split('').filter((_, at) => text.startsWith(edit.oldText, at)).length
      let placement
      try {
        placement = locateEdit(text, edit)
      } catch (error) {
        if (!(error instanceof ToolError)) throw error
        if (error.code === 'no_match') expect(count).toBe(0)
        if (error.code === 'ambiguous_match' && count > 0) {
          expect(count).toBeGreaterThan(1)
          expect(error.message).toContain(`found ${count} times`)
        }
        continue
      }
      matched += 1
      const result = applyPlacements(text, [placement])
      const seen = JSON.stringify({ text, edit, placement, result })
      expect(result.startsWith(text.slice(0, placement.start)), seen).toBe(true)
      expect(result.endsWith(text.slice(placement.end)), seen).toBe(true)
      expect(result.length, seen).toBe(text.length - (placement.end - placement.start) + placement.replacement.length)
      expect(text.slice(0, placement.start).split('\n').length, seen).toBe(placement.startLine)
      expect(placement.stage === 'exact', seen).toBe(count === 1)
      if (placement.stage === 'exact') {
        expect(text.slice(placement.start, placement.end), seen).toBe(edit.oldText)
        expect(placement.replacement, seen).toBe(edit.newText)
      } else {
        // Looser stages never invent or drop content: without whitespace and typography both sides are the same.
        const bare = (value: string) => value.replace(/[\s\u00a0]+/g, '').replaceAll('’', "'")
        expect(bare(text.slice(placement.start, placement.end)), seen).toBe(bare(edit.oldText))
        expect(bare(placement.replacement), seen).toBe(bare(edit.newText))
        expect(
          text.endsWith('\n') || placement.end < text.length || !result.endsWith('\n') || edit.newText.endsWith('\n'),
          seen,
        ).toBe(true)
      }
    }
    expect(matched).toBeGreaterThan(2_000)
  })
})

test('supports a replacement of more lines than a call can have arguments', () => {
  const now = 'new\n'.repeat(150_000)
  expect(edited('  old\nend', { oldText: 'old\nend\n', newText: `${now}end\n` }).text.split('\n')).toHaveLength(150_001)
})
