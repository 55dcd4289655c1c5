import { toFailure, type Failure } from '../../../shared/errors.ts'
import type { ToolResult, ToolView } from '../../../shared/tools/tool.ts'
import { log } from '../../base/log/log.ts'
import type { ToolOutput, Toolset } from './toolDefinition.ts'

// The outcome of a call, independent of its tool: truncated output, notes and errors for the model.

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
  return withField(text, 'note_on_call', note)
}

/** Adds a field to JSON. What is not an object becomes the field `result` of one. */
export function withField(json: string, name: string, added: string): string {
  const value: unknown = JSON.parse(json)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return JSON.stringify({ ...(isObject ? value : { result: value }), [name]: added }, null, 1)
}

/** Stores the complete text of truncated results. */
export interface FullTexts {
  save(callId: string, text: string): void
  load(callId: string): string | undefined
}

/**
 * Truncates the output of a tool by the rule of its toolset.
 * @param onTruncated called with the full text
 */
export function successfulCall(
  output: ToolOutput,
  toolset: Pick<Toolset, 'truncate'>,
  onTruncated: (text: string) => void,
): Pick<ToolResult, 'ok' | 'text' | 'truncated' | 'droppedBytes' | 'view' | 'format'> {
  const { text, truncated } = output.selfTruncated ? { text: output.text, truncated: false } : toolset.truncate(output)
  const droppedBytes = Buffer.byteLength(output.text) - Buffer.byteLength(text) + (output.missing?.bytes ?? 0)
  if (truncated) onTruncated(output.text)
  return {
    ok: true,
    text,
    truncated,
    ...(truncated && { droppedBytes }),
    view: output.view ?? { kind: output.format === 'json' ? 'json' : 'text' },
    ...(output.format === 'json' && { format: 'json' }),
  }
}

/** Stores the full text of a result. Failing to must not fail a call that has already run. */
export function storeFullText(fullTexts: FullTexts, callId: string, text: string): void {
  try {
    fullTexts.save(callId, text)
  } catch (error) {
    log.error('The full text of a result could not be stored', error)
  }
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
