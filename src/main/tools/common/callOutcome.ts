import { toFailure, type Failure } from '../../../shared/errors.ts'
import type { ToolResult, ToolView } from '../../../shared/tools/tool.ts'
import type { ToolOutput } from './toolDefinition.ts'

// Notes and errors about calls for the model, independent of the tool.

/** Thrown by a tool that failed or was cancelled halfway. The result still shows what it has done. */
export class PartialFailure extends Error {
  override readonly name = 'PartialFailure'
  /** What was done, as a sentence for the model. Empty if the model does not need to know. */
  readonly done: string
  readonly view: ToolView

  /** @param cause the error that the tool would throw without this */
  constructor(cause: unknown, done: string, view: ToolView) {
    super('A call failed after it had done something.', { cause })
    this.done = done
    this.view = view
  }
}

/**
 * Adds a note about the call above the text. In JSON output the note becomes a field, so that the output still parses.
 */
export function withNote({ text, format }: ToolOutput, note: string): string {
  if (format !== 'json') return `[${note}]\n${text}`
  const value: unknown = JSON.parse(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? JSON.stringify({ ...value, note_on_call: note }, null, 1)
    : text
}

/**
 * Returns the result of a call that threw.
 * @param signal of the call: `cancelled` if it aborted
 * @param note about the call, above the text
 */
export function failedCall(
  thrown: unknown,
  signal: AbortSignal,
  note: string | undefined,
): Pick<ToolResult, 'ok' | 'text' | 'truncated' | 'view'> & { error: Failure } {
  const partial = thrown instanceof PartialFailure ? thrown : undefined
  const error = toCallFailure(partial ? partial.cause : thrown, signal)
  return {
    ok: false,
    text: [note === undefined ? '' : `[${note}]`, failureText(error), partial?.done ?? ''].filter(Boolean).join('\n'),
    truncated: false,
    view: partial?.view ?? { kind: 'text' },
    error,
  }
}

/** Replaces the hint for unexpected errors, which is meant for users. */
function toCallFailure(error: unknown, { aborted }: AbortSignal): Failure {
  if (aborted) return { code: 'cancelled', message: 'The call was cancelled.', next: '' }
  const failure = toFailure(error)
  return failure.code === 'internal'
    ? { ...failure, next: 'This is a bug in Tizona. Try another tool, and report it to the user.' }
    : failure
}

/** Formats an error for a model. */
function failureText(failure: Failure): string {
  return `Error (${failure.code}): ${failure.message}${failure.next ? `\nNext step: ${failure.next}` : ''}`
}
