import type { ConversationItem } from '../../../shared/conversation.ts'
import { plural } from '../../../shared/plural.ts'
import { endedCalls, sinceUserSpoke, type EndedCall } from './guardScope.ts'

/** Rounds of the same calls with the same results after which the model is warned, and after which its turn ends. */
const warnAt = 3
const stopAt = 5
/** Longest circle that is looked for, in calls: one call again and again, two that alternate, three in turn. */
const longestCircle = 3

export interface Repetition {
  /** For the model, below the result. */
  warning: string
  /** Set when it is enough: why, for the user. */
  stop?: string
}

/**
 * Whether the last calls go round in a circle: the same calls with the same results, one after another. A call between that is another
 * one, or that brings another result, makes it progress. Waiting for a command that runs is none either.
 */
export function repetition(items: readonly ConversationItem[]): Repetition | undefined {
  const calls = endedCalls(sinceUserSpoke(items))
  const keys = calls.slice(-stopAt * longestCircle).map(keyOf)
  for (let length = 1; length <= longestCircle; length += 1) {
    const rounds = roundsAtEnd(keys, length)
    if (rounds < warnAt) continue
    const names = calls.slice(-length).map(({ name }) => name)
    const what =
      length === 1
        ? `This same call was made ${plural(rounds, 'time')}`
        : `These ${plural(length, 'call')} (${names.join(', ')}) were made ${plural(rounds, 'time')} in turn`
    return {
      warning: `${what} with the same result, and it will be the same again. Do something else: another call, other arguments, or say what you found.`,
      ...(rounds >= stopAt && {
        stop: `Stopped: the model made the same ${length === 1 ? 'call' : 'calls'} (${names.join(', ')}) ${plural(rounds, 'time')} with the same result.`,
      }),
    }
  }
  return undefined
}

/** How many times the last `length` keys stand at the end one after another. */
function roundsAtEnd(keys: readonly (string | undefined)[], length: number): number {
  let same = length
  while (same < keys.length && keys.at(-1 - same) !== undefined && keys.at(-1 - same) === keys.at(-1 - same + length))
    same += 1
  return keys.length < length || keys.at(-1) === undefined ? 0 : Math.floor(same / length)
}

/** Equal for calls that did the same and brought the same; undefined for one that waits for a command. */
function keyOf({ name, arguments: written, result }: EndedCall): string | undefined {
  if (result.view.kind === 'command' && result.view.job.state === 'running') return undefined
  const given = Object.keys(result.arguments).length > 0 ? JSON.stringify(result.arguments) : written
  return JSON.stringify([name, given, result.error?.code ?? steady(result.text)])
}

/** Without what differs from run to run though nothing changed: how long it took, and the names of jobs. */
function steady(text: string): string {
  return text
    .replaceAll(/\b\d+(?:[.,]\d+)?\s?(?:ms|s|sec|seconds?|minutes?|min)\b/g, '#')
    .replaceAll(/\bjob-\w+/g, 'job')
}
