/** Every way a tool call can fail. A test exists for each code that a tool documents. */
export const toolErrorCodes = [
  'unknown_tool',
  'invalid_arguments',
  'invalid_path',
  'outside_workspace',
  'no_workspace',
  'not_found',
  'already_exists',
  'is_directory',
  'not_a_directory',
  'not_empty',
  'permission_denied',
  'no_space',
  'io_error',
  'too_large',
  'binary_file',
  'invalid_encoding',
  'out_of_range',
  'no_match',
  'ambiguous_match',
  'overlapping_patches',
  'no_change',
  'unsaved_changes',
  'changed_on_disk',
  'invalid_pattern',
  'timeout',
  'cancelled',
  'no_window',
  'no_active_editor',
  'no_selection',
  'unknown_job',
  'command_not_found',
  'refused',
  'approval_required',
  'not_in_plan_mode',
  'conflict',
  'address_refused',
  'network_error',
  'switched_off',
  'server_error',
  'internal',
] as const
export type ToolErrorCode = (typeof toolErrorCodes)[number]

/** A failure as it travels: to the model, to the panel, into the conversation. */
export interface Failure {
  code: ToolErrorCode
  /** What went wrong and why, one or two sentences. */
  message: string
  /** The next step to try. Empty only where there is none. */
  next: string
}

/**
 * A failure that was foreseen. Services and tools throw it; anything else that is thrown is a bug and is reported as
 * `internal`.
 */
export class ToolError extends Error {
  override readonly name = 'ToolError'
  readonly code: ToolErrorCode
  readonly next: string

  constructor(code: ToolErrorCode, message: string, next = '', options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
    this.next = next
  }

  toFailure(): Failure {
    return { code: this.code, message: this.message, next: this.next }
  }
}

/** Any thrown value as a `Failure`; an abort becomes `cancelled`, the unforeseen `internal`. */
export function toFailure(error: unknown): Failure {
  if (error instanceof ToolError) return error.toFailure()
  if (isAbort(error)) return { code: 'cancelled', message: 'The call was cancelled.', next: '' }
  const message = error instanceof Error ? error.message : String(error)
  return {
    code: 'internal',
    message: `An unforeseen error inside Tizona: ${message}`,
    next: 'This is a bug in Tizona: please report it.',
  }
}

/** Whether a thrown value is what an `AbortSignal` throws. */
export function isAbort(error: unknown): boolean {
  return (
    error instanceof Error &&
    (error.name === 'AbortError' || (error instanceof ToolError && error.code === 'cancelled'))
  )
}
