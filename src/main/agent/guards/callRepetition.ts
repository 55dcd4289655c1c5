import type { ConversationItem, ToolItem } from '../../../shared/agent/conversation.ts'
import { plural } from '../../../shared/text/plural.ts'

/** Number of identical rounds that cause a warning, and that end the turn. */
const warnAt = 3
const stopAt = 5
/** Maximum number of calls in a round: one repeated call, two alternating calls, or three in turn. */
const maxRoundLength = 3

export interface CallRepetition {
  /** Sent to the model below the result. */
  warning: string
  /** The reason for the user, if the turn must end. */
  stop?: string
}

/**
 * Detects that the last calls repeat with the same results. A different call or result in between counts as progress,
 * and so does waiting for a running command.
 */
export function findCallRepetition(items: readonly ConversationItem[]): CallRepetition | undefined {
  const calls = endedCalls(sinceUserMessage(items))
  const keys = calls.slice(-stopAt * maxRoundLength).map(keyOf)
  for (let length = 1; length <= maxRoundLength; length += 1) {
    const rounds = roundsAtEnd(keys, length)
    if (rounds < warnAt) continue
    const names = calls.slice(-length).map(({ name }) => name)
    const times = plural(rounds, 'time')
    const [what, stop] =
      length === 1
        ? [
            `This same call was made ${times} with the same result, and it will be the same again.`,
            `Stopped: the model made the same call (${names.join()}) ${times} with the same result.`,
          ]
        : [
            `These ${plural(length, 'call')} (${names.join(', ')}) were made ${times} in turn with the same result, and it will be the same again.`,
            `Stopped: the model made the same calls (${names.join(', ')}) ${times} with the same result.`,
          ]
    return {
      warning: `${what} Do something else: another call, other arguments, or say what you found.`,
      ...(rounds >= stopAt && { stop }),
    }
  }
  return undefined
}

/** Returns how many times the last `length` keys repeat at the end. */
function roundsAtEnd(keys: readonly (string | undefined)[], length: number): number {
  let repeated = length
  while (
    repeated < keys.length &&
    keys.at(-1 - repeated) !== undefined &&
    keys.at(-1 - repeated) === keys.at(-1 - repeated + length)
  )
    repeated += 1
  return keys.length < length || keys.at(-1) === undefined ? 0 : Math.floor(repeated / length)
}

/**
 * Returns a key that is equal for the same call with the same result; undefined for a call that waits for a command.
 */
function keyOf({ name, arguments: written, result }: EndedCall): string | undefined {
  if (result.view.kind === 'command' && result.view.job.state === 'running') return undefined
  const args = Object.keys(result.arguments).length > 0 ? JSON.stringify(result.arguments) : written
  return JSON.stringify([name, args, result.error?.code ?? normalized(result.text)])
}

/** Removes durations and job names, which differ from run to run. */
function normalized(text: string): string {
  return text
    .replaceAll(/\b\d+(?:[.,]\d+)?\s?(?:ms|s|sec|seconds?|minutes?|min)\b/g, '#')
    .replaceAll(/\bjob-\w+/g, 'job')
}

/** Returns the items since the last user message or "Continue". Guards consider only these. */
export function sinceUserMessage(items: readonly ConversationItem[]): readonly ConversationItem[] {
  return items.slice(
    items.findLastIndex(
      (item) => (item.kind === 'user' && !item.nudge) || (item.kind === 'notice' && item.action === 'continue'),
    ) + 1,
  )
}

/** A call with a result. */
type EndedCall = ToolItem & { result: NonNullable<ToolItem['result']> }

function endedCalls(items: readonly ConversationItem[]): EndedCall[] {
  return items.filter((item): item is EndedCall => item.kind === 'tool' && item.result !== undefined)
}
