/** Error codes of tool calls. A test exercises every code that a tool documents. */
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
  'untrusted_folder',
  'conflict',
  'address_refused',
  'network_error',
  'switched_off',
  'server_error',
  'internal',
] as const
export type ToolErrorCode = (typeof toolErrorCodes)[number]

/** A failure as plain data, for the model, the panel and the stored conversation. */
export interface Failure {
  code: ToolErrorCode
  /** What failed and why, in one or two sentences. */
  message: string
  /** What to do next. Empty if there is nothing to suggest. */
  next: string
  /** Why it failed, if the window offers a matching next step, e.g. a `GitFailureReason`. */
  reason?: string
  /** Output of the failed program. */
  detail?: string
}

/** An expected failure, thrown by services and tools. Any other error is a bug and is reported as `internal`. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
  readonly code: ToolErrorCode
  readonly next: string
  readonly reason: string | undefined
  readonly detail: string | undefined

  constructor(
    code: ToolErrorCode,
    message: string,
    next = '',
    { cause, reason, detail }: { cause?: unknown } & Pick<Failure, 'reason' | 'detail'> = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.next = next
    this.reason = reason
    this.detail = detail
  }

  toFailure(): Failure {
    const { code, message, next, reason, detail } = this
    return { code, message, next, ...(reason !== undefined && { reason }), ...(detail !== undefined && { detail }) }
  }
}

/** Prefix of messages about unexpected errors. */
export const unexpectedErrorPrefix = 'Unexpected error in Tizona: '

/** Converts a thrown value to a `Failure`. Aborts become `cancelled`, unexpected errors `internal`. */
export function toFailure(error: unknown): Failure {
  if (error instanceof ToolError) return error.toFailure()
  if (isAbort(error)) return { code: 'cancelled', message: 'The call was cancelled.', next: '' }
  const message = error instanceof Error ? error.message : String(error)
  return {
    code: 'internal',
    message: `${unexpectedErrorPrefix}${message}`,
    next: 'This is a bug in Tizona. Please report it.',
  }
}

/** Rewords a failure for the user, because the next step of many failures is addressed to the model. */
export function failureForUser<T extends Failure>(failure: T): T {
  const next = failure.next
    .replace(/(^|[.] )ask the user (?:to|for) (\w)/gi, (phrase, before: string, letter: string) =>
      phrase.includes(' for ') ? `${before}Use ${letter}` : before + letter.toUpperCase(),
    )
    .replace(/\bask the user to /g, '')
  return next === failure.next ? failure : { ...failure, next }
}

/** Whether a thrown value means that the operation was aborted. */
export function isAbort(error: unknown): boolean {
  return (
    error instanceof Error &&
    (error.name === 'AbortError' || (error instanceof ToolError && error.code === 'cancelled'))
  )
}
