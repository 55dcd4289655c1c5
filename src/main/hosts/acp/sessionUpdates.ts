import { type SessionUpdate, methods, type AgentContext } from '@agentclientprotocol/sdk'
import { usedTokens } from '../../../shared/agent/contextUse.ts'
import type { AssistantItem, ConversationItem, NoticeItem, ToolItem } from '../../../shared/agent/conversation.ts'
import { todosOf } from '../../../shared/agent/todos.ts'
import type { EventName, Events } from '../../../shared/bridge/protocol.ts'
import { log } from '../../base/log/log.ts'
import type { Core } from '../../core.ts'
import type { SessionSettings } from './configOptions.ts'
import { toolCallUpdate, type ToolCallContext } from './toolCallUpdates.ts'

/** Maximum characters of output kept for a command whose call is not known yet. */
const maxEarlyOutput = 256 * 1024

interface SessionUpdatesOptions extends ToolCallContext {
  conversationId: string
  settings: SessionSettings
  /** Whether the client shows notices. If not, warnings and errors become part of the message. */
  showsNotices: boolean
}

/** Converts the events of a core to the updates of one session. */
export interface SessionUpdates {
  /** Returns the updates for a core event; none if it belongs to another conversation. */
  of<N extends EventName>(name: N, payload: Events[N]): SessionUpdate[]
  /** Returns the updates that show an earlier conversation from the start. */
  history(items: readonly ConversationItem[]): SessionUpdate[]
  /** Returns the text of the running turn's latest error, and clears it. */
  takeError(): string | undefined
}

export function createSessionUpdates(options: SessionUpdatesOptions): SessionUpdates {
  const { conversationId, showsTerminals, settings } = options
  /** Number of characters sent of each message, and the id of the protocol message that has its text. */
  const sent = new Map<string, { text: number; reasoning: number; message: string }>()
  const knownCalls = new Set<string>()
  const knownNotices = new Set<string>()
  const commands = showsTerminals ? createCommandOutput() : undefined
  let title: string | undefined
  let error: string | undefined

  function assistantUpdates(item: AssistantItem): SessionUpdate[] {
    const before = sent.get(item.id) ?? { text: 0, reasoning: 0, message: item.id }
    // Text that turned out to be reasoning cannot be withdrawn. What follows is another message.
    const isTakenBack = item.text.length < before.text
    const message = isTakenBack ? `${item.id}-answer` : before.message
    sent.set(item.id, { text: item.text.length, reasoning: item.reasoning.length, message })
    return [
      ...(isTakenBack ? [] : chunk('agent_thought_chunk', item.id, item.reasoning.slice(before.reasoning))),
      ...chunk('agent_message_chunk', message, item.text.slice(isTakenBack ? 0 : before.text)),
    ]
  }

  function deltaUpdates({ itemId, text = '', reasoning = '' }: Events['conversation.delta']): SessionUpdate[] {
    const before = sent.get(itemId) ?? { text: 0, reasoning: 0, message: itemId }
    sent.set(itemId, {
      ...before,
      text: before.text + text.length,
      reasoning: before.reasoning + reasoning.length,
    })
    return [...chunk('agent_thought_chunk', itemId, reasoning), ...chunk('agent_message_chunk', before.message, text)]
  }

  function toolUpdates(item: ToolItem): SessionUpdate[] {
    const update = toolCallUpdate(item, options)
    const isNew = !knownCalls.has(item.id)
    knownCalls.add(item.id)
    const todos = item.result?.ok ? todosOf(item.result.view) : undefined
    return [
      // A new call has all fields of an update except null values.
      isNew
        ? { ...(update as ToolCallOf), sessionUpdate: 'tool_call' }
        : { ...update, sessionUpdate: 'tool_call_update' },
      ...(commands?.started(item) ?? []),
      ...(todos
        ? [
            {
              sessionUpdate: 'plan' as const,
              entries: todos.map(({ content, status }) => ({ content, status, priority: 'medium' as const })),
            },
          ]
        : []),
    ]
  }

  function noticeUpdates(item: NoticeItem): SessionUpdate[] {
    if (knownNotices.has(item.id)) return []
    knownNotices.add(item.id)
    // The failed prompt reports an error.
    if (item.level === 'error') error = item.text
    if (options.showsNotices) {
      const [first = '', ...rest] = item.text.split('\n')
      const description = rest.join('\n')
      return [{ sessionUpdate: 'notice', severity: item.level, title: first, ...(description && { description }) }]
    }
    return item.level === 'warning' ? chunk('agent_message_chunk', item.id, `\n\n> ${item.text}\n\n`) : []
  }

  /** @param live whether the client already shows the message, because its user has just sent it */
  function itemUpdates(item: ConversationItem, live: boolean): SessionUpdate[] {
    switch (item.kind) {
      case 'user':
        return live || item.nudge ? [] : chunk('user_message_chunk', item.id, item.text)
      case 'assistant':
        return assistantUpdates(item)
      case 'tool':
        return toolUpdates(item)
      case 'notice':
        return live ? noticeUpdates(item) : []
      default:
        return []
    }
  }

  function infoUpdates(info: Events['conversation.info']): SessionUpdate[] {
    const updates = settings.changeMode(info.mode)
    if (info.title !== title) updates.push({ sessionUpdate: 'session_info_update', title: info.title })
    ;({ title } = info)
    return updates
  }

  const converters: { [N in EventName]?: (payload: Events[N]) => SessionUpdate[] } = {
    'conversation.info': (info) => (info.id === conversationId ? infoUpdates(info) : []),
    'conversation.item': (event) => (event.conversationId === conversationId ? itemUpdates(event.item, true) : []),
    'conversation.delta': (event) => (event.conversationId === conversationId ? deltaUpdates(event) : []),
    'conversation.context': ({ conversationId: id, context }) =>
      id === conversationId ? [{ sessionUpdate: 'usage_update', used: usedTokens(context), size: context.window }] : [],
    'job.output': ({ id, data }) => commands?.output(id, data) ?? [],
    'job.forgotten': ({ id }) => commands?.forget(id) ?? [],
  }

  return {
    of: (name, payload) => converters[name]?.(payload) ?? [],
    history: (items) => items.flatMap((item) => itemUpdates(item, false)),
    takeError() {
      const text = error
      error = undefined
      return text
    },
  }
}

/** Converts command output, which identifies the command but not its call. */
function createCommandOutput() {
  /** Calls by command id. */
  const calls = new Map<string, string>()
  /** Output that arrived before the call was known. */
  const early = new Map<string, string>()

  function output(job: string, data: string): SessionUpdate[] {
    const toolCallId = calls.get(job)
    if (toolCallId === undefined) {
      const before = early.get(job) ?? ''
      if (before.length < maxEarlyOutput) early.set(job, before + data)
      return []
    }
    return [{ sessionUpdate: 'tool_call_update', toolCallId, _meta: { terminal_output: { terminal_id: job, data } } }]
  }

  return {
    output,
    /** Links a command to its call. @returns the output so far */
    started({ id, job }: ToolItem): SessionUpdate[] {
      if (!job || calls.has(job.id)) return []
      calls.set(job.id, id)
      const before = early.get(job.id)
      early.delete(job.id)
      return before === undefined ? [] : output(job.id, before)
    },
    forget(job: string): SessionUpdate[] {
      early.delete(job)
      return []
    },
  }
}

type ToolCallOf = Omit<Extract<SessionUpdate, { sessionUpdate: 'tool_call' }>, 'sessionUpdate'>

function chunk(
  kind: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk',
  messageId: string,
  text: string,
): SessionUpdate[] {
  return text === '' ? [] : [{ sessionUpdate: kind, messageId, content: { type: 'text', text } }]
}

/** Sends an update of a session to the client. */
export function sendUpdate(peer: AgentContext, sessionId: string, update: SessionUpdate): void {
  peer.notify(methods.client.session.update, { sessionId, update }).catch((error: unknown) => {
    // The client may disconnect at any time.
    log.debug('tizona acp: an update could not be sent', error)
  })
}

/** Sends the folder's prompt files, which the client shows as slash commands. */
export async function sendCommands({ handlers }: Core, peer: AgentContext, sessionId: string): Promise<void> {
  const commands = await handlers['prompts.list']({}, new AbortController().signal)
  if (commands.length === 0) return
  const availableCommands = commands.map(({ name, description, hint }) => ({
    name,
    description,
    ...(hint && { input: { hint } }),
  }))
  sendUpdate(peer, sessionId, { sessionUpdate: 'available_commands_update', availableCommands })
}
