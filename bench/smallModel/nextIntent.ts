import type { ChatMessage } from '../../src/main/model/modelClient.ts'
import { callQuestion, countingPrompt } from '../../src/main/modelCheck/probes/probes.ts'
import { windowQuestion } from '../../src/main/modelCheck/probes/windowProbe.ts'
import { repairPrompt } from '../../src/main/modelCheck/tasks/repairTask.ts'

/** The next action of a scripted model. Its call format (callFormats.ts) decides how to write the action. */
export type Intent = CallIntent | { kind: 'calls'; calls: CallIntent[] } | { kind: 'say'; text: string }
interface CallIntent {
  kind: 'call'
  name: string
  args: Record<string, unknown>
}

/** Tool results that a model has seen, oldest first. */
export type Evidence = readonly string[]

/** How to work on one kind of task: the prompt that starts it, and the next action after the results so far. */
interface Skill {
  prompt: RegExp
  next(evidence: Evidence, prompt: RegExpExecArray): Intent
}

/**
 * What scripted models can do. They know how to work but nothing about a workspace, so each action follows from the
 * messages in the request. Values and names come from the prompt and the results.
 */
const skills: readonly Skill[] = [
  {
    prompt: new RegExp(escaped(repairPrompt)),
    // The output of the tests names a test, the test names a function and its file, and the file's comment defines the
    // result of the function.
    next(evidence) {
      const run = lastRun(evidence)
      if (run === -1 || evidence.findLastIndex(isChange) > run) return runTests
      return /\bfail 0\b/.test(evidence[run] ?? '') ? { kind: 'say', text: 'Every test passes now.' } : repair(evidence)
    },
  },
  {
    prompt: /access code in (\S+)\?/,
    next: (evidence, [, path = '']) => sayMatch(evidence, /Access code: (\S+)/) ?? read(path),
  },
  {
    prompt: /In (\S+), change the port of the server to (\d+)\./,
    next(evidence, [, path = '', port = '']) {
      if (evidence.some(isChange)) return { kind: 'say', text: 'The port is changed.' }
      const line = /port = \d+/.exec(evidence.join('\n'))?.[0]
      if (line === undefined) return read(path)
      return {
        kind: 'call',
        name: 'edit_file',
        args: { path, old_content: line, new_content: `port = ${port}` },
      }
    },
  },
  {
    prompt: /^Read (\S+) and (\S+) with two separate calls/,
    next(evidence, [, first = '', second = '']) {
      const numbers = [...evidence.join('\n').matchAll(/(?:^|[\t|: ])(\d{3})\s*$/gm)].map(([, number]) => number)
      if (numbers.length < 2) return { kind: 'calls', calls: [read(first), read(second)] }
      return { kind: 'say', text: `The sum is ${numbers.reduce((sum, number) => sum + Number(number), 0)}.` }
    },
  },
  {
    prompt: /does the crate with (the [a-z ]+) have in (\S+)\?/,
    next: (evidence, [, words = '', path = '']) =>
      sayMatch(evidence, /lamp: seal (\S+)/) ?? { kind: 'call', name: 'grep_search', args: { pattern: words, path } },
  },
  {
    prompt: /with the command `([^`]+)`\. If it is refused/,
    next: (evidence, [, command = '']) =>
      evidence.length === 0
        ? { kind: 'call', name: 'run_command', args: { command } }
        : { kind: 'say', text: 'The command was refused, so I left the folder as it is.' },
  },
  // The requests that measure a server.
  {
    prompt: new RegExp(escaped(countingPrompt)),
    next: () => ({ kind: 'say', text: Array.from({ length: 40 }, (_, index) => index + 1).join(' ') }),
  },
  { prompt: new RegExp(escaped(callQuestion)), next: () => read('notes.txt') },
  {
    prompt: new RegExp(escaped(windowQuestion)),
    next: (evidence) =>
      sayMatch(evidence, /The code word is ([\w-]+)\./) ?? { kind: 'say', text: 'I know no code word.' },
  },
  { prompt: /^Answer with the word (\w+)\.$/, next: (_evidence, [, word = '']) => ({ kind: 'say', text: word }) },
]

/** Returns a scripted model's next action, which the last user message that it understands asks for. */
export function nextIntent(messages: readonly ChatMessage[]): Intent {
  for (const message of messages.toReversed()) {
    if (message.role !== 'user') continue
    for (const { prompt, next } of skills) {
      const match = prompt.exec(message.content)
      if (match) return next(evidenceIn(messages), match)
    }
  }
  return { kind: 'say', text: 'Hello! What would you like me to do?' }
}

/** Reports the match in the last matching result. */
function sayMatch(evidence: Evidence, pattern: RegExp): Intent | undefined {
  const found = evidence.map((text) => pattern.exec(text)?.[1]).findLast((value) => value !== undefined)
  return found === undefined ? undefined : { kind: 'say', text: found }
}

/** Characters of a prompt. A longer message that contains one is a summary. */
const maxPrompt = 300

/** Returns the results in a request: tool messages, or for models without native tools user messages except prompts. */
export function evidenceIn(messages: readonly ChatMessage[]): Evidence {
  return messages
    .filter(({ role }) => role === 'tool' || role === 'user')
    .filter(({ content }) => content.length > maxPrompt || !skills.some(({ prompt }) => prompt.test(content)))
    .map(({ content }) => content)
}

/** Returns the next step to repair the first failing test of the last run. */
export function repair(evidence: Evidence): Intent {
  const output = evidence[lastRun(evidence)] ?? ''
  const [, testFile, testName = ''] = /test at (\S+?):\d+:\d+\s+\S+ (.+?) \(/.exec(output) ?? []
  if (testFile === undefined)
    return { kind: 'say', text: 'The tests fail, but their output names no file, so I cannot go on.' }
  const test = evidence.findLast((text) => text.includes(`test('${testName}'`))
  const [, name, module] =
    new RegExp(`import \\{ (\\w+) \\} from '\\.\\./(\\S+)'[\\s\\S]*?test\\('${escaped(testName)}'`).exec(test ?? '') ??
    []
  if (name === undefined || module === undefined) return read(testFile)

  const definition = new RegExp(
    `/\\*\\* Gives (.+?)\\. \\*/\\s*\\n[^\\n]*?(export function ${name}\\(a, b\\) \\{)[^\\n]*\\n[^\\n]*?(return [^\\n]+)`,
  )
  const [, right, head, wrong] = definition.exec(evidence.findLast((text) => definition.test(text)) ?? '') ?? []
  if (right === undefined) return readMissing(evidence, module) ?? read(module)
  return {
    kind: 'call',
    name: 'edit_file',
    args: { path: module, old_content: `${head}\n  ${wrong}\n}`, new_content: `${head}\n  return ${right}\n}` },
  }
}

export const isChange = (text: string): boolean => /\bChanged "/.test(text)
export const runTests: CallIntent = { kind: 'call', name: 'run_command', args: { command: 'node --test' } }

const lastRun = (evidence: Evidence): number =>
  evidence.findLastIndex((text) => /\bpass \d+/.test(text) && /\bfail \d+/.test(text))
const read = (path: string): CallIntent => ({ kind: 'call', name: 'read_file', args: { path } })

/** Returns the read of the lines that were left out of the latest read of a file; undefined if none were. */
function readMissing(evidence: Evidence, path: string): Intent | undefined {
  const missing = new RegExp(`To see lines (\\d+) to (\\d+) of ${escaped(path)}, read`)
  const [, first, last] = missing.exec(evidence.findLast((text) => missing.test(text)) ?? '') ?? []
  if (first === undefined || last === undefined) return undefined
  const args = { path, start_line: Math.max(1, Number(first) - 3), end_line: Number(last) + 3 }
  return { kind: 'call', name: 'read_file_range', args }
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
