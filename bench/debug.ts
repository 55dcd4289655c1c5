import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { debugHint as debugHintText } from '../src/main/agent/guards/failedTest.ts'
import type { ChatMessage } from '../src/main/model/modelClient.ts'
import { answer, call, say } from '../src/main/model/scripted/scenario.ts'
import { startScriptedEndpoint } from '../src/main/model/scripted/scriptedEndpoint.ts'
import { estimateTokens } from '../src/main/model/tokens/usage.ts'
import { writeTree } from '../src/main/tools/testing/toolContext.ts'
import { callTool, openCore } from './core.ts'
import { measureVariables } from './debugVariables.ts'
import type { Row } from './row.ts'

/** A call of the scripted model. */
type Call = readonly [name: string, args: Record<string, unknown>]

/** A bug that reading the code does not show, and two ways to its fix. Both begin with the failing test. */
interface Bug {
  title: string
  files: Readonly<Record<string, string>>
  test: string
  /** The calls of a model that looks with `print`, and takes the prints out again. */
  printing: readonly Call[]
  /** The calls of a model that looks with debug_run. */
  debugging: readonly Call[]
  /** A change that does not help, before which and after which the test fails. */
  guess: Call
  fix: Call
}

const edit = (path: string, from: string, to: string): Call => [
  'edit_file',
  { path, old_content: from, new_content: to },
]
const read = (path: string): Call => ['read_file', { path }]

const prices = Array.from(
  { length: 200 },
  (_, index) => `item${index},${index === 137 ? '1O.50' : `${index}.50`}`,
).join('\n')

const bugs: readonly Bug[] = [
  {
    title: 'a value from data',
    files: {
      'prices.csv': `${prices}\n`,
      'prices.py':
        'def amount(text):\n    try:\n        return float(text)\n    except ValueError:\n        return 0.0\n\n\ndef total(path):\n    result = 0.0\n    for line in open(path):\n        name, price = line.strip().split(",")\n        result += amount(price)\n    return result\n',
      'test_prices.py':
        'from prices import total\n\n\ndef test_total():\n    assert total("prices.csv") == sum(i + 0.5 for i in range(200)) - 137.5 + 10.5\n',
    },
    test: 'test_prices.py::test_total',
    printing: [
      read('prices.py'),
      edit('prices.py', '        return 0.0\n', '        print("bad", repr(text))\n        return 0.0\n'),
      ['run_command', { command: 'python3 -m pytest -q -s test_prices.py' }],
      edit('prices.py', '        print("bad", repr(text))\n        return 0.0\n', '        return 0.0\n'),
    ],
    debugging: [
      [
        'debug_run',
        { test: 'test_prices.py::test_total', breakpoints: [{ path: 'prices.py', line: 5, expressions: ['text'] }] },
      ],
    ],
    guess: edit('prices.py', '    result = 0.0\n', '    result = 0.00\n'),
    fix: edit('prices.csv', 'item137,1O.50', 'item137,10.50'),
  },
  {
    title: 'a wrong default far away',
    files: {
      'settings.py': 'DEFAULTS = {"retries": 3, "rate": 0.19, "rounding": 1}\n',
      'config.py':
        'from settings import DEFAULTS\n\n\ndef load(own):\n    merged = dict(DEFAULTS)\n    merged.update(own)\n    return merged\n',
      'invoice.py':
        'from config import load\n\n\ndef gross(net, own=None):\n    config = load(own or {})\n    return round(net * (1 + config["rate"]), config["rounding"])\n',
      'test_invoice.py': 'from invoice import gross\n\n\ndef test_gross():\n    assert gross(10.05) == 11.96\n',
    },
    test: 'test_invoice.py::test_gross',
    printing: [
      read('invoice.py'),
      read('config.py'),
      edit('invoice.py', '    return round(', '    print(config)\n    return round('),
      ['run_command', { command: 'python3 -m pytest -q -s test_invoice.py' }],
      edit('invoice.py', '    print(config)\n    return round(', '    return round('),
      read('settings.py'),
    ],
    debugging: [
      ['debug_run', { test: 'test_invoice.py::test_gross', breakpoints: [{ path: 'invoice.py', line: 6 }] }],
      ['grep_search', { pattern: 'rounding' }],
      read('settings.py'),
    ],
    guess: edit('invoice.py', 'own or {}', 'own or dict()'),
    fix: edit('settings.py', '"rounding": 1', '"rounding": 2'),
  },
  {
    title: 'an order of events',
    files: {
      'cart.py':
        'class Cart:\n    def __init__(self):\n        self.items = []\n        self.discount = 0\n        self.listeners = []\n\n    def on_change(self, listener):\n        self.listeners.append(listener)\n\n    def add(self, price):\n        for listener in self.listeners:\n            listener(self)\n        self.items.append(price)\n\n    def total(self):\n        return sum(self.items) - self.discount\n',
      'offers.py':
        'def watch(cart):\n    def offer(changed):\n        changed.discount = 5 if len(changed.items) >= 3 else 0\n    cart.on_change(offer)\n',
      'test_cart.py':
        'from cart import Cart\nfrom offers import watch\n\n\ndef test_offer():\n    cart = Cart()\n    watch(cart)\n    for price in (10, 20, 30):\n        cart.add(price)\n    assert cart.total() == 55\n',
    },
    test: 'test_cart.py::test_offer',
    printing: [
      read('cart.py'),
      read('offers.py'),
      edit(
        'offers.py',
        '        changed.discount =',
        '        print(len(changed.items), changed.discount)\n        changed.discount =',
      ),
      ['run_command', { command: 'python3 -m pytest -q -s test_cart.py' }],
      edit(
        'offers.py',
        '        print(len(changed.items), changed.discount)\n        changed.discount =',
        '        changed.discount =',
      ),
    ],
    debugging: [
      [
        'debug_run',
        {
          test: 'test_cart.py::test_offer',
          breakpoints: [{ path: 'offers.py', line: 3, expressions: ['len(changed.items)'] }],
        },
      ],
      read('cart.py'),
    ],
    guess: edit('offers.py', '>= 3', '> 2'),
    fix: edit(
      'cart.py',
      '        for listener in self.listeners:\n            listener(self)\n        self.items.append(price)\n',
      '        self.items.append(price)\n        for listener in self.listeners:\n            listener(self)\n',
    ),
  },
]

/**
 * Counts calls and tokens of a scripted model that finds three bugs with prints and with debug_run, and of one that uses
 * debug_run only if the hint after the second failure names it. The calls are real, and each way must end with a test
 * that passes. Measures variables in the window. Needs debugpy and pytest.
 */
export async function measure(): Promise<Row[]> {
  const rows: Row[] = []
  for (const bug of bugs) {
    const printing = await play(bug, bug.printing)
    const debugging = await play(bug, bug.debugging)
    rows.push({
      question: `debug_run against prints, ${bug.title}: tokens of calls and results`,
      value: debugging.tokens / printing.tokens,
      unit: '×',
      how: `${debugging.calls} calls with ${debugging.tokens} tokens against ${printing.calls} with ${printing.tokens}, the failing and the passing test included; \`npm run bench -- debug\``,
    })
  }
  for (const bug of bugs) rows.push(await compareHint(bug))
  return [...rows, ...(await measureVariables())]
}

const testCall = (test: string): Call => ['run_command', { command: `python3 -m pytest -q ${test}` }]

async function compareHint(bug: Bug): Promise<Row> {
  const [hinted, bare] = [await converse(bug, true), await converse(bug, false)]
  return {
    question: `hint at debug_run after the second failure, ${bug.title}: tokens of calls and results against no hint`,
    value: hinted.tokens / bare.tokens,
    unit: '×',
    how: `${hinted.calls} calls with ${hinted.tokens} tokens against ${bare.calls} with ${bare.tokens}; a scripted model that follows the hint, and prints without it; \`npm run bench -- debug\``,
  }
}

/** Runs a turn of a scripted model that guesses first, and then does what a hint names or prints. */
async function converse(
  { files, test, guess, printing, debugging, fix }: Bug,
  debugHint: boolean,
): Promise<{ calls: number; tokens: number }> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'tizona-bench-debug-')))
  await writeTree(root, files)
  let latest: readonly ChatMessage[] = []
  const endpoint = await startScriptedEndpoint({
    name: 'debug-hint',
    turns: [],
    respond({ messages }) {
      latest = messages
      const isHinted = JSON.stringify(messages).includes(JSON.stringify(debugHintText).slice(1, -1))
      if (!debugHint && isHinted) throw new Error('There is a hint although it is off.')
      const look = isHinted ? debugging : printing
      const calls = [testCall(test), guess, testCall(test), ...look, fix, testCall(test)]
      const next = calls[messages.filter(({ role }) => role === 'assistant').length]
      return answer(next === undefined ? say('The test passes.') : call(...next))
    },
  })
  const { core, close } = await openCore(root, {
    trusted: true,
    features: { debugHint },
    settings: {
      endpoints: [{ id: 'e', name: 'E', kind: 'openai', baseUrl: endpoint.url, hasKey: false }],
      model: { endpointId: 'e', model: 'scripted' },
      mode: 'yolo',
      toolset: 'blade',
    },
  })
  try {
    const never = new AbortController().signal
    const { info } = await core.handlers['conversations.create']({}, never)
    const ended = new Promise<void>((resolve) => {
      core.subscribe((name) => {
        if (name === 'conversation.turnEnded') resolve()
      })
    })
    await core.handlers['conversations.send']({ id: info.id, text: `${test} fails. Make it pass.` }, never)
    await ended
    const turn = latest.slice(latest.findIndex(({ role }) => role === 'assistant'))
    if (!JSON.stringify(turn.at(-1)).includes('1 passed')) throw new Error('The test does not pass after the fix.')
    return {
      calls: turn.filter(({ role }) => role === 'tool').length,
      tokens: estimateTokens(JSON.stringify(turn)),
    }
  } finally {
    await close()
    await endpoint.close()
    await rm(root, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function play({ files, test, fix }: Bug, calls: readonly Call[]): Promise<{ calls: number; tokens: number }> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'tizona-bench-debug-')))
  await writeTree(root, files)
  const { core, close } = await openCore(root, { trusted: true })
  let tokens = 0
  let made = 0
  const make = async ([name, args]: Call): Promise<string> => {
    const text = await callTool(core, name, args)
    made += 1
    tokens += estimateTokens(`${name} ${JSON.stringify(args)} ${text}`)
    return text
  }
  const runTest = testCall(test)
  try {
    if (!/1 failed/.test(await make(runTest))) throw new Error('The test does not fail.')
    for (const each of calls) await make(each)
    await make(fix)
    if (!/1 passed/.test(await make(runTest))) throw new Error('The test does not pass after the fix.')
    return { calls: made, tokens }
  } finally {
    await close()
    await rm(root, { recursive: true, force: true })
  }
}
