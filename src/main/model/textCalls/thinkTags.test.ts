import { describe, expect, test } from 'vitest'
import { settledPieces } from '../testing/settledPieces.ts'
import { createCallFinder } from './callFinder.ts'

/** Returns `[reasoning, text]` of an answer, and asserts that they are the same if it arrives in single characters. */
function split(answer: string): [string, string] {
  const run = (parts: string[]): [string, string] => {
    const finder = createCallFinder(undefined)
    const pieces = settledPieces([...parts.flatMap((part) => finder.push(part)), ...finder.finish()])
    const join = (kind: string) =>
      pieces
        .filter((piece) => piece.kind === kind)
        .map((piece) => ('text' in piece ? piece.text : ''))
        .join('')
    return [join('reasoning'), join('text')]
  }
  const whole = run([answer])
  expect(run(answer.split(''))).toEqual(whole)
  return whole
}

describe('reasoning in tags', () => {
  test.each([
    ['plain', '', 'plain'],
    ['<think>a</think>b', 'a', 'b'],
    ['\n<thinking>a</thinking>b', 'a', 'b'],
    ['<think>a</think>\n<think>b</think>c', 'ab', 'c'],
    ['<think>never closed', 'never closed', ''],
    ['<think>a</think>\n\n', 'a', ''],
    ['was thought</think>answer', 'was thought', 'answer'],
    ['Line\n</think>\n\nanswer </think> here', 'Line\n', '\n\nanswer </think> here'],
    ['was thought. </think>\nanswer', 'was thought. ', '\nanswer'],
    ['was thought</think>', 'was thought', ''],
    ['The tag </think> is prose.', '', 'The tag </think> is prose.'],
    ['use `</think>` so', '', 'use `</think>` so'],
    [
      '<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|><|START_THINKING|>a<|END_THINKING|><|START_TEXT|>b<|END_TEXT|>',
      'a',
      'b',
    ],
    ['was<|END_THINKING|><|START_TEXT|>b<|END_TEXT|>', 'was', 'b'],
    ['b<|START_THINKING|>a<|END_THINKING|>', 'a', 'b'],
    ['The tag <think> is prose</think here', '', 'The tag <think> is prose</think here'],
    ['<think>a</think>use `</think>` so', 'a', 'use `</think>` so'],
    ['<reasoning>a</reasoning>b', 'a', 'b'],
    ['<thought>\na</thought>\n\nb', '\na', '\n\nb'],
    ['◁think▷a◁/think▷b', 'a', 'b'],
    ['[THINK]a[/THINK]b', 'a', 'b'],
    ['<seed:think>a</seed:think>b', 'a', 'b'],
    ['<thinking>a</think>b', 'a', 'b'],
    ['<think>a</thought> is a tag</think>b', 'a</thought> is a tag', 'b'],
    ['1 < 2', '', '1 < 2'],
    ['<thin', '', '<thin'],
    ['', '', ''],
  ])('%j', (answer, reasoning, text) => {
    expect(split(answer)).toEqual([reasoning, text])
  })
})
