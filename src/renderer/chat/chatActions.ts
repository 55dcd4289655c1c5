import type { Attachment, ImageAttachment } from '../../shared/attachments.ts'
import type {
  ConversationInfo,
  ListedConversation,
  ModelChoice,
  QueuedMessage,
  UserItem,
} from '../../shared/conversation.ts'
import type { ProfileChoice } from '../../shared/promptProfile.ts'
import type { Mode, ToolsetName } from '../../shared/risk.ts'
import { request } from '../platform/bridge/bridge.ts'
import { saveSettings } from '../platform/appState.ts'
import { attempt, notifyFailure } from '../platform/notices.ts'
import type { DraftAttachments } from './composer/draftAttachments.ts'
import { showConversation, useChat } from '../platform/conversation/chatStore.ts'
import { newDraft, setDraft, useChatView } from './chatViewStore.ts'

async function currentId(): Promise<string> {
  const shown = useChat.getState().info
  if (shown) return shown.id
  return createConversation()
}

/** The conversation that is being made: a message sent in this moment is for it, and no second one is made. */
let making: Promise<string> | undefined

function createConversation(): Promise<string> {
  making ??= makeConversation().finally(() => {
    making = undefined
  })
  return making
}

/** Begins a conversation and shows it. What was written while none was shown, also in this moment, is its draft. */
async function makeConversation(): Promise<string> {
  const snapshot = await request('conversations.create', {})
  const { id } = snapshot.info
  const { drafts } = useChatView.getState()
  if (useChat.getState().info === null && drafts[newDraft]) {
    setDraft(id, drafts[newDraft])
    setDraft(newDraft, '')
  }
  showConversation(snapshot)
  return id
}

/** Starts a turn. While one runs the message waits for its end, or steers it. @returns whether main took it; a failure is shown. */
export async function send(text: string, carried?: Partial<DraftAttachments>, steer = false): Promise<boolean> {
  try {
    await request('conversations.send', {
      id: await currentId(),
      text,
      ...(steer && { steer }),
      ...asSent(text, carried),
    })
    return true
  } catch (error) {
    notifyFailure(error, 'The message was not sent')
    return false
  }
}

/** What a message carries, without mentions that were deleted from its text. */
function asSent(text: string, { chosen = [], pictures = [] }: Partial<DraftAttachments> = {}) {
  const mentions = chosen.filter((mention) => text.includes(mention))
  return {
    ...(mentions.length > 0 && { chosen: mentions }),
    ...(pictures.length > 0 && { images: pictures.map(({ id, label }) => ({ id, label })) }),
  }
}

function withConversation(what: string, action: (id: string) => Promise<unknown>): void {
  const id = useChat.getState().info?.id
  if (id) attempt(() => action(id), what)
}

export const stop = () =>
  withConversation('The turn could not be stopped', (id) => request('conversations.stop', { id }))
export const retry = () =>
  withConversation('The message could not be sent again', (id) => request('conversations.retry', { id }))
export const compact = () =>
  withConversation('The conversation could not be summarised', (id) => request('conversations.compact', { id }))
export const continueTurn = () =>
  withConversation('The turn could not go on', (id) => request('conversations.continue', { id }))
/** Another text for a message that waits, or another time to deliver it. */
export const changeQueued = (messageId: string, change: { text?: string; steer?: boolean }) =>
  withConversation('The message could not be changed', (id) =>
    request('conversations.changeQueued', { id, messageId, ...change }),
  )
export const unqueue = (messageId: string) =>
  withConversation('The message could not be taken back', (id) => request('conversations.unqueue', { id, messageId }))

/** Sends a message that was left waiting when a turn was stopped. What main does not take goes before what is being written. */
export async function sendQueued({ id: messageId, text, attachments }: QueuedMessage): Promise<void> {
  const id = await currentId()
  await request('conversations.unqueue', { id, messageId })
  if (await send(text, { pictures: picturesOf(attachments) })) return
  setDraft(id, [text, useChatView.getState().drafts[id]].filter(Boolean).join('\n'))
}

/** Sends an edited message again, with the pictures it had. */
export const resend = ({ id: itemId, attachments }: UserItem, text: string) =>
  withConversation('The edited message was not sent', (id) =>
    request('conversations.resend', { id, itemId, text, ...asSent(text, { pictures: picturesOf(attachments) }) }),
  )

function picturesOf(attachments: readonly Attachment[] = []): ImageAttachment[] {
  return attachments.filter((attachment) => attachment.kind === 'image')
}

/** Leaves the conversation that is shown at once: what is typed from now on is for the new one. */
export async function newConversation(): Promise<void> {
  showConversation(null)
  await createConversation()
}

export async function openConversation(id: string): Promise<void> {
  showConversation(await request('conversations.open', { id }))
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

/** For this conversation; without one, for those to come. */
export async function setMode(mode: Mode): Promise<void> {
  const shown = useChat.getState().info
  if (shown) showInfo(await request('conversations.update', { id: shown.id, mode }))
  else await saveSettings({ mode })
}

/** For this conversation; without one, for those to come. */
export async function setToolset(toolset: ToolsetName): Promise<void> {
  const shown = useChat.getState().info
  if (shown) showInfo(await request('conversations.update', { id: shown.id, toolset }))
  else await saveSettings({ toolset, suggestToolset: false })
}

/** For this conversation; without one, for those to come. */
export async function setProfile(profile: ProfileChoice): Promise<void> {
  const shown = useChat.getState().info
  if (shown) showInfo(await request('conversations.update', { id: shown.id, profile }))
  else await saveSettings({ profile })
}

/** For this conversation and those to come. */
export async function setModel(model: ModelChoice): Promise<void> {
  const shown = useChat.getState().info
  if (shown) showInfo(await request('conversations.update', { id: shown.id, model }))
  await saveSettings({ model })
}

export function openExternal(url: string): void {
  attempt(() => request('app.openExternal', { url }), 'The link could not be opened')
}
