import type { ToolItem } from '../../../shared/conversation.ts'

export type Comparison = { same: true } | { same: false; line: number; recorded: string; now: string }

/**
 * Returns the first line in which the results of a recorded call and its repetition differ. How long a command took is
 * ignored (tools/common/commandResult.ts): it depends on the machine.
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
