import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { FoundCall } from './dialect.ts'
import { dialects } from './dialects.ts'
import { settledPieces } from '../testing/settledPieces.ts'
import { createCallFinder } from './callFinder.ts'
import { toolCallTag } from './toolCallTag.ts'

const tools = ['read_file', 'write_file', 'list_dir']

/** Returns text, reasoning and calls of an answer that arrives in these parts. */
function found(parts: string[]): { text: string; reasoning: string; calls: FoundCall[] } {
  const finder = createCallFinder(tools)
  const pieces = settledPieces([...parts.flatMap((part) => finder.push(part)), ...finder.finish()])
  const join = (kind: 'text' | 'reasoning') => pieces.map((piece) => (piece.kind === kind ? piece.text : '')).join('')
  return {
    text: join('text'),
    reasoning: join('reasoning'),
    calls: pieces.flatMap((piece) => (piece.kind === 'call' ? [piece.call] : [])),
  }
}

/** Returns the same, and asserts that it does not depend on where the answer is split. */
function find(answer: string) {
  const whole = found([answer])
  expect(found(answer.split(''))).toEqual(whole)
  for (let at = 1; at < answer.length; at++) expect(found([answer.slice(0, at), answer.slice(at)])).toEqual(whole)
  return whole
}

const read = (args: object, name = 'read_file') => [{ name, args }]
const parsed = (calls: FoundCall[]) =>
  calls.map(({ name, arguments: text }) => ({ name, args: JSON.parse(text) as unknown }))

describe('calls in text', () => {
  test.each([
    ['Hermes', '<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>', read({ path: 'a' })],
    [
      'text before it',
      'I look.\n<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>',
      read({ path: 'a' }),
      'I look.\n',
    ],
    ['no closing tag', '<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n', read({ path: 'a' })],
    [
      'arguments as text',
      '<tool_call>{"name": "read_file", "arguments": "{\\"path\\": \\"a\\"}"}</tool_call>',
      read({ path: 'a' }),
    ],
    [
      'several',
      '<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>\n<tool_call>\n{"name": "list_dir", "arguments": {}}\n</tool_call>',
      [...read({ path: 'a' }), ...read({}, 'list_dir')],
    ],
    [
      'several, the first not closed',
      '<tool_call>{"name": "read_file", "arguments": {"path": "a"}}\n<tool_call>{"name": "list_dir", "arguments": {}}',
      [...read({ path: 'a' }), ...read({}, 'list_dir')],
    ],
    [
      'a list',
      '<tool_call>[{"name": "list_dir", "arguments": {}}, {"name": "read_file", "arguments": {"path": "a"}}]',
      [...read({}, 'list_dir'), ...read({ path: 'a' })],
    ],
    [
      'one bracket too many',
      '<tool_call>{"name": "read_file", "arguments": {"path": "a"}}}</tool_call>',
      read({ path: 'a' }),
    ],
    [
      'one bracket too few',
      '<tool_call>{"name": "read_file", "arguments": {"path": "a"}</tool_call>\nSo.',
      read({ path: 'a' }),
      '\nSo.',
    ],
    [
      'its own tag inside',
      '<tool_call>{"name": "write_file", "arguments": {"content": "</tool_call>"}}</tool_call>',
      read({ content: '</tool_call>' }, 'write_file'),
    ],
    ['an unknown tool', '<tool_call>{"name": "reed", "arguments": {}}</tool_call>', read({}, 'reed')],
    [
      'text after it',
      '<tool_call>{"name": "list_dir", "arguments": {}}</tool_call>\nNow I wait.',
      read({}, 'list_dir'),
      'Now I wait.',
    ],
    [
      'Qwen3-Coder',
      '<tool_call>\n<function=read_file>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>',
      read({ path: 'a' }),
    ],
    [
      'Qwen3-Coder without the outer tag',
      'So:\n<function=read_file>\n<parameter=path>\na\n</parameter>\n</function>',
      read({ path: 'a' }),
      'So:\n',
    ],
    ['Qwen3-Coder with the outer end only', '<function=list_dir>\n</function>\n</tool_call>', read({}, 'list_dir')],
    [
      'Qwen3-Coder, a value with tags and lines',
      '<function=write_file><parameter=content>\n<b>\n</parameter> is a tag\n\n</parameter>\n<parameter=path>x</parameter></function>',
      read({ content: '<b>\n</parameter> is a tag\n', path: 'x' }, 'write_file'),
    ],
    ['Llama 3.1 function tags', '<function=read_file>{"path": "a"}</function>', read({ path: 'a' })],
    [
      'Seed-OSS',
      '<seed:tool_call>\n<function=read_file>\n<parameter=path>a</parameter>\n</function>\n</seed:tool_call>',
      read({ path: 'a' }),
    ],
    [
      'GLM',
      '<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>',
      read({ path: 'a' }),
    ],
    [
      'GLM 4.7 in one line',
      '<tool_call>read_file<arg_key>path</arg_key><arg_value>a</arg_value></tool_call>',
      read({ path: 'a' }),
    ],
    ['GLM without arguments', '<tool_call>list_dir\n</tool_call>', read({}, 'list_dir')],
    [
      'MiniMax',
      '<minimax:tool_call>\n<invoke name="read_file">\n<parameter name="path">a</parameter>\n</invoke>\n</minimax:tool_call>',
      read({ path: 'a' }),
    ],
    [
      'DeepSeek V3.2',
      '<｜DSML｜function_calls>\n<｜DSML｜invoke name="read_file">\n<｜DSML｜parameter name="path" string="true">a</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
      read({ path: 'a' }),
    ],
    ['Llama 3 JSON', '<|python_tag|>{"name": "read_file", "parameters": {"path": "a"}}', read({ path: 'a' })],
    [
      'Llama 3 several',
      '<|python_tag|>{"name": "list_dir", "parameters": {}}; {"name": "read_file", "parameters": {"path": "a"}}<|eom_id|>',
      [...read({}, 'list_dir'), ...read({ path: 'a' })],
    ],
    ['Llama 3 Python', '<|python_tag|>read_file.call(path="a")', read({ path: 'a' })],
    ['Llama 3 bare', '{"name": "read_file", "parameters": {"path": "a"}}', read({ path: 'a' })],
    [
      'Llama 3.2 pythonic',
      '[read_file(path="a\\n"), list_dir(depth=2, all=True, names=["x", None])]',
      [...read({ path: 'a\n' }), ...read({ depth: 2, all: true, names: ['x', null] }, 'list_dir')],
    ],
    ['Llama 4', "<|python_start|>[read_file(path='it\\'s')]<|python_end|>", read({ path: "it's" })],
    ['LFM2', '<|tool_call_start|>[list_dir()]<|tool_call_end|>Listing.', read({}, 'list_dir'), 'Listing.'],
    [
      'Mistral',
      '[TOOL_CALLS][{"name": "read_file", "arguments": {"path": "a"}, "id": "abcdefghi"}]',
      read({ path: 'a' }),
    ],
    [
      'Mistral after text',
      'I look.[TOOL_CALLS] [{"name": "list_dir", "arguments": {}}]</s>',
      read({}, 'list_dir'),
      'I look.',
    ],
    [
      'Devstral',
      '[TOOL_CALLS]read_file[ARGS]{"path": "a"}[TOOL_CALLS]list_dir[ARGS]{}',
      [...read({ path: 'a' }), ...read({}, 'list_dir')],
    ],
    ['Mistral Small 3.2', '[TOOL_CALLS]read_file[CALL_ID]abcdefghi[ARGS]{"path": "a"}', read({ path: 'a' })],
    ['Magistral without [ARGS]', '[TOOL_CALLS]read_file{"path": "a"}', read({ path: 'a' })],
    [
      'DeepSeek V3',
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n{"path": "a"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      read({ path: 'a' }),
    ],
    [
      'DeepSeek V3.1',
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"path": "a"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      read({ path: 'a' }),
    ],
    [
      'DeepSeek without the outer mark',
      '<｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"path": "a"}<｜tool▁call▁end｜>',
      read({ path: 'a' }),
    ],
    [
      'Kimi',
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path": "a"}<|tool_call_end|><|tool_calls_section_end|>',
      read({ path: 'a' }),
    ],
    ['Granite 3', '<|tool_call|>[{"name": "read_file", "arguments": {"path": "a"}}]', read({ path: 'a' })],
    ['Phi-4', '<|tool_calls|>[{"name": "list_dir", "arguments": {}}]<|/tool_calls|>', read({}, 'list_dir')],
    ['Nemotron', '<TOOLCALL>[{"name": "list_dir", "arguments": {}}]</TOOLCALL>', read({}, 'list_dir')],
    [
      'Command R',
      '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "read_file", "parameters": {"path": "a"}}]<|END_ACTION|>',
      read({ path: 'a' }),
    ],
    [
      'harmony',
      '<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"path": "a"}<|call|>',
      read({ path: 'a' }),
    ],
    [
      'harmony, the recipient first',
      '<|start|>assistant to=functions.read_file<|channel|>commentary json<|message|>{"path": "a"}',
      read({ path: 'a' }),
    ],
    [
      'fenced JSON and nothing else',
      '```json\n{"name": "read_file", "arguments": {"path": "a"}}\n```',
      read({ path: 'a' }),
    ],
    [
      'a fenced envelope and nothing else',
      '```xml\n<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>\n```\n',
      read({ path: 'a' }),
    ],
    ['Gemma', '```tool_code\nread_file(path="a")\n```', read({ path: 'a' })],
  ] as [string, string, object[], string?][])('%s', (_dialect, answer, calls, text = '') => {
    const result = find(answer)
    expect(parsed(result.calls)).toEqual(calls)
    expect(result.text.trimStart()).toBe(text.trimStart())
  })

  test('harmony: the analysis channel is reasoning and the final channel is text', () => {
    const answer =
      '<|channel|>analysis<|message|>I should look.<|end|><|start|>assistant<|channel|>final<|message|>It is done.<|return|>'
    expect(find(answer)).toEqual({ text: 'It is done.', reasoning: 'I should look.', calls: [] })
  })

  test('malformed JSON is passed to the executor unchanged', () => {
    expect(find("<tool_call>\n{'name': 'read_file', 'arguments': {'path': 'a',}}\n</tool_call>").calls).toMatchObject([
      { name: 'read_file', arguments: "{'path': 'a',}", dialect: expect.stringContaining('Hermes') },
    ])
    expect(
      find('<tool_call>{"name": "write_file", "arguments": {"content": "two\nlines"}}</tool_call>').calls,
    ).toMatchObject([{ name: 'write_file', arguments: '{"content": "two\nlines"}' }])
  })
})

test('a long call is parsed a few times, not at every token', () => {
  const content = 'function f() { if (a) { return "x" } }\n'.repeat(500)
  const answer = `<tool_call>\n${JSON.stringify({ name: 'write_file', arguments: { content } })}\n</tool_call>`
  const read = vi.spyOn(toolCallTag, 'parse')
  onTestFinished(() => read.mockRestore())
  expect(found(answer.match(/[\s\S]{1,4}/g) ?? []).calls).toHaveLength(1)
  // A few parses while it is short, the rest once its closing tag arrived.
  expect(read.mock.calls.length).toBeLessThan(150)
})

describe('an answer that is truncated inside a call', () => {
  test.each([
    ['<tool_call>{"name": "write_file", "arguments": {"path": "a", "content": "function() { return 1 }'],
    ['<tool_call>\n<function=write_file>\n<parameter=path>\na\n</parameter>\n<parameter=content>\nfunction() {}'],
    [
      '<tool_call>write_file\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n<arg_key>content</arg_key>\n<arg_value>func',
    ],
    ['[TOOL_CALLS]write_file[ARGS]{"path": "a", "content": "x}'],
    ['[TOOL_CALLS][{"name": "write_file", "arguments": {"path": "a"'],
    ['<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>write_file<｜tool▁sep｜>{"path": "a'],
    ['<|tool_calls_section_begin|><|tool_call_begin|>functions.write_file:0<|tool_call_argument_begin|>{"path": '],
    ['<|python_tag|>{"name": "write_file", "parameters": {"path": "a'],
    ['<|python_start|>[write_file(path="a", content="x'],
    ['<|channel|>commentary to=functions.write_file <|constrain|>json<|message|>{"path": "a'],
    ['<minimax:tool_call>\n<invoke name="write_file">\n<parameter name="path">a'],
  ])('returns an incomplete call: %j', (answer) => {
    const { calls } = find(answer)
    expect(calls.map(({ name }) => name)).toEqual(['write_file'])
    expect(() => JSON.parse(calls[0]?.arguments ?? '{}')).toThrow(SyntaxError)
    expect(calls[0]?.arguments).toMatch(/^\{/)
  })

  test.each([
    '{"name": "read_file", "arguments": {"path": "a"',
    '```json\n{"name": "read_file", "arguments": {"path": "a"}}',
    '[read_file(path="a"',
    '<tool_call>',
    '<tool_call>\n{"na',
    '[TOOL_CALLS]',
  ])('is text before the call is recognizable: %j', (answer) => {
    expect(find(answer)).toEqual({ text: answer, reasoning: '', calls: [] })
  })
})

describe('a call is found', () => {
  const call = '<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>'
  test.each([
    ['in a thought that is not closed', `<think>I look.\n${call}`, '', 'I look.\n'],
    [
      'in a thought that is not closed, with a closing tag in a text',
      '<think>Hm.\n<tool_call>{"name": "read_file", "arguments": {"path": "</think>"}}</tool_call>',
      '',
      'Hm.\n',
      '</think>',
    ],
    ['after a thought that a template began', `I look.</think>\n\n${call}`, '\n\n', 'I look.'],
    ['bare after such a thought', 'I look.</think>{"name": "read_file", "arguments": {"path": "a"}}', '', 'I look.'],
    [
      'with the recipient before the channel',
      ' to=functions.read_file<|channel|>analysis <|constrain|>json<|message|>{"path": "a"}<|call|>',
      '',
      '',
    ],
    ['with a special token between words', 'So [TOOL_CALLS]read_file[ARGS]{"path": "a"} it is.', 'So it is.', ''],
    [
      'with another between words',
      'So <|tool_call|>[{"name": "read_file", "arguments": {"path": "a"}}]<|/tool_call|> it is.',
      'So it is.',
      '',
    ],
    ['before a token at the end of a line with words', `I look. ${call}<|im_end|>`, 'I look. ', ''],
    ['as a bare list', '[{"name": "read_file", "arguments": {"path": "a"}}]<|eot_id|>', '', ''],
    [
      'in Python with texts of all kinds',
      String.raw`[read_file(path=r'\d' "\u00e4" '''it's''' "\x41\
\U0001F98A")]`,
      '',
      '',
      '\\dä' + "it'sA🦊",
    ],
  ] as [string, string, string, string, string?][])('%s', (_where, answer, text, reasoning, path = 'a') => {
    const result = find(answer)
    expect(parsed(result.calls)).toEqual(read({ path }))
    expect([result.text, result.reasoning]).toEqual([text, reasoning])
  })

  test('several times in one envelope or list', () => {
    const objects = ['{"name": "read_file", "arguments": {"path": "a"}}', '{"name": "list_dir", "arguments": {}}']
    const both = [...read({ path: 'a' }), ...read({}, 'list_dir')]
    for (const answer of [
      `<tool_call>${objects.join('\n')}</tool_call>`,
      `<tool_calls>${objects.join('\n')}</tool_calls>`,
      `[${objects.join(', ')}]`,
    ]) {
      expect(parsed(find(answer).calls)).toEqual(both)
    }
  })

  test.each([`<think>I could write ${call}</think>No.`, `<think>I could write\n${call}\nbut then</think>No.`])(
    'not in closed reasoning: %s',
    (answer) => {
      expect(find(answer)).toEqual({
        text: 'No.',
        reasoning: answer.slice('<think>'.length, -'</think>No.'.length),
        calls: [],
      })
    },
  )

  test('not in reasoning that continues and is truncated', () => {
    const finder = createCallFinder(tools)
    const pieces = [...finder.push(`<think>Maybe\n${call}\nor rather`), ...finder.finish(true)]
    expect(pieces.map((piece) => ('text' in piece ? piece.text : piece.kind)).join('')).toBe(
      `Maybe\n${call}\nor rather`,
    )
  })
})

describe('a chat template token', () => {
  const shown = [
    '[/TOOL_CALLS]',
    '<｜end▁of▁sentence｜>',
    '<|im_end|>',
    '<|eot_id|>',
    '<end_of_turn>',
    '<|return|>',
    '<|call|>',
    '</s>',
  ]
  test.each(shown)('%s is not shown', (token) => {
    expect(find(`It is done.${token}`).text).toBe('It is done.')
    expect(find(`It is done.${token}\n${token}`).text.trimEnd()).toBe('It is done.')
    expect(find(`\`\`\`\ncode\n\`\`\`${token}`).text).toBe('```\ncode\n```')
    expect(find(`<tool_call>{"name": "list_dir", "arguments": {}}</tool_call>${token}`)).toMatchObject({
      text: '',
      calls: [{ name: 'list_dir' }],
    })
  })

  test.each(shown)('%s is text if it is quoted', (token) => {
    for (const answer of [`Write \`${token}\` so.`, `\`\`\`\na ${token} b\n\`\`\`\nSo.`, `The "${token}" ends it.`])
      expect(find(answer).text).toBe(answer)
  })
})

describe('text about a call', () => {
  const call = '<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>'
  test.each([
    ['in a fence with words around it', `So it looks:\n\`\`\`\n${call}\n\`\`\`\n`],
    ['in a fence with words after it', `\`\`\`\n${call}\n\`\`\`\nThat is how.`],
    ['in inline code', `Write \`${call}\` to read.`],
    ['in quotation marks', `Write "${call}" to read.`],
    ['in a quotation', `> ${call}\n`],
    ['in the middle of a sentence', `With ${call} a model reads a file.`],
    ['a bare tag', 'The <tool_call> tag begins a call, </tool_call> ends it.'],
    ['a bare mark', 'Mistral writes [TOOL_CALLS] before its calls.'],
    ['a function tag', 'Then <function=...> follows.\n\nAnd so on.'],
    ['JSON with words before it', 'The call is {"name": "read_file", "arguments": {"path": "a"}}'],
    ['JSON with words after it', '{"name": "read_file", "arguments": {"path": "a"}} is the call.'],
    ['fenced JSON with words before it', 'Like this:\n```json\n{"name": "read_file", "arguments": {"path": "a"}}\n```'],
    [
      'fenced JSON with words after it',
      '```json\n{"name": "read_file", "arguments": {"path": "a"}}\n```\nis the call.',
    ],
    ['two fenced calls', '```json\n{"name": "list_dir", "arguments": {}}\n{"name": "list_dir", "arguments": {}}\n```'],
    ['bare JSON of no tool', '{"name": "package", "arguments": {"path": "a"}}'],
    ['bare JSON of another shape', '{"name": "read_file", "version": "1.0.0", "arguments": {}}'],
    ['a name without arguments', '{"name": "read_file"}'],
    ['a list of no tools', '[foo(a=1)]'],
    ['a link', '[read_file](docs/tools.md) is documented.'],
    ['Python that is not a call', '[read_file(path), 2]'],
    ['a recipient', 'Calls go to=functions.read_file in that form.'],
    ['the word functools', 'Use functools[0] or functools.partial.'],
    ['a prompt of Python', '>>>read_file\nNone'],
    ["a tool's name", 'read_file\n{ is a brace.'],
    ['code in a fence', '```python\nread_file(path="a")\nprint(1)\n```'],
  ])('is not a call: %s', (_what, answer) => {
    expect(find(answer)).toEqual({ text: answer, reasoning: '', calls: [] })
  })
})

describe('text without calls', () => {
  /** Deterministic pseudo-random numbers (mulberry32). */
  function numbers(seed: number): () => number {
    let state = seed
    return () => {
      state = (state + 0x6d2b79f5) | 0
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
    }
  }
  const fragments = [
    '<tool_',
    'call>',
    '<',
    '{',
    '}',
    '[',
    ']',
    '"',
    '`',
    '```',
    '\n',
    ' ',
    '[TOOL_',
    '<｜tool',
    '<|',
    '|>',
    '<function',
    '=',
    'name',
    'x',
    '“',
    '🦊',
    '<think>',
    '</tool_call>',
    'read_file(',
  ]

  test('passes through unchanged, wherever it is split', () => {
    const random = numbers(7)
    const pick = (count: number) => Math.floor(random() * count)
    for (let round = 0; round < 2000; round++) {
      const answer = Array.from({ length: 1 + pick(14) }, () => fragments[pick(fragments.length)]).join('')
      const parts: string[] = []
      for (let at = 0; at < answer.length;) {
        const size = 1 + pick(6)
        parts.push(answer.slice(at, at + size))
        at += size
      }
      const result = found(parts)
      expect(result).toEqual(found([answer]))
      // Whitespace alone is not an answer, and a tag at the start opens reasoning.
      if (result.calls.length === 0 && !answer.trimStart().startsWith('<think>'))
        expect(result.text).toBe(answer.trim() === '' ? '' : answer)
    }
  })
})

test.each([
  '<tool_call>{',
  '<|tool_call>call:x{a:[',
  'functools[{',
  '<function=x><parameter=c>',
  '<|python_tag|>x(a=[',
  '<tool_call>{"name":"x","arguments":[',
])('300,000 characters of %s take a bounded number of parses', (opener) => {
  const answer = opener.repeat(300_000 / opener.length)
  let read = 0
  const spies = dialects.map((dialect) => {
    const original = dialect.parse.bind(dialect)
    return vi.spyOn(dialect, 'parse').mockImplementation((text, final) => {
      read += text.length
      return original(text, final)
    })
  })
  onTestFinished(() => spies.forEach((spy) => spy.mockRestore()))
  for (const size of [70, answer.length]) {
    read = 0
    const finder = createCallFinder(tools)
    for (let at = 0; at < answer.length; at += size) finder.push(answer.slice(at, at + size))
    finder.finish()
    expect(read).toBeLessThan(60 * answer.length)
  }
})

test.each(['<tool_call>', '<function=', '[TOOL_CALLS]'])(
  'a million characters of %s in one piece are text and do not block the application',
  (opener) => {
    const answer = opener.repeat(1_000_000 / opener.length)
    const finder = createCallFinder(tools)
    const text = [...finder.push(answer), ...finder.finish()]
      .map((piece) => (piece.kind === 'text' ? piece.text : ''))
      .join('')
    expect(text === answer).toBe(true)
  },
)
