import type { Features } from '../base/features.ts'
import type { Problem } from '../../shared/language/languageServers.ts'
import type { SyntaxProblem } from '../../shared/tools/tool.ts'
import type { CodeIndex } from '../code/codeIndex.ts'
import type { Documents, WriteOutcome } from '../workspace/documents.ts'
import type { EditErrors } from '../lsp/editErrors.ts'
import type { ToolContext, ToolOutput } from './common/toolDefinition.ts'
import { log } from '../base/log/log.ts'
import { raceTimeout } from '../../shared/async/raceTimeout.ts'

/**
 * Maximum wait for diagnostics in milliseconds. Only matters on busy machines, because the index limits its processor
 * time to much less.
 */
const maxWaitMs = 15_000
/** Maximum delay of a result by language servers, in milliseconds. Later errors are added to a later result. */
const maxServerWaitMs = 300
/** Maximum time of a check by language servers, in milliseconds. Later errors are of no interest. */
const maxServerCheckMs = 15_000
/** Maximum number of files of one call that language servers check. */
const maxCheckedFiles = 10
/** Maximum number of errors in a result. A model fixes the first ones and then reads the file again. */
const maxReportedErrors = 5

/** Errors of files before their first write, by path; missing if unknown. */
export type KnownErrors = ReadonlyMap<string, readonly Problem[] | undefined>

/** A result with the writes of its call. */
interface RecordedWrites {
  writes: readonly WriteOutcome[]
  known: KnownErrors
}

/** Wraps documents so that all writes are recorded, without changes to the tools. */
export function recordWrites(
  documents: Documents,
  errors: Pick<EditErrors, 'known'> = { known: () => undefined },
): { documents: Documents; writes: WriteOutcome[]; known: KnownErrors } {
  const writes: WriteOutcome[] = []
  const known = new Map<string, readonly Problem[] | undefined>()
  async function recorded(path: string, write: () => Promise<WriteOutcome>): Promise<WriteOutcome> {
    const before = errors.known(path)
    const outcome = await write()
    if (!known.has(outcome.path)) known.set(outcome.path, before)
    writes.push(outcome)
    return outcome
  }
  return {
    writes,
    known,
    documents: {
      ...documents,
      edit: (base, ...rest) => recorded(base.path, () => documents.edit(base, ...rest)),
      write: (path, ...rest) => recorded(path, () => documents.write(path, ...rest)),
    },
  }
}

/**
 * Adds errors that the edits of a call introduced to its result: syntax errors, or if there are none, errors of
 * language servers.
 */
export async function withEditErrors(
  output: ToolOutput,
  { writes, known }: RecordedWrites,
  { code, languages }: Pick<ToolContext, 'code' | 'languages'>,
  signal: AbortSignal,
  features: Pick<Features, 'diagnostics' | 'languageServers'>,
  onLate: (problems: SyntaxProblem[]) => void,
): Promise<ToolOutput> {
  const checked = features.diagnostics ? await withDiagnostics(output, writes, code, signal) : output
  if (checked !== output || !features.languageServers) return checked
  return withServerErrors(output, { writes, known }, languages.editErrors, signal, { onLate })
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
  return withProblems(output, problems, 'syntax errors')
}

interface ServerErrorOptions {
  /** Maximum delay of the result in milliseconds. */
  limit?: number
  /** Called with the errors if they come later. */
  onLate(problems: SyntaxProblem[]): void
}

/** Adds new errors that language servers report within `limit` milliseconds. Otherwise the result is unchanged. */
export async function withServerErrors(
  output: ToolOutput,
  { writes, known }: RecordedWrites,
  errors: EditErrors,
  signal: AbortSignal,
  { limit = maxServerWaitMs, onLate }: ServerErrorOptions,
): Promise<ToolOutput> {
  const edits = mergeWritesByFile(writes).slice(0, maxCheckedFiles)
  if (edits.length === 0) return output
  const ending = AbortSignal.any([signal, AbortSignal.timeout(maxServerCheckMs)])
  const checking = Promise.all(
    edits.map(async ({ path, before }): Promise<SyntaxProblem[]> => {
      const introduced = await errors.introduced(path, { before, known: known.get(path) }, ending)
      return introduced.map(({ range, message }) => ({ path, line: range.startLine, message }))
    }),
  ).then(
    (found) => found.flat(),
    (error: unknown) => {
      if (!ending.aborted) log.error('The check by a language server after an edit failed', error)
      return []
    },
  )
  const found = await raceTimeout(checking, limit)
  if (found !== undefined) return withProblems(output, found, 'errors')
  void checking.then((problems) => {
    if (problems.length > 0 && !signal.aborted) onLate(problems)
  })
  return output
}

/**
 * Errors that arrived after the result of their edit, for the next result or user message of the conversation. Each is
 * reported once, unless a later edit has fixed it.
 */
export interface LateErrors {
  add(conversationId: string | undefined, problems: readonly SyntaxProblem[]): void
  /** Adds the errors to a result. */
  addTo(output: ToolOutput, conversationId: string | undefined, known: EditErrors['known']): ToolOutput
  /** Returns the errors once, as a note for the model; undefined if there are none. */
  take(conversationId: string, known: EditErrors['known']): string | undefined
}

export function createLateErrors(): LateErrors {
  const waiting = new Map<string | undefined, SyntaxProblem[]>()

  function take(conversationId: string | undefined, known: EditErrors['known']): SyntaxProblem[] {
    const problems = (waiting.get(conversationId) ?? []).flatMap((problem) => {
      const now = known(problem.path)
      const same = now?.find(({ message }) => message === problem.message)
      if (now === undefined) return [problem]
      return same === undefined ? [] : [{ ...problem, line: same.range.startLine }]
    })
    waiting.delete(conversationId)
    return problems
  }

  return {
    add(conversationId, problems) {
      waiting.set(conversationId, [...(waiting.get(conversationId) ?? []), ...problems])
    },
    addTo(output, conversationId, known) {
      const problems = take(conversationId, known)
      return problems.length === 0 ? output : { ...output, text: appendProblems(output, problems, 'late errors') }
    },
    take(conversationId, known) {
      const problems = take(conversationId, known)
      return problems.length === 0 ? undefined : problemNote(problems, 'late errors')
    },
  }
}

function withProblems(output: ToolOutput, problems: SyntaxProblem[], noun: 'syntax errors' | 'errors'): ToolOutput {
  if (problems.length === 0) return output
  const { view } = output
  return {
    ...output,
    text: appendProblems(output, problems, noun),
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

function appendProblems(
  { text, format }: ToolOutput,
  problems: readonly SyntaxProblem[],
  noun: 'syntax errors' | 'errors' | 'late errors',
): string {
  if (format === 'json') {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return JSON.stringify({ ...value, [noun.replace(' ', '_')]: problemLines(problems) }, null, 2)
  }
  return `${text}\n\n${problemNote(problems, noun)}`
}

function problemLines(problems: readonly SyntaxProblem[]): string[] {
  return problems.slice(0, maxReportedErrors).map(({ path, line, message }) => `${path}:${line}: ${message}`)
}

function problemNote(problems: readonly SyntaxProblem[], noun: 'syntax errors' | 'errors' | 'late errors'): string {
  const more = problems.length > maxReportedErrors ? `\nand ${problems.length - maxReportedErrors} more` : ''
  const head = noun === 'late errors' ? 'An earlier edit caused errors' : `This edit caused ${noun}`
  return `[${head}:\n${problemLines(problems).join('\n')}${more}\nRead these lines and fix them.]`
}
