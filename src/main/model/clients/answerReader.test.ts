import { describe, expect, test } from 'vitest'
import { maxAnswerLength, createAnswerReader } from './answerReader.ts'
import { ModelError, type ModelEvent } from '../modelClient.ts'
import { callsOf, chatRequest, textOf } from '../testing/modelServer.ts'

const target = { name: 'Test', kind: 'openai', baseUrl: 'http://127.0.0.1' } as const
const tools = [{ name: 'read_file', description: '', parameters: { type: 'object' } }]
const call = '<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>'
const native = [{ index: 0, id: 'n1', function: { name: 'read_file', arguments: '{"path": "a"}' } }]

function read(
  deltas: { reasoning?: string; text?: string; calls?: unknown }[],
  options: { truncated?: boolean; textCalls?: boolean; offered?: boolean } = {},
): ModelEvent[] {
  const request = chatRequest({ tools: options.offered === false ? [] : tools })
  const reader = createAnswerReader(request, target, { textCalls: options.textCalls ?? true })
  return [
    ...deltas.flatMap((delta) => reader.push({ reasoning: '', text: '', calls: undefined, ...delta })),
    ...reader.finish(options.truncated ?? false),
  ]
}

describe('an answer', () => {
  test('returns the calls in its text, with unique ids', () => {
    const events = read([{ text: `Look.\n${call}\n${call}` }])
    expect(textOf(events)).toBe('Look.\n')
    expect(callsOf(events).map(({ name }) => name)).toEqual(['read_file', 'read_file'])
    expect(new Set(callsOf(events).map(({ id }) => id)).size).toBe(2)
  })

  test('counts a call once that is native and in the text', () => {
    expect(callsOf(read([{ text: call }, { calls: native }]))).toMatchObject([{ id: 'n1' }])
    expect(callsOf(read([{ calls: native }, { text: call }]))).toMatchObject([{ id: 'n1' }])
  })

  test('announces a call once while it is incomplete', () => {
    const events = read(call.split('').map((text) => ({ text })))
    expect(events.map(({ kind }) => kind)).toEqual(['status', 'call'])
  })

  test('ignores calls in its reasoning', () => {
    const events = read([{ reasoning: call }, { text: `<think>${call}</think>Done.` }])
    expect(callsOf(events)).toEqual([])
    expect(textOf(events)).toBe('Done.')
  })

  test.each([
    ['Qwen and Hermes', `I read it.\n${call}`],
    ['followed by whitespace', `I read it.\n${call}\n\n`],
    ['Mistral', '[TOOL_CALLS]read_file[ARGS]{"path": "a"}'],
    [
      'Kimi',
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path": "a"}<|tool_call_end|><|tool_calls_section_end|>',
    ],
  ])("that has only the server's reasoning field returns the complete call in it: %s", (_, reasoning) => {
    for (const pieces of [[reasoning], reasoning.split('')]) {
      const events = read(pieces.map((piece) => ({ reasoning: piece })))
      expect(callsOf(events).map(({ name, arguments: given }) => [name, JSON.parse(given)])).toEqual([
        ['read_file', { path: 'a' }],
      ])
      expect(textOf(events)).toBe('')
    }
  })

  test.each([
    ['JSON in prose', 'I could send {"name": "read_file", "arguments": {"path": "a"}} for that.'],
    ['only JSON', '{"name": "read_file", "arguments": {"path": "a"}}'],
    ['JSON after a closing think tag', '</think>{"name": "read_file", "arguments": {"path": "a"}}'],
    ['fenced JSON', '```json\n{"name": "read_file", "arguments": {"path": "a"}}\n```'],
    ['an envelope that is not a template token', '<function=read_file><parameter=path>a</parameter></function>'],
    ['half an envelope', call.slice(0, -'</tool_call>'.length)],
    ['half the arguments', call.slice(0, 50)],
    ['a tool that is not in the request', call.replace('read_file', 'write_file')],
    ['a quoted call', `Then it writes \`${call}\` as usual.`],
    ['a call in the middle of prose', `Then ${call} would be it.`],
    ['a fenced call', `\`\`\`\n${call}\n\`\`\``],
  ])("that has only the server's reasoning field returns no call for %s", (_, reasoning) => {
    expect(callsOf(read([{ reasoning }]))).toEqual([])
  })

  test('returns no call from its reasoning if that continues and is truncated, or the answer has text or a call', () => {
    expect(callsOf(read([{ reasoning: `${call}\nOr rather` }], { truncated: true }))).toEqual([])
    expect(callsOf(read([{ reasoning: call, text: 'Done.' }]))).toEqual([])
    expect(callsOf(read([{ reasoning: call }, { calls: native }]))).toMatchObject([{ id: 'n1' }])
    expect(callsOf(read([{ reasoning: call }], { textCalls: false }))).toEqual([])
  })

  test('is not searched for calls without tools, or with the feature disabled', () => {
    expect(textOf(read([{ text: call }], { offered: false }))).toBe(call)
    expect(textOf(read([{ text: call }], { textCalls: false }))).toBe(call)
  })

  test('that is truncated before the arguments of a call returns an incomplete call', () => {
    const begun = [{ index: 0, id: 'n1', function: { name: 'read_file', arguments: '' } }]
    expect(callsOf(read([{ calls: begun }], { truncated: true }))[0]?.arguments).toBe('{')
    expect(callsOf(read([{ calls: begun }]))[0]?.arguments).toBe('')
  })

  test('is stripped of NUL bytes', () => {
    expect(textOf(read([{ text: 'a\0b' }]))).toBe('ab')
  })

  test('has a maximum length, in many chunks and in one', () => {
    const half = 'x'.repeat(maxAnswerLength / 2)
    expect(textOf(read([{ text: half }, { text: half }]))).toHaveLength(maxAnswerLength)
    for (const deltas of [[{ text: half }, { reasoning: half }, { text: 'x' }], [{ text: 'x'.repeat(10_000_000) }]]) {
      expect(() => read(deltas)).toThrow(ModelError)
    }
  })
})
