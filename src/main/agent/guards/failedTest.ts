import type { ConversationItem, ToolItem } from '../../../shared/agent/conversation.ts'
import { sinceUserMessage } from './callRepetition.ts'

/** Failures of the same test after which the hint appears. It appears once. */
const failuresForHint = 2

/** Sent to the model below the result. */
export const debugHint =
  'This test failed again. Instead of guessing, call debug_run with the test and breakpoints: it shows the values at these lines while the test runs.'

/** Runners of tests, and the programs that start them. Other commands fail for reasons that a debugger does not show. */
const testCommand =
  /(?:^|[\s/;&|])(?:pytest|unittest|vitest|jest|mocha|(?:go|cargo|npm|pnpm|yarn|bun|deno) (?:run )?test\S*|node --test|ctest|tox)(?:[\s:]|$)/

/**
 * Returns a hint for the model if the last call is the second failure of the same test since the user's message, with
 * other calls in between.
 */
export function failedTestHint(items: readonly ConversationItem[]): string | undefined {
  const recent = sinceUserMessage(items).filter((item): item is ToolItem => item.kind === 'tool')
  const command = failedTest(recent.at(-1))
  if (command === undefined) return undefined
  const failures = recent.filter((item) => failedTest(item) === command)
  const isRepeated = failures.length === failuresForHint && recent.at(-2) !== failures.at(-2)
  return isRepeated ? debugHint : undefined
}

/** Returns the command line of a test that failed. */
function failedTest(item: ToolItem | undefined): string | undefined {
  const view = item?.result?.view
  if (view?.kind !== 'command') return undefined
  const { command, exitCode } = view.job
  return exitCode !== undefined && exitCode !== 0 && testCommand.test(command) ? command.trim() : undefined
}
