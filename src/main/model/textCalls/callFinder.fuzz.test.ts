import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { chunksOf, cuts, fuzz, textOf } from '../../testing/fuzz.ts'
import { settledPieces, type SettledPiece } from '../testing/settledPieces.ts'
import { createCallFinder } from './callFinder.ts'

const tokens = [
  '<think>',
  '</think>',
  '<thinking>',
  '</thinking>',
  '<seed:think>',
  '</seed:think>',
  '◁think▷',
  '◁/think▷',
  '[THINK]',
  '[/THINK]',

  '<|START_THINKING|>',
  '<|START_TEXT|>',
  '\nAction: write_file\nAction Input: ',
  'Action: ',
  '\nObservation: ',
  '<|END_THINKING|>',
  '<|channel>thought\n',
  '<channel|>',
  '<|channel|>',
  '<|message|>',
  '<|end|>',
  '<|start|>',

  '<tool_call>',
  '</tool_call>',
  '<function=write_file>',
  '</function>',
  '<parameter=path>',
  '</parameter>',
  '<arg_key>',
  '</arg_key>',

  '<arg_value>',
  '</arg_value>',
  '<invoke name="write_file">',
  '</invoke>',
  '[TOOL_CALLS]',
  '[ARGS]',
  '[/TOOL_CALLS]',
  '<|python_tag|>',

  '<|tool_calls_section_begin|>',
  '<|tool_call_begin|>',
  '<|tool_call_argument_begin|>',
  '<|tool_call_end|>',
  '<｜tool▁call▁begin｜>',

  '<｜tool▁sep｜>',
  '<start_function_call>',
  '<escape>',
  '<|"|>',
  'call:write_file{',
  ' to=functions.write_file',
  '<|call|>',
  '>>>write_file\n',

  'functools[',
  '<|tools_prefix|>',
  '<|im_end|>',
  '<|eot_id|>',
  '</s>',
  '<function_calls>',
  '</function_calls>',
  '<|action_start|>',

  '{"name": "write_file", "arguments": ',
  '{"path": "x", "content": "y"}',
  '"name"',
  'write_file(',
  'path="x"',
  ')',
  '[',
  ']',
  '{',
  '}',
  ',',

  '```',
  '```json\n',
  '`',
  '"',
  "'",
  '\\',
  '\n',
  '\n\n',
  ' ',
  'I call ',
  'a',
  'ü',
  '🦊',
  '<',
  '|',
  '>',
  ':',
  '=',
  '"""',
  '#',
  '//',
  '\u200b',
]
const offered = ['write_file', 'read_file']

/** Joins adjacent pieces of text and of reasoning. */
function merged(pieces: readonly SettledPiece[]): SettledPiece[] {
  const all: SettledPiece[] = []
  for (const piece of pieces) {
    const last = all.at(-1)
    if (piece.kind !== 'call' && last?.kind === piece.kind)
      all[all.length - 1] = { ...last, text: last.text + piece.text }
    else all.push(piece)
  }
  return all.filter((piece) => piece.kind === 'call' || piece.text !== '')
}

function read(chunks: readonly string[], tools: readonly string[] | undefined, cut: boolean): SettledPiece[] {
  const finder = createCallFinder(tools)
  return merged(settledPieces([...chunks.flatMap((chunk) => finder.push(chunk)), ...finder.finish(cut)]))
}

/** Whether a text is a subsequence of another. */
function isSubsequence(part: string, whole: string): boolean {
  let at = 0
  for (const unit of part.split('')) {
    at = whole.indexOf(unit, at) + 1
    if (at === 0) return false
  }
  return true
}

describe('an answer', () => {
  fuzz('is parsed the same in any chunks', [textOf(tokens, 25), cuts, fc.boolean()], (answer, places, cut) => {
    const whole = read([answer], offered, cut)
    expect(read(chunksOf(answer, places), offered, cut)).toEqual(whole)
    expect(read(answer.split(''), offered, cut)).toEqual(whole)
  })

  fuzz(
    'yields no text, reasoning or call name that it does not contain',
    [textOf(tokens, 25), fc.boolean()],
    (answer, cut) => {
      const pieces = read([answer], offered, cut)
      for (const kind of ['text', 'reasoning'] as const) {
        const shown = pieces.flatMap((piece) => (piece.kind === kind ? [piece.text] : [])).join('')
        expect(isSubsequence(shown, answer), JSON.stringify(shown)).toBe(true)
      }
      for (const piece of pieces) if (piece.kind === 'call') expect(answer).toContain(piece.call.name)
    },
  )

  fuzz(
    'without marks passes unchanged',
    [fc.string({ unit: fc.constantFrom(...'abc .,!?\n\täß1'.split('')) }).filter((text) => /^\S/.test(text)), cuts],
    (answer, places) => {
      for (const tools of [undefined, offered])
        expect(read(chunksOf(answer, places), tools, false)).toEqual(
          answer === '' ? [] : [{ kind: 'text', text: answer }],
        )
    },
  )
})
