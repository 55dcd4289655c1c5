import type { ToolItem } from '../../../shared/agent/conversation.ts'

export type Comparison = { same: true } | { same: false; line: number; recorded: string; now: string }

/**
 * Compares the result of a recorded call with that of its repetition and returns the first line that differs. Ignores
 * durations and checkpoint numbers, which differ from run to run.
 */
export function compareResults(
  { result }: Pick<ToolItem, 'result'>,
  again: Pick<ToolItem, 'result'> | undefined,
): Comparison {
  const then = (result?.text ?? '').split('\n')
  const now = (again?.result?.text ?? '(the call was not made)').split('\n')
  const at = Array.from({ length: Math.max(then.length, now.length) }, (_, line) => line).find(
    (line) => withoutVarying(then[line]) !== withoutVarying(now[line]),
  )
  return at === undefined ? { same: true } : { same: false, line: at + 1, recorded: then[at] ?? '', now: now[at] ?? '' }
}

/** Parts of results that differ from run to run, and the start of lines that contain them. */
const varying: readonly (readonly [start: string, pattern: RegExp, fixed: string])[] = [
  ['[', / after [\d,.]{1,20} s\b/, ' after … s'],
  ['', /"elapsed_ms": ?[\d.]{1,20}/, '"elapsed_ms": …'],
  ['', /\bCheckpoint \d{1,20}\b/, 'Checkpoint …'],
]

function withoutVarying(line: string | undefined): string | undefined {
  return varying.reduce(
    (text, [start, pattern, fixed]) => (text?.startsWith(start) ? text.replace(pattern, fixed) : text),
    line,
  )
}
