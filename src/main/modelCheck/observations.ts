import { debugHint } from '../agent/guards/failedTest.ts'
import type { AssistantItem, ConversationItem, ToolItem, UserItem } from '../../shared/agent/conversation.ts'
import { calledTool } from '../../shared/tools/callArguments.ts'
import type { FindingCode, ModelFacts } from '../../shared/models/modelCheck.ts'
import { loopNotices } from '../agent/conversation/items.ts'
import { emptyNudge, promiseNudge } from '../agent/guards/turnGuards.ts'
import { callsAtOnce } from './tasks/smallTasks.ts'

export interface Observations {
  findings: ReadonlyMap<FindingCode, number>
  /** Number of native calls, and of calls as text. */
  nativeCalls: number
  textCalls: number
  /** The dialect of the last call as text. */
  dialect?: string
  callsAtOnce: boolean
  thinking: boolean
  /** Generation speeds of the answers in tokens per second. */
  speeds: number[]
}

/** Matches an edit's result for a text that did not match exactly (`describeMatchStage` in edit/locateEdit.ts). */
const inexactMatch = /\bmatched (?:ignoring indentation|with look-alike)/
/** Matches a result that reports errors introduced by an edit (tools/writeDiagnostics.ts). */
const newSyntaxErrors = /\[This edit caused syntax errors:|"syntax_errors"/
const newErrors = /\[This edit caused errors:|"errors": \[/

/** Evaluates the items of a conversation after the user's message. */
export function observeTask(items: readonly ConversationItem[]): Observations {
  const findings = new Map<FindingCode, number>()
  const add = (code: FindingCode, found: boolean): void => {
    if (found) findings.set(code, (findings.get(code) ?? 0) + 1)
  }
  const calls = items.filter((item): item is ToolItem => item.kind === 'tool')
  for (const call of calls) for (const code of callFindings(call)) add(code, true)
  for (const item of items) {
    add('empty_answers', isNudge(item, emptyNudge))
    add('announced_calls', isNudge(item, promiseNudge))
    add('repeated_text', item.kind === 'notice' && item.text === loopNotices.repeatedOnce)
    add('window_cut_silently', item.kind === 'notice' && item.cause === 'promptCut')
  }
  const answers = items.filter((item): item is AssistantItem => item.kind === 'assistant')
  const dialect = calls.findLast(({ writtenAs }) => writtenAs !== undefined)?.writtenAs
  return {
    findings,
    nativeCalls: calls.filter(({ writtenAs }) => writtenAs === undefined).length,
    textCalls: calls.filter(({ writtenAs }) => writtenAs !== undefined).length,
    ...(dialect !== undefined && { dialect }),
    callsAtOnce: callsAtOnce(items),
    thinking: answers.some(({ reasoning }) => reasoning.trim() !== ''),
    speeds: answers.flatMap(({ usage }) => usage?.tokensPerSecond ?? []),
  }
}

function callFindings(item: ToolItem): FindingCode[] {
  const { arguments: written, writtenAs, result, warning } = item
  const { name: wanted } = calledTool({ name: item.name, arguments: written })
  const found: FindingCode[] = []
  // Dialects have untyped values, so converting them says nothing about the model.
  if (writtenAs === undefined && !isObject(written)) found.push('broken_arguments')
  else if (writtenAs === undefined && result?.repaired === true) found.push('argument_types')
  const otherRan = result?.ranTool !== undefined && result.ranTool !== wanted
  if (otherRan || result?.error?.code === 'unknown_tool') found.push('unknown_tools')
  if (warning !== undefined && warning !== debugHint) found.push('repeated_calls')
  const text = result?.text ?? ''
  if (result?.ok === true && inexactMatch.test(text)) found.push('inexact_edits')
  if (result?.ok === true && newSyntaxErrors.test(text)) found.push('syntax_errors')
  else if (result?.ok === true && newErrors.test(text)) found.push('code_errors')
  return found
}

function isNudge(item: ConversationItem, text: string): item is UserItem {
  return item.kind === 'user' && item.nudge === true && item.text === text
}

/** Whether a text is a JSON object. Empty arguments are allowed: many servers send them for tools without parameters. */
function isObject(text: string): boolean {
  if (text.trim() === '') return true
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    // Malformed JSON is an expected input.
    return false
  }
}

/** Whether a model did nothing that could be observed. */
export function observedNothing({ findings, nativeCalls, textCalls }: Observations): boolean {
  return findings.size + nativeCalls + textCalls === 0
}

/** Combines the observations of several tasks. */
export function combineObservations(all: readonly Observations[]): {
  findings: Map<FindingCode, number>
  facts: Pick<ModelFacts, 'calls' | 'dialect' | 'callsAtOnce' | 'thinking'>
  /** Median of the generation speeds. */
  speed?: number
} {
  const findings = new Map<FindingCode, number>()
  for (const { findings: some } of all)
    for (const [code, count] of some) findings.set(code, (findings.get(code) ?? 0) + count)
  const native = all.some(({ nativeCalls }) => nativeCalls > 0)
  const text = all.some(({ textCalls }) => textCalls > 0)
  const speeds = all.flatMap((each) => each.speeds).toSorted((a, b) => a - b)
  const speed = speeds[Math.floor(speeds.length / 2)]
  const dialect = all.findLast((each) => each.dialect !== undefined)?.dialect
  return {
    findings,
    facts: {
      ...(all.length > 0 && { calls: native ? (text ? 'both' : 'native') : text ? 'text' : 'none' }),
      ...(dialect !== undefined && { dialect }),
      ...(native || text ? { callsAtOnce: all.some((each) => each.callsAtOnce) } : {}),
      ...(all.some(({ thinking }) => thinking) && { thinking: true }),
    },
    ...(speed !== undefined && { speed }),
  }
}
