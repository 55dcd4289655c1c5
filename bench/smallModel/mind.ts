import type { ChatMessage } from '../../src/main/model/clients/modelClient.ts'
import { taskPrompt } from './task.ts'

/** What a scripted model wants to do next; its manner (manners.ts) decides how it writes that. */
export type Intent = { kind: 'call'; name: string; args: Record<string, unknown> } | { kind: 'say'; text: string }

/** What a model can know: what the tools answered, oldest first. */
export type Evidence = readonly string[]

/**
 * How a scripted model repairs the task: it knows how to work, and nothing about this workspace. Everything it does follows from
 * what stands in the messages it is sent: the tests' output names a test, the test names a function and its file, the file's comment says
 * what the function must give. What is not there it must read; without the task it does not know what to do.
 */
export function nextIntent(messages: readonly ChatMessage[]): Intent {
  if (!messages.some(({ content }) => content.includes(taskPrompt)))
    return { kind: 'say', text: 'Hello! What would you like me to do?' }
  const evidence = evidenceIn(messages)
  const run = lastRun(evidence)
  if (run === -1 || evidence.findLastIndex(isChange) > run) return runTests
  return /\bfail 0\b/.test(evidence[run] ?? '') ? { kind: 'say', text: 'Every test passes now.' } : repair(evidence)
}

/** Results come as tool messages, or as the user's where a model knows no others. The task itself is none. */
export function evidenceIn(messages: readonly ChatMessage[]): Evidence {
  return messages
    .filter(({ role, content }) => (role === 'tool' || role === 'user') && content !== taskPrompt)
    .map(({ content }) => content)
}

/** The next step towards the repair of the first test that failed in the last run. */
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
  if (right === undefined) return read(module)
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
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
