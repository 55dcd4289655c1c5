import type { WorkspaceRoots } from '../../base/workspaceRoots.ts'
import { workspacePath } from './workspacePath.ts'
import { randomUUID } from 'node:crypto'
import { ToolError } from '../../../shared/errors.ts'
import type { AssistantItem, ToolItem } from '../../../shared/agent/conversation.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { Sequencer } from '../../../shared/async/sequencer.ts'
import type { ToolView } from '../../../shared/tools/tool.ts'
import type { SessionUpdate } from '../../acp/agentTypes.ts'
import { copySubstring } from '../../base/copySubstring.ts'
import { log } from '../../base/log/log.ts'
import { diffOf } from '../../edit/editRunner.ts'
import { assistantItem, cancelledCalls } from '../conversation/items.ts'
import type { Transcript } from '../conversation/transcript.ts'
import { newCard, reportedResultText, updatedCall, type CallUpdate, type ReportedCall } from './reportedCall.ts'

/** Maximum characters of text and thoughts in one turn. */
const maxText = 1_000_000
/** Maximum number of calls in one turn. */
const maxCalls = 2000
/** Maximum number of entries in a plan, and of characters in an entry. */
const maxTodos = 100
const maxTodo = 500
/** Maximum number of requests in one turn: up to two per call, the permission and the permitted act. */
const maxRequests = 2 * maxCalls

/** Shows what an external agent reports during a turn as items of the conversation. */
export interface AgentCards {
  onUpdate(update: SessionUpdate): void
  /** Counts a request for a file, a permission or a terminal. @throws ToolError `too_large` if there are too many */
  countRequest(): void
  /**
   * Adds or changes the card of a call.
   * @param asks whether the update is a permission request, whose text is not a result
   * @returns what is known about the call
   */
  report(update: CallUpdate, asks: boolean): ReportedCall
  /**
   * Returns the card for a request of the agent: the card of a running call that names the path, or a new card.
   * @param path absolute; undefined for a command
   */
  cardFor(name: string, args: Record<string, unknown>, path: string | undefined): { item: ToolItem; own: boolean }
  /** Changes a card. @returns the changed one */
  put(id: string, change: Partial<ToolItem>): ToolItem | undefined
  /** Returns the diffs that a call reports, relative to the workspace. */
  view(call: ReportedCall, signal: AbortSignal): Promise<ToolView | undefined>
  finish(cancelled: boolean): Promise<void>
}

interface AgentCardsDeps {
  transcript: Transcript
  /** Name of the agent, stored with its answers. */
  agent: string
  workspace: WorkspaceRoots
  /** Called once when the agent shows too much. */
  onTooMuch(message: string): void
  signal: AbortSignal
}

// oxlint-disable-next-line eslint/max-lines-per-function -- One state: the cards of a turn, which every update changes.
export function createAgentCards({ transcript, agent, workspace, onTooMuch, signal }: AgentCardsDeps): AgentCards {
  const calls = new Map<string, ReportedCall>()
  const views: Promise<void>[] = []
  /** Diffs that a card shows or will show. An agent may report the end of a call many times. */
  const shownDiffs = new WeakSet<ReportedCall['diffs']>()
  /** Diffs of large texts are computed in worker threads. */
  const computing = new Sequencer()
  const planId = randomUUID()
  let answer: AssistantItem | undefined
  let characters = 0
  let requests = 0
  let tooMuch = false

  function stopTooMuch(message: string): void {
    if (tooMuch) return
    tooMuch = true
    onTooMuch(message)
  }

  function currentAnswer(): AssistantItem {
    if (answer) return answer
    answer = assistantItem(agent, undefined)
    transcript.put(answer)
    return answer
  }

  function endAnswer(state: AssistantItem['state']): void {
    if (answer) transcript.put({ ...answer, state })
    answer = undefined
  }

  function append(kind: 'text' | 'reasoning', text: string): void {
    characters += text.length
    if (characters > maxText) return stopTooMuch(`It wrote more than ${formatNumber(maxText)} characters in one turn.`)
    transcript.note(undefined)
    // Text after calls is a new answer, so that it is shown below them.
    const { id } = currentAnswer()
    if (transcript.items().some((item) => item.kind === 'tool' && item.assistantId === id)) endAnswer('done')
    transcript.append(currentAnswer(), { [kind]: text })
  }

  function newItem(callId: string, name: string, args: Record<string, unknown>): ToolItem {
    return newCard(currentAnswer().id, callId, name, args)
  }

  function put(id: string, change: Partial<ToolItem>): ToolItem | undefined {
    const item = transcript.items().findLast((each) => each.id === id)
    if (item?.kind !== 'tool') return undefined
    const changed = { ...item, ...change }
    transcript.put(changed)
    const call = calls.get(item.callId)
    if (call?.item.id === id) call.item = changed
    return changed
  }

  const view: AgentCards['view'] = async ({ diffs }, aborted) => {
    if (diffs.length === 0) return undefined
    return computing.queue(async () => {
      const files = []
      for (const { path, oldText, newText } of diffs)
        files.push(await diffOf(workspacePath(workspace, path), oldText ?? null, newText, aborted))
      return { kind: 'diff', files }
    })
  }

  function report(update: CallUpdate, asks: boolean): ReportedCall {
    const known = calls.get(update.toolCallId)
    if (!known && calls.size >= maxCalls) stopTooMuch(`It made more than ${formatNumber(maxCalls)} calls in one turn.`)
    const call = updatedCall(known, update, asks, known?.item.assistantId ?? currentAnswer().id)
    calls.set(update.toolCallId, call)
    transcript.put(call.item)
    if (update.status === 'completed' || update.status === 'failed')
      end(call, update.status === 'completed', update.rawOutput)
    return call
  }

  async function showDiffs(call: ReportedCall, show: (view: ToolView) => void): Promise<void> {
    try {
      const shown = await view(call, signal)
      if (shown) show(shown)
    } catch (error) {
      // The call keeps its text.
      log.warn('The diffs of an agent were not shown', error)
    }
  }

  function end(call: ReportedCall, ok: boolean, rawOutput: unknown): void {
    const { item, diffs } = call
    if (item.state === 'refused') return
    const text = reportedResultText(call, rawOutput)
    const done = (shown: ToolView): void => {
      put(item.id, {
        state: ok ? 'done' : 'failed',
        approval: undefined,
        endedAt: Date.now(),
        result: {
          ok,
          text,
          view: shown,
          elapsedMs: Date.now() - item.at,
          // Only `newCard` and `updatedCall` write the arguments, always an object.
          arguments: JSON.parse(item.arguments) as Record<string, unknown>,
          truncated: false,
          ...(!ok && { error: { code: 'server_error', message: text === '' ? 'The call failed.' : text, next: '' } }),
        },
      })
    }
    // A write through Tizona has a diff that can be undone.
    const own = item.result?.view
    if (own && own.kind !== 'text' && !(own.kind === 'diff' && isUnchanged(own))) return done(own)
    if (ok && shownDiffs.has(diffs)) return
    done({ kind: 'text' })
    if (diffs.length === 0 || !ok) return
    shownDiffs.add(diffs)
    views.push(showDiffs(call, done))
  }

  return {
    onUpdate(update) {
      if (tooMuch) return
      switch (update.sessionUpdate) {
        case 'agent_message_chunk':
          if (update.content.type === 'text') append('text', update.content.text)
          break
        case 'agent_thought_chunk':
          if (update.content.type === 'text') append('reasoning', update.content.text)
          break
        case 'tool_call':
        case 'tool_call_update':
          transcript.note(undefined)
          report(update, false)
          break
        case 'plan': {
          const todos = update.entries
            .slice(0, maxTodos)
            .map(({ content, status }) => ({ content: copySubstring(content, 0, maxTodo), status }))
          transcript.put({
            ...newItem(planId, 'todo_write', {}),
            id: planId,
            state: 'done',
            result: {
              ok: true,
              text: '',
              view: { kind: 'todos', todos },
              elapsedMs: 0,
              arguments: {},
              truncated: false,
            },
          })
          break
        }
        default:
          break
      }
    },
    countRequest() {
      requests += 1
      if (requests <= maxRequests) return
      const message = `It made more than ${formatNumber(maxRequests)} requests in one turn.`
      stopTooMuch(message)
      throw new ToolError('too_large', message)
    },
    report,
    cardFor(name, args, path) {
      const running = [...calls.values()].filter(
        ({ item }) => item.state === 'running' || item.state === 'approval' || item.state === 'streaming',
      )
      const named = running.findLast(({ kind, paths, item }) =>
        path === undefined
          ? kind === 'execute' && item.job === undefined
          : paths.some((each) => workspacePath(workspace, each) === workspacePath(workspace, path)),
      )
      if (named) return { item: named.item, own: false }
      const item = newItem(randomUUID(), name, args)
      transcript.put(item)
      return { item, own: true }
    },
    put,
    view,
    async finish(cancelled) {
      endAnswer(cancelled ? 'stopped' : 'done')
      await Promise.all(views)
      for (const item of cancelledCalls(transcript.items()))
        transcript.put(cancelled ? item : { ...item, state: 'done' })
    },
  }
}

/** Whether a write through Tizona changed nothing, because the agent's own process had made the change before. */
function isUnchanged({ files }: Extract<ToolView, { kind: 'diff' }>): boolean {
  return files.every(({ change, added, removed }) => change === 'modified' && added === 0 && removed === 0)
}
