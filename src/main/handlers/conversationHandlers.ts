import type { Attachment } from '../../shared/agent/attachments.ts'
import { ToolError } from '../../shared/errors.ts'
import type { Agent } from '../agent/agent.ts'
import { diffOf } from '../edit/editRunner.ts'
import type { Images } from '../history/images.ts'
import type { InstructionDeps } from '../instructions/instructionFiles.ts'
import { expandPromptCommand, listPromptCommands } from '../instructions/promptFiles.ts'
import type { FileEncodings } from '../workspace/fileEncodings.ts'
import type { WorkspaceSession } from '../workspaceServices/workspaceSession.ts'
import { earlierItems, latestItems } from './conversationPages.ts'
import type { Handlers } from '../core/coreContract.ts'
import type { MessageCollector, OutgoingMessage } from './messageCollector.ts'

type ConversationRequests = Exclude<Extract<keyof Handlers, `conversations.${string}`>, RestoreRequests>

/**
 * Handles the chat panel's requests about conversations.
 * @param collect reads the attachments of a message; if that fails, the message is not sent
 * @param settingsApplied resolves when earlier setting changes are in effect, because a new conversation starts with
 * them
 */
export function createConversationHandlers(
  agent: Agent,
  collect: MessageCollector,
  settingsApplied: () => Promise<void>,
): Pick<Handlers, ConversationRequests> {
  /** Sends a plain message immediately, and one with attachments once they have been read. */
  function outgoing<T>(
    id: string,
    message: OutgoingMessage,
    signal: AbortSignal,
    send: (attachments: Attachment[]) => T | Promise<T>,
  ): T | Promise<T> {
    const plain = !message.text.includes('@') && !message.images?.length && !message.elements?.length
    return plain ? send([]) : collect(id, message, signal).then(send)
  }

  return {
    'conversations.list': ({ query }) => agent.list(query),
    async 'conversations.create'(options) {
      await settingsApplied()
      return agent.create(options)
    },
    'conversations.open': ({ id, latest }) => latestItems(agent.open(id), latest),
    'conversations.earlier': ({ id, before, count }) => earlierItems(agent.items(id), before, count),
    'conversations.update': ({ id, ...change }) => agent.update(id, change),
    'conversations.delete': ({ id }) => agent.delete(id),
    'conversations.send': ({ id, steer, interrupt = false, ...message }, signal) =>
      outgoing(id, message, signal, (attachments) => {
        const content = { steer, attachments, serverPrompt: message.serverPrompt }
        return interrupt ? agent.stopAndSend(id, message.text, content) : agent.send(id, message.text, content)
      }),
    'conversations.changeQueued': ({ id, messageId, text, steer }) =>
      agent.changeQueued(id, messageId, { ...(text !== undefined && { text }), ...(steer !== undefined && { steer }) }),
    'conversations.unqueue': ({ id, messageId }) => agent.unqueue(id, messageId),
    'conversations.prepareCheckpoint': () => agent.prepareCheckpoint(),
    'conversations.stop': ({ id }) => agent.stop(id),
    'conversations.stopCall': ({ id, itemId }) => agent.stopCall(id, itemId),
    'conversations.retry': ({ id }) => agent.retry(id),
    'conversations.resend': ({ id, itemId, ...message }, signal) =>
      outgoing(id, message, signal, (attachments) =>
        agent.resend(id, itemId, message.text, { attachments, serverPrompt: message.serverPrompt }),
      ),
    'conversations.compact': ({ id }) => agent.compact(id),
    'conversations.continue': ({ id }) => agent.continue(id),
    'conversations.export': ({ id, format }) => agent.export(id, format),
    'conversations.import': ({ text }) => agent.import(text),
  }
}

/**
 * Handles the message composer's requests about images and prompt files.
 * @param instructions returns the dependencies for the open folder; throws ToolError no_workspace
 */
export function createPromptHandlers(
  images: Images,
  instructions: () => InstructionDeps,
): Pick<Handlers, 'images.add' | 'images.read' | 'prompts.list' | 'prompts.expand'> {
  return {
    'images.add': ({ label, data }) => {
      const bytes = Buffer.from(data, 'base64')
      if (bytes.length === 0)
        throw new ToolError('invalid_arguments', `The image "${label}" is empty.`, 'Choose another image.')
      return images.add(label, bytes)
    },
    'images.read': ({ id }) => images.read(id) ?? null,
    'prompts.list': (_, signal) => listPromptCommands(instructions(), signal),
    'prompts.expand': ({ name, args }, signal) => expandPromptCommand(instructions(), name, args, signal),
  }
}

type RestoreRequests = Extract<
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
