import { z } from 'zod'
import type { windowMessageSchema } from '../../shared/bridge/protocol.ts'
import type { EditorRequestName, EditorRequests } from '../../shared/editor/editorRequests.ts'
import { ToolError, toolErrorCodes, type ToolErrorCode } from '../../shared/errors.ts'

interface PendingRequest {
  method: EditorRequestName
  resolve(result: unknown): void
  reject(error: unknown): void
}

type Answer = Extract<z.output<typeof windowMessageSchema>, { kind: 'answer' }>

/** Requests from the main process to the window that await a response. */
export interface WindowRequests {
  /**
   * Sends a request and resolves with its validated response.
   * @param send sends the request with its id; returns the error if the transport cannot send it, or null
   */
  ask<N extends EditorRequestName>(
    method: N,
    send: (id: number) => unknown,
    signal?: AbortSignal,
  ): Promise<EditorRequests[N]['result']>
  /** Handles a response from the window. Ignores an unknown id. */
  settle(answer: Answer): void
  /** Fails all pending requests with `no_window`. */
  rejectAll(): void
}

export function createWindowRequests(): WindowRequests {
  const pending = new Map<number, PendingRequest>()
  let nextId = 1

  return {
    ask: (method, send, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) return reject(signal.reason)
        const id = nextId++
        const finish = (): void => {
          pending.delete(id)
          signal?.removeEventListener('abort', onAbort)
        }
        const fail = (error: unknown): void => {
          finish()
          reject(error)
        }
        const onAbort = (): void => fail(signal?.reason)
        signal?.addEventListener('abort', onAbort, { once: true })
        pending.set(id, {
          method,
          resolve(result) {
            finish()
            // `settle` has parsed the result with `answerSchemas[method]`.
            resolve(result as EditorRequests[typeof method]['result'])
          },
          reject: fail,
        })
        const failure = send(id)
        if (failure !== null) fail(failure)
      }),

    settle(answer) {
      const request = pending.get(answer.id)
      if (request === undefined) return
      if (!answer.ok) return request.reject(toToolError(answer.error))
      const result = answerSchemas[request.method].safeParse(answer.result)
      if (result.success) request.resolve(result.data)
      else
        request.reject(
          new ToolError(
            'internal',
            `The window sent an invalid response to ${request.method}: ${z.prettifyError(result.error)}`,
            'This is a bug in Tizona. Please report it.',
          ),
        )
    },

    rejectAll() {
      for (const request of pending.values()) request.reject(windowClosedError())
    },
  }
}

/** The error for a request to a window that was closed or replaced. */
export function windowClosedError(): ToolError {
  return new ToolError(
    'no_window',
    'The window that shows the workspace was closed or replaced.',
    'Use the file tools instead, or ask the user to open the window.',
  )
}

function toToolError(failure: { code: string; message: string; next: string } | undefined): ToolError {
  if (failure === undefined)
    return new ToolError('internal', 'The window refused the request without a reason.', 'Try again.')
  return new ToolError(isToolErrorCode(failure.code) ? failure.code : 'internal', failure.message, failure.next)
}

function isToolErrorCode(code: string): code is ToolErrorCode {
  return (toolErrorCodes as readonly string[]).includes(code)
}

const line = z.number().int().positive()
const lineOrNull = line.nullable()

const location = z.object({ path: z.string(), line, column: line })
const range = { path: z.string(), startLine: line, startColumn: line, endLine: line, endColumn: line }
const change = z.object({ ...range, replaced: z.string(), dirty: z.boolean() })

/**
 * Schemas for the window's responses to editor requests. The main process validates them because it does not trust the
 * window.
 */
export const answerSchemas: { [N in EditorRequestName]: z.ZodType<EditorRequests[N]['result']> } = {
  'editor.state': z.object({
    active_file: z.string().nullable(),
    open_files: z.array(z.string()),
    active_tab_index: z.number().int().nonnegative().nullable(),
    cursor_line: lineOrNull,
    cursor_column: lineOrNull,
    selection_start_line: lineOrNull,
    selection_end_line: lineOrNull,
  }),
  'editor.open': location,
  'editor.show': z.object({ path: z.string() }),
  'editor.goto': location,
  'editor.selection': z.object({ ...range, text: z.string() }),
  'editor.replaceSelection': change,
  'editor.insertAtCursor': change,
  'editor.problems': z.object({
    problems: z
      .array(
        z.object({
          path: z.string(),
          line,
          column: line,
          severity: z.enum(['error', 'warning']),
          message: z.string().max(10_000),
        }),
      )
      .max(200),
  }),
  'editor.buffer': z.object({ text: z.string(), dirty: z.boolean() }).nullable(),
  'editor.applyText': z.object({
    applied: z.boolean(),
    merged: z.object({ before: z.string(), after: z.string() }).optional(),
  }),
}
