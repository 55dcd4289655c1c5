import { ToolError } from '../../shared/errors.ts'
import type { Events } from '../../shared/bridge/protocol.ts'
import type { ToolResult } from '../../shared/tools/tool.ts'
import type { Executor } from '../tools/executorTypes.ts'
import type { Emit } from '../agent/conversation/transcript.ts'
import type { Handlers } from '../core/coreContract.ts'
import { truncate } from '../../shared/text/truncate.ts'

interface ToolHandlerDeps {
  executor: Executor
  emit: Emit
  /** Undoes an edit. @returns the changed paths. @throws ToolError no_workspace, not_found, conflict */
  undoEdit(editId: string): Promise<string[]>
  onUndone(editId: string): void
  /** Shows a notice in the window, or in the next one that attaches. */
  notify(notice: Events['notice']): void
}

export interface ToolHandlers {
  handlers: Pick<Handlers, 'tools.list' | 'tools.call' | 'tools.cancel' | 'edits.undo' | 'results.full'>
  /** Cancels all calls. Resolves when they have ended. */
  stopAll(): Promise<void>
}

/**
 * Handles requests for the tool console, undo of edits, and full results. Like a turn, a call continues when its window
 * reloads.
 */
export function createToolHandlers({ executor, emit, undoEdit, onUndone, notify }: ToolHandlerDeps): ToolHandlers {
  const running = new Map<string, { controller: AbortController; ended: Promise<ToolResult> }>()
  const handlers: ToolHandlers['handlers'] = {
    'tools.list': ({ toolset }) => executor.describeAll(toolset),
    async 'tools.call'({ callId, ...call }, closed) {
      if (running.has(callId))
        throw new ToolError('conflict', 'A call with this id is already running.', 'Use a unique id for each call.')
      const controller = new AbortController()
      const ended = executor.call({
        ...call,
        callId,
        attended: true,
        signal: controller.signal,
        onProgress: (progress) => emit('tool.progress', { callId, progress }),
      })
      running.set(callId, { controller, ended })
      try {
        const result = await ended
        if (closed.aborted && !controller.signal.aborted) notify(lateResult(call.name, result))
        return result
      } finally {
        running.delete(callId)
      }
    },
    'tools.cancel': ({ callId }) => running.get(callId)?.controller.abort(),
    async 'edits.undo'({ editId }) {
      const paths = await undoEdit(editId)
      onUndone(editId)
      return { paths }
    },
    'results.full': ({ callId }) => executor.fullText(callId),
  }
  return {
    handlers,
    async stopAll() {
      const calls = [...running.values()]
      for (const { controller } of calls) controller.abort()
      await Promise.allSettled(calls.map(({ ended }) => ended))
    },
  }
}

/** Returns the notice for a call whose window was reloaded before the call ended. */
function lateResult(tool: string, { ok, text }: ToolResult): Events['notice'] {
  const message = ok
    ? `${tool} has finished. It was called in the console before the window was reloaded.`
    : `${tool} failed. It was called in the console before the window was reloaded.`
  return { level: ok ? 'info' : 'warning', message, detail: truncate(text, 2000) }
}
