import { z } from 'zod'
import { request, noParams, path, id, serverPrompt } from '../requestType.ts'
import type { RestorePreview, RestoreResult } from '../review/restore.ts'
import { modes, toolsetNames } from '../tools/risk.ts'
import type { FileDiff } from '../tools/tool.ts'
import { maxElements, maxImageBytes, maxImages, type ImageAttachment } from './attachments.ts'
import {
  exportFormats,
  type ConversationInfo,
  type ConversationSnapshot,
  type EarlierItems,
  type ListedConversation,
} from './conversation.ts'
import { maxMentionLength, maxMentions } from './mentions.ts'
import type { PromptCommand, SuggestedMessage } from './promptCommands.ts'
import { profileChoices } from './promptProfile.ts'

/** Pictures of a message, stored with `images.add`. */
export const sentImages = z
  .array(z.object({ id, label: z.string().max(200), fromPage: z.boolean().optional() }))
  .max(maxImages)

/** A message from the user: text with mentions (mentions.ts), and pictures stored with `images.add`. */
const outgoingMessage = z.object({
  text: z.string().min(1).max(5_000_000),
  /** Mentions that the user picked from the menu. Sending fails if one of them cannot be read. */
  chosen: z.array(z.string().max(maxMentionLength)).max(200).optional(),
  /** Mentions in the text that the user made. All others are plain text, e.g. in pasted code. Default: all. */
  mentions: z.array(z.string().max(maxMentionLength)).max(maxMentions).optional(),
  images: sentImages.optional(),
  /** Elements of a page that the user picked. */
  elements: z
    .array(
      z.object({
        label: z.string().min(1).max(300),
        path: path.optional(),
        line: z.number().int().positive().optional(),
        text: z.string().min(1).max(20_000),
        note: z.string().max(2000),
        /** Picture stored with `images.add`. */
        picture: z.object({ id, label: z.string().max(200) }).optional(),
      }),
    )
    .max(maxElements)
    .optional(),
  serverPrompt,
})

export const conversationRequests = {
  /** Suggests first messages for the open folder. */
  'messages.suggest': request<SuggestedMessage[]>()(() => noParams),
  'conversations.list': request<ListedConversation[]>()(() => z.object({ query: z.string().max(500).optional() })),
  /** `id`: of a conversation that was deleted before its first message, to begin it in another folder. */
  'conversations.create': request<ConversationSnapshot>()(() => z.object({ id: id.optional() })),
  /** `latest`: number of items to return; all by default. The message that began the latest turn is always included. */
  'conversations.open': request<ConversationSnapshot>()(() =>
    z.object({ id, latest: z.number().int().positive().optional() }),
  ),
  /** Returns up to `count` items before the item `before`. */
  'conversations.earlier': request<EarlierItems>()(() =>
    z.object({ id, before: id, count: z.number().int().positive() }),
  ),
  'conversations.update': request<ConversationInfo>()(() =>
    z.object({
      id,
      title: z.string().min(1).max(200).optional(),
      mode: z.enum(modes).optional(),
      toolset: z.enum(toolsetNames).optional(),
      model: z.object({ endpointId: z.string(), model: z.string() }).optional(),
      profile: z.enum(profileChoices).optional(),
      /** Agent that answers; null for Tizona's own. @throws conflict after the first message */
      agent: id.nullable().optional(),
      pinned: z.boolean().optional(),
    }),
  ),
  'conversations.delete': request<void>()(() => z.object({ id })),
  /**
   * Starts a turn. If one is running, queues the message until its end or, with `steer`, until its current calls end.
   * With `interrupt`, stops the running turn first.
   */
  'conversations.send': request<{ queued: boolean }>()(() =>
    outgoingMessage.extend({ id, steer: z.boolean().optional(), interrupt: z.boolean().optional() }),
  ),
  /** Changes the text or delivery of a queued message. @throws not_found if it is no longer queued */
  'conversations.changeQueued': request<void>()(() =>
    z.object({ id, messageId: id, text: z.string().min(1).max(5_000_000).optional(), steer: z.boolean().optional() }),
  ),
  'conversations.unqueue': request<void>()(() => z.object({ id, messageId: id })),
  /**
   * Stores the folder's files for the first checkpoint, once, while the user writes a message. Returns before it is
   * done.
   */
  'conversations.prepareCheckpoint': request<void>()(() => noParams),
  'conversations.stop': request<void>()(() => z.object({ id })),
  /** Stops one running call. The turn goes on. */
  'conversations.stopCall': request<void>()(() => z.object({ id, itemId: id })),
  /** Sends the last user message again and removes the items after it. */
  'conversations.retry': request<void>()(() => z.object({ id })),
  /** Changes the text of an earlier user message, removes the items after it and sends it again. */
  'conversations.resend': request<void>()(() => outgoingMessage.extend({ id, itemId: id })),
  /** Summarizes the conversation to free context. Runs as a turn. */
  'conversations.compact': request<void>()(() => z.object({ id })),
  /** Continues after the turn limit or a stop. */
  'conversations.continue': request<void>()(() => z.object({ id })),
  /** Computes the effect of `conversations.restore` for a user message. */
  'conversations.restorePreview': request<RestorePreview>()(() => z.object({ id, itemId: id })),
  /** Compares a file with a checkpoint. */
  'conversations.restoreDiff': request<FileDiff>()(() => z.object({ checkpoint: z.number().int(), path })),
  /** Restores files, the conversation or both to their state before the message was sent. Can be undone. */
  'conversations.restore': request<RestoreResult>()(() =>
    z.object({ id, itemId: id, files: z.boolean(), conversation: z.boolean() }),
  ),
  /** Undoes the restore that a notice reports. */
  'conversations.undoRestore': request<RestoreResult>()(() => z.object({ id, itemId: id })),
  /**
   * Copies a conversation up to and including an item. A user message is excluded and returned as text for the
   * composer.
   */
  'conversations.fork': request<{ conversation: ConversationSnapshot; text: string }>()(() =>
    z.object({ id, itemId: id.optional() }),
  ),
  /** Returns the name and content of an export file. */
  'conversations.export': request<{ name: string; text: string }>()(() =>
    z.object({ id, format: z.enum(exportFormats) }),
  ),
  /** Imports a conversation that was exported as JSON. */
  'conversations.import': request<ConversationSnapshot>()(() => z.object({ text: z.string().max(50_000_000) })),
  /** Stores a picture for a message. `data`: the bytes in base64. */
  'images.add': request<ImageAttachment>()(() =>
    z.object({ label: z.string().min(1).max(200), data: z.string().max(Math.ceil(maxImageBytes / 3) * 4) }),
  ),
  /** Returns the bytes in base64; null if the picture is no longer stored. */
  'images.read': request<{ mimeType: string; base64: string } | null>()(() => z.object({ id })),
  /** Lists slash commands defined by prompt files. */
  'prompts.list': request<PromptCommand[]>()(() => noParams),
  /** Inserts the arguments into the prompt of a slash command. */
  'prompts.expand': request<string>()(() =>
    z.object({ name: z.string().min(1).max(100), args: z.string().max(100_000) }),
  ),
  /** Returns the full text of a truncated result. */
  'results.full': request<string>()(() => z.object({ callId: id })),
} as const
