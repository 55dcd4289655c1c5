import { ToolError } from '../../shared/errors.ts'
import type { EditJournal } from '../history/editJournal.ts'
import type { Executor } from '../tools/executor.ts'
import type { Emit } from '../agent/transcript.ts'
import type { Handlers } from './handlers.ts'

interface ToolHandlerParts {
  executor: Executor
  emit: Emit
  /** The open workspace's journal. Throws `no_workspace`. */
  journal(): EditJournal
  onUndone(editId: string): void
}

/** The tool console, undo of an edit, and results shown whole. */
export function createToolHandlers({ executor, emit, journal, onUndone }: ToolHandlerParts): Pick<Handlers, 'tools.list' | 'tools.call' | 'tools.cancel' | 'edits.undo' | 'results.full'> {
  const running = new Map<string, AbortController>()
  return {
    'tools.list': ({ toolset }) => executor.describe(toolset),
    async 'tools.call'({ callId, ...call }, closed) {
      if (running.has(callId)) throw new ToolError('conflict', 'A call with this id is under way.', 'Give each call an id of its own.')
      const controller = new AbortController()
      running.set(callId, controller)
      try {
        return await executor.call({
          ...call,
          callId,
          attended: true,
          signal: AbortSignal.any([controller.signal, closed]),
          onProgress: (progress) => emit('tool.progress', { callId, progress }),
        })
      } finally {
        running.delete(callId)
      }
    },
    'tools.cancel': ({ callId }) => running.get(callId)?.abort(),
    async 'edits.undo'({ editId }) {
      const paths = await journal().undo(editId)
      onUndone(editId)
      return { paths }
    },
    'results.full': ({ callId }) => executor.fullText(callId),
  }
}
