import type { ToolItem } from '../../../shared/conversation.ts'

export type Comparison = { same: true } | { same: false; line: number; recorded: string; now: string }

/**
 * Compares the result of a recorded call with that of its repetition and returns the first line that differs. Ignores
 * the duration of commands (tools/common/commandResult.ts), because it depends on the machine.
 */
export function compareResults(
  { result }: Pick<ToolItem, 'result'>,
  again: Pick<ToolItem, 'result'> | undefined,
): Comparison {
  const then = (result?.text ?? '').split('\n')
  const now = (again?.result?.text ?? '(the call was not made)').split('\n')
  const at = Array.from({ length: Math.max(then.length, now.length) }, (_, line) => line).find(
    (line) => withoutDuration(then[line]) !== withoutDuration(now[line]),
  )
  return at === undefined ? { same: true } : { same: false, line: at + 1, recorded: then[at] ?? '', now: now[at] ?? '' }
}

function withoutDuration(line: string | undefined): string | undefined {
  return line?.startsWith('[') ? line.replace(/ after [\d,.]{1,20} s in /, ' after … s in ') : line
}
