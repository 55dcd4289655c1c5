import { describe, expect, test } from 'vitest'
import { answerCap, createAnswerReader } from './answer.ts'
import { ModelError, type ModelEvent } from './client.ts'
import { callsOf, chatRequest, textOf } from './testSupport.ts'

const where = { name: 'Test', kind: 'openai', baseUrl: 'http://127.0.0.1' } as const
const tools = [{ name: 'read_file', description: '', parameters: { type: 'object' } }]
const call = '<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>'
const native = [{ index: 0, id: 'n1', function: { name: 'read_file', arguments: '{"path": "a"}' } }]

function read(deltas: { reasoning?: string; text?: string; calls?: unknown }[], options: { cut?: boolean; textCalls?: boolean; offered?: boolean } = {}): ModelEvent[] {
  const request = chatRequest({ tools: options.offered === false ? [] : tools })
  const reader = createAnswerReader(request, where, { textCalls: options.textCalls ?? true })
  return [...deltas.flatMap((delta) => reader.push({ reasoning: '', text: '', calls: undefined, ...delta })), ...reader.finish(options.cut ?? false)]
}

describe('an answer', () => {
  test('gives the calls in its text, with ids of their own', () => {
    const events = read([{ text: `Look.\n${call}\n${call}` }])
    expect(textOf(events)).toBe('Look.\n')
    expect(callsOf(events).map(({ name }) => name)).toEqual(['read_file', 'read_file'])
    expect(new Set(callsOf(events).map(({ id }) => id)).size).toBe(2)
  })

  test('counts a call that came natively and in the text once', () => {
    expect(callsOf(read([{ text: call }, { calls: native }]))).toMatchObject([{ id: 'n1' }])
    expect(callsOf(read([{ calls: native }, { text: call }]))).toMatchObject([{ id: 'n1' }])
  })

  test('tells once that a call is being written, while nothing of it can be shown', () => {
    const events = read(call.split('').map((text) => ({ text })))
    expect(events.map(({ kind }) => kind)).toEqual(['status', 'call'])
  })

  test('holds no calls in its thoughts', () => {
    const events = read([{ reasoning: call }, { text: `<think>${call}</think>Done.` }])
    expect(callsOf(events)).toEqual([])
    expect(textOf(events)).toBe('Done.')
  })

  test('is not searched where no tools are offered, or the search is switched off', () => {
    expect(textOf(read([{ text: call }], { offered: false }))).toBe(call)
    expect(textOf(read([{ text: call }], { textCalls: false }))).toBe(call)
  })

  test('that is cut before the arguments of a call does not call it without any', () => {
    const begun = [{ index: 0, id: 'n1', function: { name: 'read_file', arguments: '' } }]
    expect(callsOf(read([{ calls: begun }], { cut: true }))[0]?.arguments).toBe('{')
    expect(callsOf(read([{ calls: begun }]))[0]?.arguments).toBe('')
  })

  test('loses its NUL bytes', () => {
    expect(textOf(read([{ text: 'a\0b' }]))).toBe('ab')
  })

  test('is bounded, in many pieces and in one', () => {
    const half = 'x'.repeat(answerCap / 2)
    expect(textOf(read([{ text: half }, { text: half }]))).toHaveLength(answerCap)
    for (const deltas of [[{ text: half }, { reasoning: half }, { text: 'x' }], [{ text: 'x'.repeat(10_000_000) }]]) {
      expect(() => read(deltas)).toThrow(ModelError)
    }
  })
})
