import { toFailure, type Failure } from '../../shared/errors.ts'
import type { ToolOutput } from './toolDefinition.ts'

// Texts about a call itself, independent of its tool: notes and errors for the model.

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
 * Converts an error to a failure for a model: `cancelled` if the signal aborted. Replaces the hint for unexpected
 * errors, which is meant for users.
 */
export function toCallFailure(error: unknown, { aborted }: AbortSignal): Failure {
  if (aborted) return { code: 'cancelled', message: 'The call was cancelled.', next: '' }
  const failure = toFailure(error)
  return failure.code === 'internal'
    ? { ...failure, next: 'This is a bug in Tizona. Try another tool, and report it to the user.' }
    : failure
}

/** Formats an error for a model. */
export function failureText(failure: Failure): string {
  return `Error (${failure.code}): ${failure.message}${failure.next ? `\nNext step: ${failure.next}` : ''}`
}
