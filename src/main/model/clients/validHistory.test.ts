import { describe, expect, test } from 'vitest'
import type { ChatMessage } from '../modelClient.ts'
import { newCallId, uniqueId, validHistory } from './validHistory.ts'
import { checkMessages } from '../scripted/scriptedRequest.ts'

const assistant = (...toolCalls: [string, string, string][]): ChatMessage => ({
  role: 'assistant',
  content: '',
  toolCalls: toolCalls.map(([id, name, args]) => ({ id, name, arguments: args })),
})
const result = (callId: string, content = 'result'): ChatMessage => ({ role: 'tool', callId, name: 'f', content })
const user = (content: string): ChatMessage => ({ role: 'user', content })

describe('validHistory', () => {
  test('leaves a valid conversation unchanged', () => {
    const messages: ChatMessage[] = [
      { role: 'system', content: 's' },
      user('u'),
      assistant(['1', 'f', '{"a":1}'], ['2', 'f', '{}']),
      result('1'),
      result('2'),
      { role: 'assistant', content: 'done' },
    ]
    expect(validHistory(messages)).toEqual(messages)
  })

  test('adds a missing result', () => {
    expect(validHistory([user('u'), assistant(['1', 'f', '{}'], ['2', 'g', '{}']), result('2')])).toEqual([
      user('u'),
      assistant(['1', 'f', '{}'], ['2', 'g', '{}']),
      { role: 'tool', callId: '1', name: 'f', content: 'cancelled' },
      { role: 'tool', callId: '2', name: 'g', content: 'result' },
    ])
  })

  test.each(['', '{"a":', 'null', '[1]', '"text"', '{}{"a":1}'])(
    'replaces the arguments %j with an empty object',
    (args) => {
      expect(validHistory([user('u'), assistant(['1', 'f', args]), result('1')])[1]).toEqual(
        assistant(['1', 'f', '{}']),
      )
    },
  )

  test('drops results without a call', () => {
    expect(validHistory([user('u'), result('lost'), { role: 'assistant', content: 'a' }, result('late')])).toEqual([
      user('u'),
      { role: 'assistant', content: 'a' },
    ])
  })

  test('drops empty assistant messages and merges the user messages around them', () => {
    expect(validHistory([user('one'), { role: 'assistant', content: '' }, user('two')])).toEqual([user('one\n\ntwo')])
  })

  test('makes repeated ids unique, within a message and between turns', () => {
    const valid = validHistory([
      user('u'),
      assistant(['c', 'f', '{}'], ['c', 'f', '{}']),
      result('c', 'first'),
      result('c', 'second'),
      assistant(['c', 'f', '{}']),
      result('c', 'third'),
    ])
    expect(checkMessages(valid)).toBeUndefined()
    expect(valid.filter((message) => message.role === 'tool').map((message) => message.content)).toEqual([
      'first',
      'second',
      'third',
    ])
  })

  test('does not modify its input', () => {
    const messages = [user('u'), assistant(['1', '', 'rubbish'])]
    const before = structuredClone(messages)
    validHistory(messages)
    expect(messages).toEqual(before)
  })
})

test('a new call id has the nine letters and digits that Mistral requires', () => {
  expect(newCallId()).toMatch(/^[a-z0-9]{9}$/)
})

test('a duplicate id gets a suffix', () => {
  const used = new Set(['a', 'a_2'])
  expect(uniqueId('a', used)).toBe('a_3')
  expect(used.has('a_3')).toBe(true)
})
