import { z } from 'zod'
import type { HookEvent } from '../../shared/tools/hooks.ts'
import { truncate } from '../../shared/text/truncate.ts'
import { parseJson } from './hookFiles.ts'

/** How the process of a hook ended. */
export interface HookRun {
  exitCode: number | null
  output: string
  /** The last part of standard error. */
  errors: string
  /** Why it was ended or could not start: a sentence. */
  failure?: string
  /** Whether it could not start. */
  notStarted?: true
}

/** What a hook answered. */
export interface HookAnswer {
  /** `broken`: it crashed or gave no answer that can be read. */
  kind: 'pass' | 'block' | 'broken'
  /** Why it blocks, or what is broken. */
  reason: string
  /** Whether the call requires approval. */
  ask?: true
  /** The tool's arguments, or the part of them that it changed. */
  updatedInput?: Record<string, unknown>
  /** Text for the model. */
  context?: string
  /** Why the turn should end. */
  endTurn?: string
}

/** Maximum characters of a text for the model. */
const maxText = 10_000

const answerSchema = z.looseObject({
  continue: z.boolean().optional(),
  stopReason: z.string().nullish(),
  decision: z.enum(['approve', 'allow', 'block', 'deny']).nullish(),
  reason: z.string().nullish(),
  hookSpecificOutput: z
    .looseObject({
      hookEventName: z.string().optional(),
      permissionDecision: z.enum(['allow', 'deny', 'ask']).nullish(),
      permissionDecisionReason: z.string().nullish(),
      updatedInput: z.record(z.string(), z.unknown()).nullish(),
      additionalContext: z.string().nullish(),
    })
    .nullish(),
})

/** Fields of an answer, and where they are. */
const topFields = new Set([...Object.keys(answerSchema.shape), 'suppressOutput', 'systemMessage'])
const ownFields = new Set(Object.keys(answerSchema.shape.hookSpecificOutput.unwrap().unwrap().shape))

/** Whether an object has a field of an answer and none in the wrong place, where it would have no effect. */
function saysSomething(answer: z.output<typeof answerSchema>): boolean {
  const top = Object.keys(answer)
  const own = Object.keys(answer.hookSpecificOutput ?? {})
  const hasOnlyUnknown = (keys: readonly string[], known: ReadonlySet<string>) =>
    keys.length > 0 && !keys.some((key) => known.has(key))
  return (
    !hasOnlyUnknown(top, topFields) &&
    !hasOnlyUnknown(own, ownFields) &&
    !top.some((key) => ownFields.has(key)) &&
    !own.some((key) => topFields.has(key))
  )
}

/** Events that go on only if their hooks allow it. */
export const deciding: readonly HookEvent[] = ['PreToolUse', 'UserPromptSubmit']

/** Whether a text that is not JSON is half of an answer. A log line such as `[12:00] main` is not. */
const mustBeJson = (event: HookEvent, text: string): boolean => text.startsWith('{') && event !== 'SessionStart'

/** Events whose plain output is text for the model. */
const plainContext: readonly HookEvent[] = ['UserPromptSubmit', 'SessionStart']

/**
 * Reads the answer of a hook. Exit code 2 blocks, with standard error as the reason. Exit code 0 with JSON says more.
 * Everything else is broken, except plain text after an event that has nothing to decide.
 */
export function readHookAnswer(event: HookEvent, { exitCode, output, errors, failure }: HookRun): HookAnswer {
  const broken = (reason: string): HookAnswer => ({ kind: 'broken', reason })
  if (failure !== undefined) return broken(failure)
  if (exitCode === 2) return { kind: 'block', reason: shortened(errors) || 'It gave no reason.' }
  if (exitCode !== 0) {
    const why = errors === '' ? '' : ` Its last output: ${truncate(errors.slice(-2000), 500)}`
    return broken(`It ended with ${exitCode === null ? 'a signal' : `exit code ${exitCode}`}.${why}`)
  }
  const text = output.trim()
  if (text === '') return { kind: 'pass', reason: '' }
  const json = /^[{[]/.test(text) ? parseJson(text) : undefined
  if (json === undefined && !mustBeJson(event, text)) {
    if (plainContext.includes(event)) return { kind: 'pass', reason: '', context: shortened(text) }
    if (event !== 'PreToolUse') return { kind: 'pass', reason: '' }
    return broken(`It printed text that is not JSON: ${truncate(text, 200)}`)
  }
  const parsed = answerSchema.safeParse(json)
  if (!parsed.success || (deciding.includes(event) && !saysSomething(parsed.data)))
    return broken(`It printed JSON that is not an answer of a hook: ${truncate(text, 200)}`)
  const { hookSpecificOutput: own } = parsed.data
  if (own?.hookEventName !== undefined && own.hookEventName !== event)
    return broken(`It answered the event ${truncate(own.hookEventName, 40)}, but was run for ${event}.`)
  return answerOf(parsed.data)
}

function answerOf(data: z.output<typeof answerSchema>): HookAnswer {
  const { decision, hookSpecificOutput: own } = data
  const reason = shortened(own?.permissionDecisionReason ?? data.reason ?? '')
  const context = own?.additionalContext
  const extra = {
    ...(context !== undefined && context !== null && context !== '' && { context: shortened(context) }),
    ...(data.continue === false && { endTurn: shortened(data.stopReason ?? '') || 'It gave no reason.' }),
  }
  if (own?.permissionDecision === 'deny' || decision === 'block' || decision === 'deny')
    return { kind: 'block', reason: reason || 'It gave no reason.', ...extra }
  const updated = own?.updatedInput
  return {
    kind: 'pass',
    reason,
    ...(own?.permissionDecision === 'ask' && { ask: true as const }),
    ...(updated !== undefined && updated !== null && { updatedInput: updated }),
    ...extra,
  }
}

const shortened = (text: string): string => truncate(text.trim(), maxText)
