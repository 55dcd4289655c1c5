import type { ConversationItem, NoticeItem, UserItem } from '../../shared/agent/conversation.ts'
import type { HookCaller, HookOutcome, HookRequest, Hooks } from '../hooks/hooks.ts'
import { noticeItem } from './conversation/items.ts'
import type { Transcript } from './conversation/transcript.ts'

/** Hooks of the folder around the messages and the end of a turn. Those around calls belong to the executor. */
export interface TurnHooks {
  /**
   * Runs the hooks for messages that were not sent yet. A message that one refuses is removed from the conversation,
   * and a notice keeps its text for the user.
   * @returns whether a message is left
   */
  checkMessages(): Promise<boolean>
  /** Runs the hooks at the end of a turn. @returns the reason to continue, for the model */
  beforeEnd(): Promise<string | undefined>
}

interface TurnHooksDeps {
  hooks: Pick<Hooks, 'run' | 'reactTo'> | undefined
  transcript: Transcript
  conversationId: string
  /** Returns where the turn comes from, and its mode. */
  caller(): HookCaller
  signal: AbortSignal
  /** Whether a sub-agent runs, whose prompt is not a message of the user. */
  isSubAgent?: boolean
}

/** Maximum number of times that hooks continue a turn. */
const maxContinued = 3

/**
 * Conversations whose start the hooks of this process have seen, by the hooks of their folder, each with the text that
 * no message has carried yet.
 */
const startedConversations = new WeakMap<object, Map<string, string[]>>()

export function createTurnHooks({
  hooks,
  transcript,
  conversationId,
  caller,
  signal,
  isSubAgent = false,
}: TurnHooksDeps): TurnHooks {
  let continued = 0

  async function run(request: Omit<HookRequest, 'conversationId' | 'caller'>): Promise<HookOutcome | undefined> {
    if (hooks === undefined || !(await hooks.reactTo(request.event))) return undefined
    transcript.note('Running hooks…')
    try {
      return await hooks.run({ ...request, conversationId, caller: caller() }, signal)
    } finally {
      transcript.note(undefined)
    }
  }

  /** Runs the hooks at the start of a conversation, or when this process continues one. @returns why the turn ends */
  async function start(texts: Map<string, string[]>): Promise<string | undefined> {
    if (hooks === undefined || isSubAgent || texts.has(conversationId)) return undefined
    const source = transcript.items().some(({ kind }) => kind === 'assistant') ? 'resume' : 'startup'
    const outcome = await run({ event: 'SessionStart', names: [source], fields: { source } })
    notify(outcome, transcript)
    // Without a mark, the hooks run again with the next message.
    if (outcome?.endTurn === undefined) texts.set(conversationId, outcome?.context ?? [])
    return outcome?.endTurn
  }

  return {
    async checkMessages() {
      const texts = (hooks && startedConversations.get(hooks)) ?? new Map<string, string[]>()
      if (hooks) startedConversations.set(hooks, texts)
      const endedAtStart = await start(texts)
      const atStart = texts.get(conversationId) ?? []
      const fresh = unsentMessages(transcript.items())
      const passed = new Map<string, UserItem>()
      const refused: UserItem[] = []
      const notices: NoticeItem[] = []
      for (const item of fresh) {
        const prompt = { event: 'UserPromptSubmit', names: [], fields: { prompt: item.text } } as const
        const outcome = endedAtStart === undefined ? await run(prompt) : undefined
        const { blocked, context = [], endTurn = endedAtStart } = outcome ?? {}
        notify(outcome, transcript)
        if (blocked !== undefined || endTurn !== undefined) {
          refused.push(item)
          const text = `Your message was not sent to the model. ${blocked ?? endTurn}\n\nYour message:\n${item.text}`
          notices.push(noticeItem('warning', text))
          continue
        }
        const text = [...(passed.size === 0 ? atStart : []), ...context].join('\n\n')
        if (outcome !== undefined || text !== '')
          passed.set(item.id, { ...item, hooked: true, ...(text !== '' && { hookContext: text }) })
      }
      replaceMessages(transcript, passed, refused)
      if (passed.size > 0 && atStart.length > 0) texts.set(conversationId, [])
      for (const notice of notices) transcript.put(notice)
      if (fresh.length > 0) return fresh.length > refused.length
      if (endedAtStart !== undefined) transcript.put(noticeItem('warning', endedAtStart))
      return endedAtStart === undefined
    },
    async beforeEnd() {
      const answer = transcript.items().findLast(({ kind }) => kind === 'assistant')
      const outcome = await run({
        event: isSubAgent ? 'SubagentStop' : 'Stop',
        names: [],
        fields: {
          stop_hook_active: continued > 0,
          last_assistant_message: answer?.kind === 'assistant' ? answer.text : '',
        },
      })
      notify(outcome, transcript)
      if (outcome?.blocked === undefined || outcome.endTurn !== undefined) return undefined
      if (continued === maxContinued) {
        const text = `The turn ended although a hook refused its end again, because hooks may continue a turn ${maxContinued} times. ${outcome.blocked}`
        transcript.put(noticeItem('warning', text, 'continue'))
        return undefined
      }
      continued += 1
      return outcome.blocked
    },
  }
}

/** Shows the user what failed without consequences. */
function notify(outcome: HookOutcome | undefined, transcript: Transcript): void {
  for (const note of outcome?.notes ?? []) transcript.put(noticeItem('warning', note))
}

/** Returns the messages of the user after the last answer that no hook has seen. */
function unsentMessages(items: readonly ConversationItem[]): UserItem[] {
  const sent = items.findLastIndex(({ kind }) => kind === 'assistant' || kind === 'tool')
  return items
    .slice(sent + 1)
    .filter((item) => item.kind === 'user')
    .filter(({ nudge, hooked }) => !nudge && !hooked)
}

/** Stores messages that passed, and removes refused ones. What follows a removed message stays. */
function replaceMessages(
  transcript: Transcript,
  passed: ReadonlyMap<string, UserItem>,
  refused: readonly UserItem[],
): void {
  const ids = new Set(refused.map(({ id }) => id))
  const items = transcript.items()
  const first = items.findIndex(({ id }) => ids.has(id))
  const kept = first < 0 ? [] : items.slice(first).filter(({ id }) => !ids.has(id))
  const from = items[first]
  if (from) transcript.truncate(from.id)
  for (const item of kept) transcript.put(passed.get(item.id) ?? item)
  for (const item of passed.values()) if (!kept.some(({ id }) => id === item.id)) transcript.put(item)
}
