import { ToolError } from '../../shared/errors.ts'
import type { Agent } from '../agent/agent.ts'
import { diffOf } from '../edit/editRunner.ts'
import type { FileEncodings } from '../workspace/fileEncodings.ts'
import type { WorkspaceSession } from '../workspaceServices/workspaceSession.ts'
import type { Handlers } from './handlers.ts'

export type RestoreRequests = Extract<
  keyof Handlers,
  `conversations.restore${string}` | 'conversations.undoRestore' | 'conversations.fork'
>

/** Handles requests to restore a conversation and its files to an earlier message, and to fork a conversation. */
export function createRestoreHandlers(
  { rewind, open }: Agent,
  session: () => WorkspaceSession,
): Pick<Handlers, RestoreRequests> {
  return {
    async 'conversations.restorePreview'({ id, itemId }, signal) {
      const { buffers, jobs } = session()
      const preview = await rewind.preview(id, itemId, signal)
      const changed = new Set(preview.changes.map(({ path }) => path))
      const unsaved = buffers
        .list()
        .filter(({ path, dirty }) => dirty && changed.has(path))
        .map(({ path }) => path)
      return {
        ...preview,
        unsaved,
        jobs: jobs
          .list()
          .filter(({ kind, state }) => kind === 'command' && (state === 'running' || state === 'waiting_for_input')),
      }
    },
    async 'conversations.restoreDiff'({ checkpoint, path }, signal) {
      const { checkpoints, documents, encodings } = session()
      const before = await checkpoints.fileAt(checkpoint, path)
      const now = await documents.read(path).then(
        ({ text }) => text,
        (error: unknown) => {
          // The file was deleted or is not a text file.
          if (error instanceof ToolError) return null
          throw error
        },
      )
      return diffOf(path, before && textOf(encodings, before, path), now, signal)
    },
    'conversations.restore': ({ id, itemId, files, conversation }, signal) =>
      rewind.restore(id, itemId, { files, conversation }, signal),
    'conversations.undoRestore': ({ id, itemId }, signal) => rewind.undo(id, itemId, signal),
    'conversations.fork'({ id, itemId }) {
      const { info, text } = rewind.fork(id, itemId)
      return { conversation: open(info.id), text }
    },
  }
}

/** Returns stored content as text, or '' for binary content. */
function textOf(encodings: FileEncodings, content: Buffer, path: string): string {
  try {
    return encodings.decode(content, path).text
  } catch (error) {
    if (error instanceof ToolError) return ''
    throw error
  }
}
