import type { ChatMessage } from '../../src/main/model/clients/modelClient.ts'
import { taskPrompt } from './task.ts'

/** The next action of a scripted model. Its call format (callFormats.ts) decides how it writes the action. */
export type Intent = { kind: 'call'; name: string; args: Record<string, unknown> } | { kind: 'say'; text: string }

/** The results of tools that a model has seen, oldest first. */
export type Evidence = readonly string[]

/**
 * Returns the next action of a scripted model that repairs the task. It knows how to work but nothing about this
 * workspace, so each action follows from the messages in the request: the output of the tests names a test, the test
 * names a function and its file, and the file's comment defines the result of the function. Without the task in the
 * messages, it does nothing.
 */
export function nextIntent(messages: readonly ChatMessage[]): Intent {
  if (!messages.some(({ content }) => content.includes(taskPrompt)))
    return { kind: 'say', text: 'Hello! What would you like me to do?' }
  const evidence = evidenceIn(messages)
  const run = lastRun(evidence)
  if (run === -1 || evidence.findLastIndex(isChange) > run) return runTests
  return /\bfail 0\b/.test(evidence[run] ?? '') ? { kind: 'say', text: 'Every test passes now.' } : repair(evidence)
}

/**
 * Returns the results in a request: tool messages, or user messages for models without native tools, except the task.
 */
export function evidenceIn(messages: readonly ChatMessage[]): Evidence {
  return messages
    .filter(({ role, content }) => (role === 'tool' || role === 'user') && content !== taskPrompt)
    .map(({ content }) => content)
}

/** Returns the next step to repair the first failed test of the last run. */
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
export const runTests: Intent = { kind: 'call', name: 'run_command', args: { command: 'node --test' } }

const lastRun = (evidence: Evidence): number =>
  evidence.findLastIndex((text) => /\bpass \d+/.test(text) && /\bfail \d+/.test(text))
const read = (path: string): Intent => ({ kind: 'call', name: 'read_file', args: { path } })

/** Returns the read of the lines that were left out of the latest read of a file; undefined if none were. */
function readMissing(evidence: Evidence, path: string): Intent | undefined {
  const missing = new RegExp(`To see lines (\\d+) to (\\d+) of ${escaped(path)}, read`)
  const [, first, last] = missing.exec(evidence.findLast((text) => missing.test(text)) ?? '') ?? []
  if (first === undefined || last === undefined) return undefined
  const args = { path, start_line: Math.max(1, Number(first) - 3), end_line: Number(last) + 3 }
  return { kind: 'call', name: 'read_file_range', args }
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
