import type { SyntaxProblem } from '../../shared/tool.ts'
import type { CodeIndex } from '../code/index/codeIndex.ts'
import type { Documents, WriteOutcome } from '../workspace/documents.ts'
import type { ToolOutput } from './toolDefinition.ts'
import { log } from '../base/log/log.ts'

/**
 * Maximum wait for diagnostics in milliseconds. The index limits its processor time to much less; this is for busy
 * machines.
 */
const maxWaitMs = 15_000
/** Maximum number of errors in a result. A model fixes the first ones and then reads the file again. */
const maxReportedErrors = 5

/** Wraps documents so that all writes are recorded, without changes to the tools. */
export function recordWrites(documents: Documents): { documents: Documents; writes: WriteOutcome[] } {
  const writes: WriteOutcome[] = []
  const remember = (outcome: WriteOutcome): WriteOutcome => {
    writes.push(outcome)
    return outcome
  }
  return {
    writes,
    documents: {
      ...documents,
      edit: async (...args) => remember(await documents.edit(...args)),
      write: async (...args) => remember(await documents.write(...args)),
    },
  }
}

/**
 * Adds new syntax errors caused by the edits to a result, in its text and view. The result is unchanged if there are
 * none, the language is unknown, the check takes longer than `limit` milliseconds, or the call is cancelled.
 */
export async function withDiagnostics(
  output: ToolOutput,
  writes: readonly WriteOutcome[],
  code: Pick<CodeIndex, 'newSyntaxErrors'>,
  signal: AbortSignal,
  limit = maxWaitMs,
): Promise<ToolOutput> {
  const edits = mergeWritesByFile(writes)
  if (edits.length === 0) return output
  const tooLong = AbortSignal.timeout(limit)
  let problems: SyntaxProblem[]
  try {
    problems = await code.newSyntaxErrors(edits, AbortSignal.any([signal, tooLong]))
  } catch (error) {
    // The edit is already done, so a failed check must not fail or cancel the call.
    if (!tooLong.aborted && !signal.aborted) log.error('The syntax check after an edit failed', error)
    return output
  }
  if (problems.length === 0) return output
  const { view } = output
  return {
    ...output,
    text: appendProblems(output, problems),
    ...(view?.kind === 'diff' && { view: { ...view, problems } }),
  }
}

/** Merges several writes of a file into one, from its first text to its last. */
function mergeWritesByFile(writes: readonly WriteOutcome[]): { path: string; before: string | null; after: string }[] {
  const byPath = Map.groupBy(writes, ({ path }) => path)
  return [...byPath].flatMap(([path, all]) => {
    const [first, last] = [all[0], all.at(-1)]
    return first && last ? [{ path, before: first.before, after: last.after }] : []
  })
}

function appendProblems({ text, format }: ToolOutput, problems: readonly SyntaxProblem[]): string {
  const shown = problems.slice(0, maxReportedErrors).map(({ path, line, message }) => `${path}:${line}: ${message}`)
  if (format === 'json') {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return JSON.stringify({ ...value, syntax_errors: shown }, null, 2)
  }
  const more = problems.length > maxReportedErrors ? `\nand ${problems.length - maxReportedErrors} more` : ''
  return `${text}\n\n[This edit caused syntax errors:\n${shown.join('\n')}${more}\nRead these lines and fix them.]`
}
