import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ToolError } from '../../shared/errors.ts'
import { answerLines, partialLines } from './answer.ts'
import { inlineEdit } from './testing/inlineEditParams.ts'
import { inlineEditMessages } from './prompt.ts'

const selection = ['    total = total + price', '    return total']
const edit = inlineEdit({
  path: 'a.py',
  language: 'python',
  selection,
  before: 'def sum(prices):\n    total = 0\n    for price in prices:',
  after: '\n\ndef other():\n    pass',
  indentation: { tabs: false, size: 4 },
})
const wanted = ['    total += price', '    return total']

function failure(answer: string, target = edit): ToolError {
  try {
    answerLines(answer, target)
  } catch (error) {
    if (error instanceof ToolError) return error
    throw error
  }
  throw new Error('the answer was accepted')
}

describe('the lines of an answer', () => {
  test.each([
    ['in a fence', '```python\n    total += price\n    return total\n```'],
    ['in a fence with tildes', '~~~\n    total += price\n    return total\n~~~'],
    [
      'in a fence between prose',
      'Sure! Here it is:\n\n```py\n    total += price\n    return total\n```\n\nThis adds it up.',
    ],
    ['in a fence that is not closed', '```python\n    total += price\n    return total'],
    ['without a fence', '    total += price\n    return total'],
    ['without a fence after a sentence', 'Here is the updated code:\n    total += price\n    return total'],
    ['in the tag of the prompt', '<selection>\n    total += price\n    return total\n</selection>'],
    [
      'in the tag of the prompt in a fence',
      '```\n<selection>\n    total += price\n    return total\n</selection>\n```',
    ],
    ['with CRLF', '```\r\n    total += price\r\n    return total\r\n```\r\n'],
    ['with blank lines at both ends', '```\n\n    total += price\n    return total\n\n\n```'],
    [
      'in the second fence, in the language of the file',
      '```bash\npip install x\n```\n```python\n    total += price\n    return total\n```',
    ],
    ['unindented', '```\ntotal += price\nreturn total\n```'],
    ['indented twice', '```\n        total += price\n        return total\n```'],
    ['with an unindented first line', '```\ntotal += price\n    return total\n```'],
    [
      'with the lines around the selection',
      '```\n    total = 0\n    for price in prices:\n    total += price\n    return total\n\n\ndef other():\n    pass\n```',
    ],
    ['as a diff', '```diff\n@@ -1,2 +1,2 @@\n-    total = total + price\n+    total += price\n     return total\n```'],
    [
      'in the second fence, marked with the extension',
      '```sh\nmake\n```\n```py\n    total += price\n    return total\n```',
    ],
    [
      'as a SEARCH/REPLACE block',
      '<<<<<<< SEARCH\n    total = total + price\n=======\n    total += price\n>>>>>>> REPLACE\n',
    ],
    [
      'as a fenced block with other indentation',
      '```\n<<<<<<< SEARCH\ntotal = total + price\n=======\ntotal += price\n>>>>>>> REPLACE\n```',
    ],
  ])('%s', (_, answer) => {
    expect(answerLines(answer, edit)).toEqual(wanted)
  })

  test('keep the blank lines at the ends of the selection', () => {
    const blank = inlineEdit({ selection: ['', 'a', ''] })
    expect(answerLines('```\nb\n```', blank)).toEqual(['', 'b', ''])
  })

  test('may wrap the selection in an unindented block', () => {
    expect(answerLines('```\nif price:\n    total += price\nreturn total\n```', edit)).toEqual([
      '    if price:',
      '        total += price',
      '    return total',
    ])
  })

  test('stay as written if the instruction is about indentation', () => {
    expect(
      answerLines('```\ntotal += price\nreturn total\n```', { ...edit, instruction: 'Remove the indentation' }),
    ).toEqual(['total += price', 'return total'])
  })

  test('are indented with tabs in a file with tabs', () => {
    const tabs = inlineEdit({ selection: ['\tif (a) {', '\t\tb()', '\t}'], indentation: { tabs: true, size: 4 } })
    expect(answerLines('```\nif (a) {\n  c()\n}\n```', tabs)).toEqual(['\tif (a) {', '\t\tc()', '\t}'])
  })

  test('are indented with spaces in a file with spaces', () => {
    expect(answerLines('```\n\tif x:\n\t\treturn total\n```', edit)).toEqual(['    if x:', '        return total'])
  })

  test('keep tabs and trailing spaces of the lines that stay', () => {
    const mixed = inlineEdit({
      selection: ['    a()', '\tb()', '    Line break  ', '    c()'],
      indentation: { tabs: false, size: 4 },
    })
    expect(answerLines('```\n    a()\n\tb()\n    Line break\n    d()\n```', mixed)).toEqual([
      '    a()',
      '\tb()',
      '    Line break  ',
      '    d()',
    ])
  })

  test('lose trailing spaces if the instruction is about them', () => {
    const trailing = inlineEdit({ selection: ['a  ', 'b'], instruction: 'Remove trailing spaces' })
    expect(answerLines('```\na\nb\n```', trailing)).toEqual(['a', 'b'])
  })

  test('are removed by an empty fence', () => {
    expect(answerLines('```\n```', edit)).toEqual([])
  })

  test('keep fences inside a fenced Markdown answer', () => {
    const markdown = inlineEdit({ path: 'a.md', language: 'markdown', selection: ['Run it.'] })
    expect(answerLines('```markdown\nRun it:\n\n```sh\nnpm test\n```\n\nDone.\n```', markdown)).toEqual([
      'Run it:',
      '',
      '```sh',
      'npm test',
      '```',
      '',
      'Done.',
    ])
  })

  test('of generated text get the indentation of their place', () => {
    const place = { selection: null, language: 'typescript', indentation: { tabs: false, size: 2 } }
    const lines = (before: string, after: string, cursorIndent = '') =>
      answerLines('```\nfoo()\n```', inlineEdit({ ...place, before, after, cursorIndent }))
    expect(lines('class A {', '}')).toEqual(['  foo()'])
    expect(lines('class A {\n  a() {}', '}')).toEqual(['  foo()'])
    expect(lines('const a = 1', 'const b = 2')).toEqual(['foo()'])
    expect(lines('def f():\n    return 1\n', '\ndef g():')).toEqual(['foo()'])
    expect(lines('x', 'y', '      ')).toEqual(['      foo()'])
  })
})

describe('an unusable answer is explained', () => {
  test.each([
    ['empty', ' \n\n', 'no_change', /empty answer/],
    ['the selection unchanged', `\`\`\`\n${selection.join('\n')}\n\`\`\``, 'no_change', /unchanged/],
    ['a refusal', "I'm sorry, but I can't help with that.", 'refused', /I'm sorry, but/],
    [
      'blocks for other text',
      '<<<<<<< SEARCH\nnowhere\n=======\nx\n>>>>>>> REPLACE',
      'no_match',
      /does not match the selection: "nowhere"/,
    ],
    [
      'a block that is not closed',
      '<<<<<<< SEARCH\n    return total\n=======\nx\n',
      'invalid_arguments',
      /of the answer cannot be read.*not closed.*Nothing was changed/,
    ],
  ])('%s', (_, answer, code, message) => {
    expect(failure(answer)).toMatchObject({ code, message: expect.stringMatching(message) })
  })

  test.each([
    'The code is already correct. No changes are needed.',
    'Lo siento, pero no puedo ayudarte con eso.',
    'To fix this:\n\n- Use a set instead of a list.\n- Add the price once.',
  ])('an explanation: %s', (answer) => {
    expect(failure(answer).message).toMatch(/explanation|did not edit/)
    const text = inlineEdit({ language: 'markdown', path: 'a.md' })
    expect(answerLines(answer, text)).toEqual(answer.split('\n'))
  })

  test('a diff for other text', () => {
    expect(failure('```diff\n@@ -1 +1 @@\n-nowhere\n+x\n```').code).toBe('no_match')
  })

  test('the prompt repeated', () => {
    const prompt = inlineEditMessages(edit, { definitions: '', instructions: '' }, 8192)
      .map((message) => message.content)
      .join('\n\n')
    expect(failure(prompt)).toMatchObject({ code: 'no_change', message: expect.stringMatching(/repeated the prompt/) })
  })

  test('blocks without a selection', () => {
    expect(failure('<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE', inlineEdit({ selection: null })).code).toBe(
      'no_match',
    )
  })
})

describe('the lines of a partial answer', () => {
  test('are the complete lines of the open fence', () => {
    expect(partialLines('Sure!\n```python\n    total += price\n    return to', edit)).toEqual(['    total += price'])
  })

  test('are none before a fence, so that prose is not shown as text of the file', () => {
    expect(partialLines('Here is the updated code:\n', edit)).toEqual([])
    expect(partialLines("I'm sorry, but\nno\n", edit)).toEqual([])
  })

  test('are those of a bare answer that begins with code', () => {
    expect(partialLines('    total += price\n    return to', edit)).toEqual(['    total += price'])
  })

  test('are the closed blocks applied', () => {
    const block = '<<<<<<< SEARCH\n    total = total + price\n=======\n    total += price\n>>>>>>> REPLACE\n'
    expect(partialLines(`${block}<<<<<<< SEARCH\n    ret`, edit)).toEqual(wanted)
    expect(partialLines(block.slice(0, 40), edit)).toEqual([])
  })
})

describe('any answer', () => {
  const pieces = [
    '```',
    '```py',
    '~~~',
    '<<<<<<< SEARCH',
    '=======',
    '>>>>>>> REPLACE',
    '    total = total + price',
    '    return total',
    '\tx',
    '',
    '@@ -1 +1 @@',
    '-a',
    '+a',
    '<selection>',
    '</selection>',
    'Sure, here it is:',
    '...',
    'def other():',
    '    pass',
    '\r',
  ]
  const anyAnswer = fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 12 })
    .map((lines) => lines.join('\n'))

  test('gives lines or an error for the user, and partial lines without an error', () => {
    fc.assert(
      fc.property(anyAnswer, fc.boolean(), (answer, inserts) => {
        const target = inserts ? { ...edit, selection: null } : edit
        for (let end = 0; end <= answer.length; end += 7) partialLines(answer.slice(0, end), target)
        try {
          const lines = answerLines(answer, target)
          expect(lines.every((line) => !line.includes('\n'))).toBe(true)
          expect(lines).not.toEqual(target.selection)
        } catch (error) {
          expect(error).toBeInstanceOf(ToolError)
          // A sentence with a period, and what to do next.
          expect(error).toMatchObject({ message: expect.stringMatching(/[."]$/), next: expect.stringMatching(/\.$/) })
        }
      }),
      { numRuns: 500 },
    )
  })
})
