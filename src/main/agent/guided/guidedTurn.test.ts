import { beforeEach, describe, expect, test } from 'vitest'
import type { ConversationItem } from '../../../shared/agent/conversation.ts'
import type { ToolResult } from '../../../shared/tools/tool.ts'
import type { ModelEvent } from '../../model/modelClient.ts'
import { assistantItem, toolItem, userItem } from '../conversation/items.ts'
import type { Act } from './acts.ts'
import type { GuidedModel } from './guidedModel.ts'
import { lineEdit } from './changeLine.ts'
import { namesFile, rankPaths } from './guidedFolder.ts'
import { conversationTexts, createGuidedTurn, maxTasks, splitTasks } from './guidedTurn.ts'
import { actQuestion, debugQuestion, followingQuestion, kindQuestion } from './questions.ts'
import { offeredActs, toolsetCalls } from './toolsetCalls.ts'

let items: ConversationItem[]
let files: Record<string, string>
/** What the model prefers for a task, and what it fills in. */
let act: Act
/** What is nearly as likely, and its likelihood as a logarithm. That of `act` and `kind` is 0. */
let second: { name: Act | 'work'; score: number } | undefined
let kind: 'talk' | 'work'
/** The kind of each sentence after the first. */
let followingKind: 'note' | 'step'
/** Whether the model prefers the debugger. */
let debugs: boolean
let filled: Record<string, unknown>
/** The end of a line that the model repeats from its start. */
let rest: string | undefined
/** The parts of an answer. Empty: it repeats the prompt. */
let written: string[]
let waitsForSteps: boolean
let onFill: (schema: string) => void
/** Schemas of the requests. */
let schemas: string[]
/** Prompts of the requests. */
let prompts: string[]

beforeEach(() => {
  items = []
  waitsForSteps = false
  onFill = () => undefined
  files = { 'a.txt': 'PORT = 1\n', 'b.md': '# B\n' }
  act = 'read'
  second = undefined
  kind = 'work'
  followingKind = 'step'
  filled = { path: 'a.txt' }
  debugs = false
  schemas = []
  prompts = []
  written = []
  rest = undefined
})

const model = (): GuidedModel => ({
  tokens: () => Promise.resolve(undefined),
  likelihoods: (messages, _begun, names) => {
    prompts.push(JSON.stringify(messages))
    const empties = [actQuestion([]), debugQuestion('run'), kindQuestion, followingQuestion].flatMap(
      ({ emptyTasks }) => emptyTasks,
    )
    const empty = empties.includes(messages.at(-1)?.content ?? '')
    const scoreOf = (name: string) =>
      debugs && name === 'variables'
        ? 1
        : name === act || name === kind || name === followingKind
          ? 0
          : name === second?.name
            ? second.score
            : -5
    return Promise.resolve(names.map((name) => ({ name, score: empty ? -5 : scoreOf(name) })))
  },
  fill: (messages, schema) => {
    prompts.push(JSON.stringify(messages))
    schemas.push(JSON.stringify(schema))
    onFill(JSON.stringify(schema))
    return Promise.resolve(filled)
  },
  async *write(messages) {
    for (const text of written) yield { kind: 'text', text }
    if (written.length === 0)
      yield { kind: 'text', text: `read: ${messages.at(-1)?.content.replace('\n\nQuestion:', '\nAsked:')}` }
  },
  async *talk(messages) {
    yield { kind: 'text', text: `talk: ${messages.map(({ content }) => content).join(' / ')}` }
  },
  end: () => Promise.resolve(),
  endString: () => Promise.resolve(rest),
  takeUsage: () => ({ promptTokens: 1, completionTokens: 1 }),
})

const allTools: ReadonlySet<string> = new Set(
  [
    'read_file edit_file write_file grep_search list_dir delete_file move_file run_command',
    'file_read file_edit file_write',
  ]
    .join(' ')
    .split(' ')
    .concat('apply_patch'),
)

function turn(message: string, toolset: keyof typeof toolsetCalls = 'blade', tools?: ReadonlySet<string>) {
  items.push(userItem(`u${items.length}`, message, 'safe'))
  return createGuidedTurn({
    model: model(),
    biases: new Map(),
    calls: toolsetCalls[toolset],
    offered: offeredActs(toolsetCalls[toolset], tools ?? allTools),
    canDebug: (path) => /\.(py|c)$/.test(path),
    folder: {
      paths: () => Promise.resolve(Object.keys(files)),
      containing: (text) =>
        Promise.resolve(
          Object.keys(files).filter((path) =>
            text.split(/\W/).some((word) => word.length > 2 && files[path]?.includes(word)),
          ),
        ),
      names: (text) => Promise.resolve(namesFile(text, Object.keys(files))),
      text: (path) => Promise.resolve(files[path] ?? ''),
    },
    items: () => items,
    waitsForSteps,
    signal: new AbortController().signal,
  })
}

/** Streams the next answer. Ends its call with a result. @returns the call, or the text */
async function answer(
  next: ReturnType<typeof turn>,
  result: Partial<ToolResult> = {},
): Promise<readonly [string, unknown] | string> {
  const events: ModelEvent[] = []
  for await (const event of next()) events.push(event)
  expect(events.at(-1)?.kind).toBe('finish')
  const call = events.find((event) => event.kind === 'call')?.call
  if (!call) return events.map((event) => (event.kind === 'text' ? event.text : '')).join('')
  const base = { text: 'Done.', view: { kind: 'text' }, elapsedMs: 1, arguments: {}, truncated: false } as const
  items.push({
    ...toolItem(assistantItem('m', undefined), call),
    state: result.ok === false ? 'failed' : 'done',
    result: { ok: true, ...base, ...result },
  })
  return [call.name, JSON.parse(call.arguments)]
}

describe('a guided turn', () => {
  test('reads a file, then answers from its text', async () => {
    const next = turn('What is the port in a.txt?')
    expect(await answer(next)).toEqual(['read_file', { path: 'a.txt' }])
    expect(await answer(next)).toMatch(/^read: Text:\nPORT = 1\nAsked: What is the port/)
  })

  test('reads a file before it changes a line, and says what changed', async () => {
    act = 'edit'
    const next = turn('Set PORT to 2 in a.txt.')
    expect(await answer(next)).toEqual(['read_file', { path: 'a.txt' }])
    filled = { old: 'PORT = 1', new: 'PORT = 2' }
    expect(await answer(next)).toEqual([
      'edit_file',
      { path: 'a.txt', old_content: 'PORT = 1', new_content: 'PORT = 2' },
    ])
    expect(await answer(next)).toBe('Changed a.txt.')
  })

  test('debugs a program at the line that the task names, and answers from the values', async () => {
    files = { 'sum.py': 'total = 0\n\ntotal += 2\nprint(total)\n' }
    act = 'run'
    debugs = true
    const next = turn('What is total at line 4 of sum.py?')
    expect(await answer(next, { text: '1. sum.py:4 <module>\n   total = 2' })).toEqual([
      'debug_run',
      { program: 'sum.py', on_exception: true, breakpoints: [{ path: 'sum.py', line: 4 }] },
    ])
    expect(await answer(next)).toContain('total = 2')
  })

  test('debugs at a line with words of the task, or else at exceptions only', async () => {
    files = { 'sum.py': 'price = 1\nprice += 2\ncount = 3\nprint(count)\n' }
    debugs = true
    const breakpointsOf = async (task: string): Promise<unknown> => (await answer(turn(task)))[1]
    expect(await breakpointsOf('Debug sum.py and show price.')).toMatchObject({ breakpoints: [{ line: 1 }] })
    expect(await breakpointsOf('Why does sum.py fail?')).toMatchObject({ on_exception: true, breakpoints: [] })
  })

  test('debugs no file that has no debugger', async () => {
    debugs = true
    expect(await answer(turn('What is the port in a.txt?'))).toEqual(['read_file', { path: 'a.txt' }])
  })

  test('offers the files that exist, and no others', async () => {
    await answer(turn('Read it.'))
    expect(schemas.join()).toContain('"path":{"enum":["a.txt","b.md"]}')
  })

  test('offers no file of an empty folder', async () => {
    files = {}
    act = 'delete'
    filled = { path: 'a.txt', text: 'x', command: 'ls', content: 'y' }
    const called = await answer(turn('Delete a.txt.'))
    expect(called[0]).not.toBe('delete_file')
  })

  test('does each sentence of a message, and says which failed', async () => {
    act = 'delete'
    const next = turn('Delete a.txt. Delete b.md.')
    expect(
      await answer(next, { ok: false, error: { code: 'refused', message: 'The user refused.', next: '' } }),
    ).toEqual(['delete_file', { path: 'a.txt' }])
    filled = { path: 'b.md' }
    const events: ModelEvent[] = []
    for await (const event of next()) events.push(event)
    expect(events.map((event) => (event.kind === 'text' ? event.text : event.kind))).toEqual(
      expect.arrayContaining(['Not done: The user refused.', 'call']),
    )
  })

  test('shows several steps before they run, and runs a numbered list', async () => {
    act = 'delete'
    waitsForSteps = true
    const steps = '1. Delete a.txt.\n2. Delete b.md.'
    expect(await answer(turn('Delete a.txt. Delete b.md.'))).toBe(steps)
    const next = turn(steps)
    expect(await answer(next)).toEqual(['delete_file', { path: 'a.txt' }])
    filled = { path: 'b.md' }
    expect(await answer(next)).toEqual(['delete_file', { path: 'b.md' }])
    expect((await answer(turn('Delete a.txt.')))[0]).toBe('delete_file')
  })

  test('shows several steps where it does not wait for them', async () => {
    act = 'delete'
    const events: ModelEvent[] = []
    for await (const event of turn('Delete a.txt. Delete b.md.')()) events.push(event)
    const shown = events.flatMap((event) =>
      event.kind === 'text' ? [event.text] : event.kind === 'call' ? [event.call.name] : [],
    )
    expect(shown).toEqual(['1. Delete a.txt.\n2. Delete b.md.', 'delete_file'])
    expect(events.map(({ kind: each }) => each)).not.toContain('stepList')
  })

  test('does not carry out "Change nothing else." as a change', async () => {
    act = 'edit'
    followingKind = 'note'
    filled = { path: 'a.txt', old: 'PORT = 1', new: 'PORT = 2' }
    const next = turn('Set PORT to 2 in a.txt. Change nothing else.')
    expect(await answer(next)).toEqual(['read_file', { path: 'a.txt' }])
    expect((await answer(next))[0]).toBe('edit_file')
    expect(await answer(next)).toBe('Changed a.txt.')
  })

  test('answers as the next sentence says', async () => {
    waitsForSteps = true
    followingKind = 'note'
    const next = turn('Which port is in a.txt? Answer with the number only.')
    expect(await answer(next)).toEqual(['read_file', { path: 'a.txt' }])
    expect(await answer(next)).toContain('Answer with the number only.')
    // What names a file is a step in any case.
    expect(await answer(turn('Read a.txt. Delete b.md.'))).toBe('1. Read a.txt.\n2. Delete b.md.')
  })

  test('quotes the line that the model chooses, also where a server reports no likelihoods of lines', async () => {
    written = ['The port is 99.']
    filled = { path: 'a.txt', line: 'PORT = 1' }
    const next = turn('Which port is in a.txt?')
    await answer(next)
    expect(await answer(next)).toBe('The port is 99.\n\n> a.txt: PORT = 1')
  })

  test('follows a message that was sent meanwhile', async () => {
    const next = turn('Read a.txt.')
    await answer(next)
    items.push(userItem('steer', 'Read b.md.', 'safe'))
    filled = { path: 'b.md' }
    expect(await answer(next)).toEqual(['read_file', { path: 'b.md' }])
  })

  test('says that nothing was done if the model names nothing possible', async () => {
    filled = {}
    files = { 'a.txt': '' }
    act = 'read'
    const next = turn('Read a.txt.', 'rusty')
    const said = await answer(next)
    expect(said).toMatch(/^Nothing was done/)
  })

  test('answers talk with the conversation, and without a call', async () => {
    kind = 'talk'
    items.push(userItem('u', 'Hello!', 'safe'), { ...assistantItem('m', undefined), text: 'Hi.' })
    expect(await answer(turn('How are you? Fine?'))).toBe('talk: Hello! / Hi. / How are you? Fine?')
  })

  test('tries nothing that changes files after a guess that failed', async () => {
    act = 'rename'
    filled = { path: 'a.txt', to: 'a.txt', text: 'x', command: 'ls', content: 'y' }
    expect((await answer(turn('Rename a.txt to a.txt.')))[0]).toBe('read_file')
  })

  test('refuses a path that is not on offer, from a server without schemas', async () => {
    act = 'delete'
    filled = { path: '../outside.txt', text: 'x' }
    expect((await answer(turn('Delete it.')))[0]).toBe('grep_search')
  })

  test('offers no tool that the user switched off', async () => {
    act = 'delete'
    const called = await answer(turn('Delete a.txt.', 'blade', new Set(['read_file', 'grep_search'])))
    expect(called).toEqual(['read_file', { path: 'a.txt' }])
  })

  test('writes an answer again if the first one was stopped because it repeated itself', async () => {
    const next = turn('What is the port in a.txt?')
    await answer(next)
    const stopped = next()
    for await (const event of stopped) if (event.kind === 'text') break
    expect(await answer(next)).toMatch(/^read: /)
  })

  test('offers only what the toolset can do', async () => {
    act = 'run'
    filled = { path: 'a.txt', command: 'ls' }
    expect(await answer(turn('Run ls.', 'rusty'))).toEqual(['file_read', { path: 'a.txt' }])
  })
})

describe('the tasks of a message', () => {
  test('are its sentences, in any language', () => {
    expect(splitTasks('Lies a.txt. Setze PORT auf 9!')).toEqual(['Lies a.txt.', 'Setze PORT auf 9!'])
    expect(splitTasks('读取 a.txt。删除 b.txt。')).toEqual(['读取 a.txt。', '删除 b.txt。'])
  })

  test('begin with a capital letter, and a name of a file ends with a period, as in the examples', () => {
    expect(splitTasks('set MAX to 20 in limits.py')).toEqual(['Set MAX to 20 in limits.py.'])
    expect(splitTasks('create a.txt with the text hello')).toEqual(['Create a.txt with the text hello'])
  })

  test('are at most five; the last contains the rest', () => {
    const tasks = splitTasks('One is a. Two is b. Three is c. Four is d. Five is e. Six is f.')
    expect(tasks).toHaveLength(maxTasks)
    expect(tasks.at(-1)).toBe('Five is e. Six is f.')
  })
})

describe('the edit of a line', () => {
  test('keeps the indentation and the comma that the model left out', () => {
    expect(lineEdit('{\n  "a": 1,\n  "b": 2\n}', '"a": 1,', '"a": 5')).toEqual({
      oldText: '  "a": 1,',
      newText: '  "a": 5,',
    })
  })

  test('includes its neighbors until the text occurs once', () => {
    expect(lineEdit('x = 1\na\nx = 1\nb', 'x = 1', 'x = 2')).toEqual({ oldText: 'x = 1\na', newText: 'x = 2\na' })
    expect(lineEdit('x = 1\na\nx = 1\nb', 'a', 'c')?.oldText).toBe('a')
    expect(lineEdit('x\n'.repeat(100), 'x', 'y')).toBeUndefined()
  })

  test('is none if nothing changes, or the line is gone', () => {
    expect(lineEdit('a\n', 'a', 'a')).toBeUndefined()
    expect(lineEdit('a\n', 'b', 'c')).toBeUndefined()
  })
})

test('files that the message names come first, then recent ones, then those near the top', () => {
  const paths = ['z/deep/b.ts', 'a.ts', 'src/config.py', 'src/old.md', 'limits.py']
  expect(rankPaths(paths, 'Set MAX in src/limits.py and LIMITS.PY', ['src/old.md'])).toEqual([
    'limits.py',
    'src/old.md',
    'a.ts',
    'src/config.py',
    'z/deep/b.ts',
  ])
})

test.each([
  ['The port.', 'The port.\n\n> a.txt: PORT = 1'],
  ['Port', 'Port\n\n> a.txt: PORT = 1'],
  ['port = 1', 'port = 1'],
])('an answer %j is followed by the line that it rests on, unless it is a new part of it', async (words, said) => {
  const next = turn('What is the port in a.txt?')
  await answer(next)
  written = [words]
  expect(await answer(next)).toBe(said)
})

test.each([
  ['edit', 'read', -0.1, 'read_file'],
  ['edit', 'read', -1, 'edit'],
  ['delete', 'search', -0.1, 'grep_search'],
  ['delete', 'rename', -0.1, 'move_file'],
  ['delete', 'rename', -1, 'delete_file'],
  ['rename', 'create', -0.1, 'move_file'],
] as const)('if %s is hardly more likely than %s (%f), the first call is %s', async (...row) => {
  const [best, other, score, called] = row
  act = best
  second = { name: other, score }
  filled = { path: 'a.txt', to: 'c.txt', text: 'PORT', content: 'x', command: 'ls' }
  const next = turn('Do it with the port.')
  const [first] = await answer(next)
  if (called !== 'edit') return expect(first).toBe(called)
  filled = { old: 'PORT = 1', new: 'PORT = 2' }
  expect((await answer(next))[0]).toBe('edit_file')
})

test('a task that names no file is about one that contains its words', async () => {
  await answer(turn('change PORT to 2'))
  expect(schemas.at(-1)).toContain('"path":{"enum":["a.txt"]}')
})

test('a file that the task names is not searched for, and the list of files is the answer', async () => {
  act = 'search'
  expect((await answer(turn('What is the port in a.txt?')))[0]).toBe('read_file')
  filled = { text: 'port' }
  expect(await answer(turn('Where is the port?'))).toEqual(['grep_search', { pattern: '(?i)port' }])
  expect(schemas.at(-1)).toContain('"text":{"enum":["Where","is","the","port",')
  act = 'list'
  const next = turn('What is here?')
  expect((await answer(next, { text: 'a.txt\nb.md' }))[0]).toBe('list_dir')
  expect(await answer(next)).toBe('a.txt\nb.md')
})

test('a message that names a file of the folder is work, whatever the model takes it for', async () => {
  kind = 'talk'
  expect((await answer(turn('read A.TXT, and tell me the port')))[0]).toBe('read_file')
})

test('a step is filled in with the prompt that was read last, which a server with one slot need not read again', async () => {
  const next = turn('change PORT to 2')
  await answer(next)
  // Now calibrated.
  items.push(userItem('steer', 'change PORT to 3', 'safe'))
  await answer(next)
  expect(prompts.at(-1)).toBe(prompts.at(-2))
})

test.each([
  ['change PORT to hello', -0.3, true],
  ['change PORT to hello', -1, false],
  ['change COLOR to hello', -0.3, false],
])('whether %j is work, with words of a file and talk more likely by %f: %s', async (message, score, isWork) => {
  kind = 'talk'
  second = { name: 'work', score }
  expect(typeof (await answer(turn(message)))).toBe(isWork ? 'object' : 'string')
})

test.each([
  ['read memo.md and tell me the meeting room', true],
  ['Lies notes/Memo.md.', true],
  ['¿Qué dice "memo.md"?', true],
  ['Hello!', false],
  ['What is a memo?', false],
  ['see example.com/other.md', false],
])('whether %j names a file: %s', (text, named) => {
  expect(namesFile(text, ['notes/memo.md', 'a.ts'])).toBe(named)
})

test.each([
  [['Cedar.', '\nQues', 'tion: Read b.md', ' and more'], 'Cedar.'],
  [['\n', 'Cedar.\n', '\n', 'And more.'], 'Cedar.'],
  [['Cedar.\n', 'Queues are long.\nText', 's too'], 'Cedar.\nQueues are long.\nTexts too'],
])('an answer ends where the model asks itself the next question: %j', async (parts, said) => {
  files['a.txt'] = 'One.\nTwo.\n'
  const next = turn('Read a.txt.')
  await answer(next)
  written = parts
  expect(await answer(next)).toBe(said)
})

test.each([
  ['the task', 'Set PORT to 9'],
  ['a text without a word of the line', 'hello'],
  ['the line without its punctuation', 'PORT 9'],
])('a new line that is %s is written again, as a change of words of the line', async (_, changed) => {
  act = 'edit'
  const next = turn('set PORT to 9 in a.txt')
  await answer(next)
  filled = { old: 'PORT = 1', new: changed }
  // Under the schema of the second question.
  onFill = (schema) => {
    if (schema.includes('"PORT = 9"')) filled = { old: 'PORT = 1', new: 'PORT = 9' }
  }
  expect(await answer(next)).toMatchObject(['edit_file', { new_content: 'PORT = 9' }])
})

test('a new line is written again from how the line begins, for a server without schemas', async () => {
  act = 'edit'
  const next = turn('set PORT to 9 in a.txt')
  await answer(next)
  filled = { old: 'PORT = 1', new: 'hello' }
  rest = ' = 9'
  expect(await answer(next)).toMatchObject(['edit_file', { new_content: 'PORT = 9' }])
})

test('a long conversation is shortened by half now and then, so that most prompts extend the one before', () => {
  const texts = (count: number) =>
    conversationTexts(
      Array.from({ length: count }, (_, at) =>
        at % 2 === 0
          ? userItem(`u${at}`, `question ${at} ${'x'.repeat(500)}`, 'safe')
          : { ...assistantItem('m', undefined), text: `answer ${at} ${'y'.repeat(500)}` },
      ),
    ).map(({ content }) => content)
  const prompts = Array.from({ length: 60 }, (_, at) => texts(at + 1))
  const extended = prompts.filter((prompt, at) => prompts[at - 1]?.every((text, position) => prompt[position] === text))
  expect(extended.length).toBeGreaterThan(54)
  expect(Math.max(...prompts.map((prompt) => prompt.join('').length))).toBeLessThan(12_100)
  expect(prompts.every(([first]) => first?.startsWith('question'))).toBe(true)
})
