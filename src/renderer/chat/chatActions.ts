import { elementsOf, type Attachment, type ImageAttachment } from '../../shared/agent/attachments.ts'
import type {
  ConversationInfo,
  ListedConversation,
  ModelChoice,
  QueuedMessage,
  UserItem,
} from '../../shared/agent/conversation.ts'
import { initialItemCount } from '../../shared/agent/conversation.ts'
import type { ProfileChoice } from '../../shared/agent/promptProfile.ts'
import type { RequestParams } from '../../shared/bridge/protocol.ts'
import type { Mode, ToolsetName } from '../../shared/tools/risk.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import { request } from '../platform/bridge/bridge.ts'
import { saveSettings } from '../platform/appState.ts'
import { attempt, notifyFailure } from '../platform/notices.ts'
import { sendComments } from '../platform/review/reviewStore.ts'
import { checkCounts, type DraftAttachments } from './composer/draftAttachments.ts'
import { moveDraft } from './draftStorage.ts'
import { mentionParams, unattachedMentions } from './composer/pastedMentions.ts'
import { showConversation, useChat } from '../platform/conversation/chatStore.ts'
import { focusComposer, newDraft } from './chatViewStore.ts'
import { returnToDraft } from './returnToDraft.ts'

/** Stores the folder's files while the user writes a message, so that the first command does not have to wait. */
export function prepareCheckpoint(): void {
  const mode = useChat.getState().info?.mode
  if (mode === 'plan') return
  // The checkpoint itself reports failures.
  request('conversations.prepareCheckpoint', {}).catch(() => undefined)
}

/** Returns the open conversation's id. Creates a conversation if none is open. */
async function ensureConversation(): Promise<string> {
  const shown = useChat.getState().info
  if (shown) return shown.id
  return createConversation()
}

/** Pending creation, shared by concurrent callers so that only one conversation is created. */
let creating: Promise<string> | undefined

function createConversation(): Promise<string> {
  creating ??= createAndShow().finally(() => {
    creating = undefined
  })
  return creating
}

/**
 * Creates a conversation and shows it. Moves a draft that was written without a conversation to it, with its
 * attachments.
 */
async function createAndShow(): Promise<string> {
  await savingDefaults
  const snapshot = await request('conversations.create', {})
  const { id } = snapshot.info
  if (useChat.getState().info === null) moveDraft(newDraft, id)
  showConversation(snapshot)
  return id
}

/**
 * When a message that is sent during a turn is delivered: after the turn, after its current calls, or at once, after
 * stopping the turn.
 */
export type Delivery = 'queue' | 'steer' | 'interrupt'

/**
 * Sends a message. A message sent during a turn is queued until the turn ends, steers it or replaces it. On failure, shows a notice
 * and returns the message to the draft.
 */
export async function send(
  text: string,
  attachments?: Partial<DraftAttachments>,
  delivery: Delivery = 'queue',
): Promise<void> {
  const when = whenOf(delivery)
  await sendOrReturn('The message was not sent', text, attachments, (id) =>
    request('conversations.send', { id, text, ...when, ...attachmentParams(text, attachments) }),
  )
}

/** Returns the request parameters. The turn of another process cannot be stopped from here. */
function whenOf(delivery: Delivery): { steer?: true; interrupt?: true } {
  if (delivery === 'steer') return { steer: true }
  return delivery === 'interrupt' && !useChat.getState().elsewhere ? { interrupt: true } : {}
}

/** Sends the comments on changes, with the user's text, as one message. Fails like `send`. */
export async function sendReviewComments(
  text: string,
  serverPrompt?: string,
  delivery: Delivery = 'queue',
): Promise<void> {
  const prompt = serverPrompt === undefined ? {} : { serverPrompt }
  await sendOrReturn('The comments were not sent', text, prompt, (id) =>
    sendComments(id, text, { ...prompt, ...whenOf(delivery) }),
  )
}

async function sendOrReturn(
  failureTitle: string,
  text: string,
  attachments: Partial<DraftAttachments> | undefined,
  act: (id: string) => Promise<unknown>,
): Promise<void> {
  let id = newDraft
  try {
    id = await ensureConversation()
    await act(id)
  } catch (error) {
    notifyFailure(error, failureTitle)
    returnToDraft(id, text, attachments)
  }
}

/** Builds the request parameters for what a message contains besides its text. */
function attachmentParams(
  text: string,
  { chosen = [], pasted = [], pictures = [], elements = [], serverPrompt }: Partial<DraftAttachments> = {},
) {
  // A message that was returned to a draft brings its own.
  checkCounts({ pictures: pictures.length, elements: elements.length })
  return {
    ...mentionParams(text, chosen, pasted),
    ...(pictures.length > 0 && {
      images: pictures.map(({ id, label, fromPage }) => ({ id, label, ...(fromPage && { fromPage }) })),
    }),
    ...(elements.length > 0 && {
      elements: elements.map(({ id: _id, picture, ...element }) => ({
        ...element,
        ...(picture && { picture: { id: picture.id, label: picture.label } }),
      })),
    }),
    ...(serverPrompt !== undefined && { serverPrompt }),
  }
}

/** Runs an action on the open conversation, if there is one. @param failureTitle title of the notice if it fails */
function withConversation(failureTitle: string, action: (id: string) => Promise<unknown>): void {
  const id = useChat.getState().info?.id
  if (id) attempt(() => action(id), failureTitle)
}

export const stop = () =>
  withConversation('The turn could not be stopped', (id) => request('conversations.stop', { id }))
/** Stops one running call. The turn continues. */
export const stopCall = (itemId: string) =>
  withConversation('The call could not be stopped', (id) => request('conversations.stopCall', { id, itemId }))
export const retry = () =>
  withConversation('The message could not be sent again', (id) => request('conversations.retry', { id }))
export const compact = () =>
  withConversation('The conversation could not be summarized', (id) => request('conversations.compact', { id }))
export const continueTurn = () =>
  withConversation('The turn could not be continued', (id) => request('conversations.continue', { id }))
/** Changes whether a queued message steers the running turn. */
export const steerQueued = (messageId: string, steer: boolean) =>
  withConversation('The message could not be changed', (id) =>
    request('conversations.changeQueued', { id, messageId, steer }),
  )
/** Changes the text of a queued message. If it was already delivered, moves the text to the draft. */
export async function editQueued(conversationId: string, messageId: string, text: string): Promise<void> {
  try {
    await request('conversations.changeQueued', { id: conversationId, messageId, text })
  } catch (error) {
    notifyFailure(error, 'The message could not be changed')
    returnToDraft(conversationId, text)
  }
}
export const unqueue = (messageId: string) =>
  withConversation('The message could not be removed from the queue', (id) =>
    request('conversations.unqueue', { id, messageId }),
  )

/** Sends a message of the queue at once. A running turn is stopped. Fails like `send`. */
export async function sendQueued({ id: messageId, text, attachments, serverPrompt }: QueuedMessage): Promise<void> {
  await request('conversations.unqueue', { id: await ensureConversation(), messageId })
  const content = {
    pasted: unattachedMentions(text, attachments),
    pictures: picturesOf(attachments),
    elements: elementsOf(attachments),
    serverPrompt,
  }
  await send(text, content, useChat.getState().running ? 'interrupt' : 'queue')
}

/**
 * Replaces a message and everything after it with the edited message. Keeps the original pictures. Shows a notice on
 * failure.
 * @returns whether main accepted the message
 */
export async function resend(
  { id: itemId, text: before, attachments, serverPrompt }: UserItem,
  text: string,
): Promise<boolean> {
  const id = useChat.getState().info?.id
  if (id === undefined) return false
  const kept = {
    pasted: unattachedMentions(before, attachments),
    pictures: picturesOf(attachments),
    elements: elementsOf(attachments),
    serverPrompt,
  }
  try {
    await request('conversations.resend', { id, itemId, text, ...attachmentParams(text, kept) })
    return true
  } catch (error) {
    notifyFailure(error, 'The edited message was not sent')
    return false
  }
}

function picturesOf(attachments: readonly Attachment[] = []): ImageAttachment[] {
  return attachments.filter((attachment) => attachment.kind === 'image')
}

/**
 * Starts a conversation. Clears the panel before main responds, so that text typed in the meantime belongs to the new
 * one.
 */
export async function newConversation(): Promise<void> {
  showConversation(null)
  await createConversation()
}

/** Starts a conversation and focuses the message field, unless the user moves the focus in the meantime. */
export async function startConversation(): Promise<void> {
  const focused = document.activeElement
  await newConversation()
  if (document.activeElement === focused || document.activeElement === document.body) focusComposer()
}

export async function openConversation(id: string): Promise<void> {
  showConversation(await request('conversations.open', { id, latest: initialItemCount }))
}

export function listConversations(query: string): Promise<ListedConversation[]> {
  return request('conversations.list', query === '' ? {} : { query })
}

function showInfo(info: ConversationInfo): void {
  if (useChat.getState().info?.id === info.id) useChat.setState({ info })
}

export async function renameConversation(id: string, title: string): Promise<void> {
  showInfo(await request('conversations.update', { id, title }))
}

export async function pinConversation(id: string, pinned: boolean): Promise<void> {
  showInfo(await request('conversations.update', { id, pinned }))
}

export async function deleteConversation(id: string): Promise<void> {
  await request('conversations.delete', { id })
  if (useChat.getState().info?.id === id) showConversation(null)
}

/** The pending change of the defaults for new conversations. */
let savingDefaults: Promise<unknown> = Promise.resolve()

/**
 * Changes the open conversation, or the defaults for new conversations if none is open. Waits for a conversation that
 * is being created, so that a choice made in the meantime is not lost.
 */
async function choose(
  change: Omit<RequestParams<'conversations.update'>, 'id'>,
  defaults: Partial<Settings> | undefined,
): Promise<void> {
  await creating?.catch(() => undefined)
  const shown = useChat.getState().info
  if (shown) return showInfo(await request('conversations.update', { id: shown.id, ...change }))
  if (defaults) await saveDefaults(defaults)
}

function saveDefaults(defaults: Partial<Settings>): Promise<void> {
  const saving = saveSettings(defaults)
  savingDefaults = saving.catch(() => undefined)
  return saving
}

/** Sets the approval mode of the open conversation, or of new conversations if none is open. */
export const setMode = (mode: Mode) => choose({ mode }, { mode })

/** Sets the toolset of the open conversation, or of new conversations if none is open. */
export const setToolset = (toolset: ToolsetName) => choose({ toolset }, { toolset, suggestToolset: false })

/** Sets the prompt profile of the open conversation, or of new conversations if none is open. */
export const setProfile = (profile: ProfileChoice) => choose({ profile }, { profile })

/** Sets the model of the open conversation and of new conversations. */
export async function setModel(model: ModelChoice): Promise<void> {
  await choose({ model }, undefined)
  await saveDefaults({ model })
}

/**
 * Sets the agent to talk to; null for Tizona's own. A conversation cannot change its agent after the first message, so
 * a new one starts.
 */
export async function setAgent(agent: string | null): Promise<void> {
  const { info, items } = useChat.getState()
  if (!info || Object.values(items).some(({ kind }) => kind === 'user')) await newConversation()
  const shown = useChat.getState().info
  if (shown) showInfo(await request('conversations.update', { id: shown.id, agent }))
}
