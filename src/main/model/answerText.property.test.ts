import { describe, expect, test } from 'vitest'
import { roundsOf, seededRandom } from '../testing/longForm.ts'
import { createAnswerReader } from './clients/answerReader.ts'
import type { ModelEvent } from './modelClient.ts'
import { isJson } from './textCalls/dialect.ts'
import { callsOf, chatRequest, textOf } from './testing/modelServer.ts'

const target = { name: 'Test', kind: 'openai', baseUrl: 'http://127.0.0.1' } as const
const tools = ['read_file', 'write_file'].map((name) => ({ name, description: '', parameters: { type: 'object' } }))

const thoughtTags = [
  '<think>',
  '</think>',
  '<thinking>',
  '</thinking>',
  '<reasoning>',
  '</reasoning>',
  '<thought>',
  '</thought>',
  '<seed:think>',
  '</seed:think>',
  '◁think▷',
  '◁/think▷',
  '[THINK]',
  '[/THINK]',
  '<longcat_think>',
  '</longcat_think>',
  '<|START_THINKING|>',
  '<|END_THINKING|>',
  '<|inner_prefix|>',
  '<|inner_suffix|>',
  '<|channel>thought\n',
  '<channel|>',
]
const otherTokens = [
  '<tool_call>',
  '</tool_call>',
  '<|im_end|>',
  '<|eot_id|>',
  '<|python_tag|>',
  '[TOOL_CALLS]',
  '[/TOOL_CALLS]',
  '<｜end▁of▁sentence｜>',
  '<|channel|>',
  '<|end|>',
  '<|message|>',
  '<end_of_turn>',
  '<|tool_call_end|>',
  '<｜tool▁call▁end｜>',
  '<function=write_file>',
  '</function>',
  '<|START_ACTION|>',
  '</s>',
  '>>>write_file\n{}',
  'functools[{"name": "x"}]',
  '```',
  '`',
  '> ',
  '<\u200b|im_start|>',
]
const plain = [
  'a',
  ' ',
  '\n',
  '\n\n',
  '"',
  "'",
  '\\',
  '\\n',
  '\\u200b',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  'ü',
  '日本',
  '🦊',
  '\t',
  '//',
  '/*',
  '#',
  '<b>',
  '&lt;',
  '$&',
  '"""',
  '=',
]

const json = (path: string, content: string) => JSON.stringify({ path, content })
const object = (path: string, content: string, key = 'arguments') =>
  JSON.stringify({ name: 'write_file', [key]: { path, content } })
const python = (path: string, content: string) =>
  `write_file(path=${JSON.stringify(path)}, content=${JSON.stringify(content)})`
const tagged =
  (open: string, [name, parameter, close]: readonly [string, (key: string, value: string) => string, string]) =>
  (path: string, content: string) =>
    `${open}${name}${parameter('path', path)}${parameter('content', content)}${close}`
const mark = (word: string) => `<｜${word.replaceAll(' ', '▁')}｜>`
const step = (word: string) => `<｜${word.replaceAll(' ', '_')}｜>`

interface Written {
  dialect: string
  write: (path: string, content: string) => string
  /** A value in this dialect cannot contain the marker that ends it. */
  reserved?: readonly string[]
}

/** Writes a call in each dialect like its template. */
const written: Written[] = [
  { dialect: 'Hermes', write: (...of) => `<tool_call>\n${object(...of)}\n</tool_call>` },
  {
    dialect: 'Qwen3-Coder',
    write: (path, content) =>
      `<tool_call>\n<function=write_file>\n<parameter=path>\n${path}\n</parameter>\n<parameter=content>\n${content}\n</parameter>\n</function>\n</tool_call>`,
    reserved: ['</function>'],
  },
  { dialect: 'Llama 3.1 function tags', write: (...of) => `<function=write_file>${json(...of)}</function>` },
  {
    dialect: 'GLM',
    write: (path, content) =>
      `<tool_call>write_file\n<arg_key>path</arg_key>\n<arg_value>${path}</arg_value>\n<arg_key>content</arg_key>\n<arg_value>${content}</arg_value>\n</tool_call>`,
  },
  {
    dialect: 'LongCat',
    write: (path, content) =>
      `<longcat_tool_call>write_file\n<longcat_arg_key>path</longcat_arg_key>\n<longcat_arg_value>${path}</longcat_arg_value>\n<longcat_arg_key>content</longcat_arg_key>\n<longcat_arg_value>${content}</longcat_arg_value>\n</longcat_tool_call>`,
  },
  {
    dialect: 'MiniMax',
    write: tagged('<minimax:tool_call>\n', [
      '<invoke name="write_file">\n',
      (key, value) => `<parameter name="${key}">\n${value}\n</parameter>\n`,
      '</invoke>\n</minimax:tool_call>',
    ]),
  },
  {
    dialect: 'DeepSeek V3.2',
    write: tagged('<｜DSML｜function_calls>\n', [
      '<｜DSML｜invoke name="write_file">\n',
      (key, value) => `<｜DSML｜parameter name="${key}" string="true">${value}</｜DSML｜parameter>\n`,
      '</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    ]),
  },
  {
    dialect: 'GigaChat 3.5',
    write: tagged('<｜GCML｜tool_calls>\n', [
      '<｜GCML｜invoke name="write_file">\n',
      (key, value) => `<｜GCML｜parameter name="${key}" string="true">${value}</｜GCML｜parameter>\n`,
      '</｜GCML｜invoke>\n</｜GCML｜tool_calls>',
    ]),
  },
  {
    dialect: 'Step 3',
    write: tagged(`${step('tool calls begin')}${step('tool call begin')}function${step('tool sep')}`, [
      '<steptml:invoke name="write_file">',
      (key, value) => `<steptml:parameter name="${key}">${value}</steptml:parameter>`,
      `</steptml:invoke>${step('tool call end')}${step('tool calls end')}`,
    ]),
  },
  { dialect: 'Granite 3', write: (...of) => `<|tool_call|>[${object(...of)}]` },
  { dialect: 'Granite 20B', write: (...of) => `<function_call> ${object(...of)}` },
  { dialect: 'Phi-4 functools', write: (...of) => `functools[${object(...of)}]` },
  {
    dialect: 'InternLM 2',
    write: (...of) => `<|action_start|><|plugin|>\n${object(...of, 'parameters')}<|action_end|>`,
  },
  {
    dialect: 'Command R7B',
    write: (path, content) =>
      `<|START_ACTION|>[\n    ${JSON.stringify({ tool_call_id: '0', tool_name: 'write_file', parameters: { path, content } })}\n]<|END_ACTION|>`,
  },
  { dialect: 'GigaChat 3', write: (...of) => `<|message_sep|>\n\nfunction call<|role_sep|>\n${object(...of)}` },
  { dialect: 'Llama 3.1 JSON', write: (...of) => `<|python_tag|>${object(...of, 'parameters')}<|eom_id|>` },
  { dialect: 'Llama 4', write: (...of) => `<|python_start|>[${python(...of)}]<|python_end|>` },
  { dialect: 'LFM2', write: (...of) => `<|tool_call_start|>[${python(...of)}]<|tool_call_end|>` },
  { dialect: 'Llama 3.2 pythonic', write: (...of) => `[${python(...of)}]` },
  { dialect: 'JSON alone', write: (...of) => object(...of) },
  { dialect: 'OLMo 3', write: (...of) => `<function_calls>\n${python(...of)}\n</function_calls>` },
  { dialect: 'Mistral', write: (...of) => `[TOOL_CALLS][${object(...of)}]` },
  { dialect: 'Devstral', write: (...of) => `[TOOL_CALLS]write_file[ARGS]${json(...of)}` },
  {
    dialect: 'DeepSeek V3',
    write: (...of) =>
      `${mark('tool calls begin')}${mark('tool call begin')}function${mark('tool sep')}write_file\n\`\`\`json\n${json(...of)}\n\`\`\`${mark('tool call end')}${mark('tool calls end')}`,
  },
  {
    dialect: 'DeepSeek V3.1',
    write: (...of) =>
      `${mark('tool calls begin')}${mark('tool call begin')}write_file${mark('tool sep')}${json(...of)}${mark('tool call end')}${mark('tool calls end')}`,
  },
  {
    dialect: 'Kimi K2',
    write: (...of) =>
      `<|tool_calls_section_begin|><|tool_call_begin|>functions.write_file:0<|tool_call_argument_begin|>${json(...of)}<|tool_call_end|><|tool_calls_section_end|>`,
  },
  {
    dialect: 'harmony',
    write: (...of) =>
      `<|channel|>commentary to=functions.write_file <|constrain|>json<|message|>${json(...of)}<|call|>`,
  },
  {
    dialect: 'harmony, the recipient first',
    write: (...of) => ` to=functions.write_file<|channel|>analysis json<|message|>${json(...of)}<|call|>`,
  },
  {
    dialect: 'FunctionGemma',
    write: (path, content) =>
      `<start_function_call>call:write_file{path:<escape>${path}<escape>,content:<escape>${content}<escape>}<end_function_call>`,
  },
  {
    dialect: 'Gemma 4',
    write: (path, content) =>
      `<|tool_call>call:write_file{path:<|"|>${path}<|"|>,content:<|"|>${content}<|"|>}<tool_call|>`,
  },
  {
    dialect: 'Apertus',
    write: (path, content) => `<|tools_prefix|>[${JSON.stringify({ write_file: { path, content } })}]<|tools_suffix|>`,
  },
  { dialect: 'Functionary 3.2', write: (...of) => `>>>write_file\n${json(...of)}` },
  { dialect: 'Functionary 3.2, the mark in the prompt', write: (...of) => `write_file\n${json(...of)}` },
  { dialect: 'Functionary 2', write: (...of) => `write_file\n<|content|>${json(...of)}<|stop|>` },
]

const random = seededRandom()
const pick = random.pick

function fileText(reserved: readonly string[]): string {
  const parts = Array.from({ length: 1 + random.integer(12) }, () => pick(pick([thoughtTags, otherTokens, plain])))
  return parts.filter((part) => !reserved.includes(part)).join('')
}

function read(parts: readonly string[], ownThoughts: boolean, cut = false): ModelEvent[] {
  const reader = createAnswerReader(chatRequest({ tools }), target)
  const delta = (text: string, reasoning = '') => reader.push({ text, reasoning, calls: undefined })
  return [
    ...(ownThoughts ? delta('', 'I write it.') : []),
    ...parts.flatMap((part) => delta(part)),
    ...reader.finish(cut),
  ]
}

/** Splits an answer at each position once, and into single characters. */
function* splits(answer: string): Generator<string[]> {
  yield [answer]
  yield answer.split('')
  for (let at = 1; at < answer.length; at++) yield [answer.slice(0, at), answer.slice(at)]
}

/**
 * Escapes of control tokens from the request are reversed in the answer, so the content can contain them if it was sent
 * with them.
 */
const sent = (content: string) => content.replaceAll('<\u200b|im_start|>', '<|im_start|>')

describe.each(written)('a file written in the dialect of $dialect', ({ write, reserved = [] }) => {
  test.each([...thoughtTags, ...otherTokens.filter((token) => !reserved.includes(token))])(
    'keeps %j exactly',
    (tag) => {
      for (const content of [`before ${tag} after`, tag, `"${tag}"\n${tag}\n`]) {
        for (const before of ['', 'I write it.\n', '<think>Hm.</think>']) {
          const needsStart =
            before.startsWith('I') && !write('x', '').startsWith('<') && !write('x', '').startsWith('[TOOL')
          if (needsStart && !/^(?:>>>|functools)/.test(write('x', ''))) continue
          const answer = before + write('x', content)
          for (const ownThoughts of [false, true]) {
            const calls = callsOf(read([answer], ownThoughts))
            expect(calls.map((call) => JSON.parse(call.arguments))).toEqual([{ path: 'x', content: sent(content) }])
            expect(calls[0]?.name).toBe('write_file')
          }
        }
      }
    },
  )

  test('is parsed exactly, whatever its content and wherever the stream is split', () => {
    for (let round = 0; round < roundsOf(30); round++) {
      const content = fileText(reserved)
      const answer = write('x', content)
      for (const ownThoughts of [false, true]) {
        for (const parts of splits(answer)) {
          const events = read(parts, ownThoughts)
          expect(
            callsOf(events).map((call) => JSON.parse(call.arguments)),
            `${JSON.stringify(answer)} cut at ${parts[0]?.length}`,
          ).toEqual([{ path: 'x', content: sent(content) }])
          expect(textOf(events).trim()).toBe('')
        }
      }
    }
  })
  test('is either complete or rejected if the answer is truncated, never altered', () => {
    const content = 'one\n</think> two = [1, "x"]\n'
    const answer = write('x', content)
    const whole = { path: 'x', content }
    for (let length = 1; length < answer.length; length++) {
      const [call, ...others] = callsOf(read([answer.slice(0, length)], false, true))
      expect(others).toEqual([])
      if (call && isJson(call.arguments))
        expect(JSON.parse(call.arguments), `cut after ${JSON.stringify(answer.slice(0, length))}`).toEqual(whole)
      else if (call) expect(call.arguments, answer.slice(0, length)).toMatch(/^\{/)
    }
  })
})
