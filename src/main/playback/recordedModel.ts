import type { ConversationItem, ToolItem } from '../../shared/conversation.ts'
import { fromJson, type ExportedConversation } from '../history/export/jsonExport.ts'
import { answer, call, say, step, think, type Scenario, type ScenarioStep } from '../model/scripted/scenario.ts'
import { startScriptedEndpoint } from '../model/scripted/scriptedEndpoint.ts'

/** A message with what the model did about it. */
export interface RecordedTurn {
  text: string
  /** The calls that ran then, in order. */
  calls: readonly ToolItem[]
  /** The model answers with this turn from now on. */
  play(): void
}

/** The model's side of an exported conversation, as an OpenAI-compatible server on 127.0.0.1. */
export interface RecordedModel {
  url: string
  info: ExportedConversation['info']
  turns: readonly RecordedTurn[]
  close(): Promise<void>
}

/** @param text the JSON form of a conversation. @throws ToolError `invalid_arguments` when it is something else */
export async function startRecordedModel(text: string): Promise<RecordedModel> {
  const { info, items } = fromJson(text)
  // One turn at a time, because a conversation may hold the same message twice.
  const scenario: Scenario = { name: 'replay', turns: [] }
  const turns = turnsOf(items).map(({ steps, ...turn }) => ({
    ...turn,
    play: () => {
      scenario.turns = [{ prompt: /[^]*/, steps }]
    },
  }))
  const { url, close } = await startScriptedEndpoint(scenario)
  return { url, info, turns, close }
}

function turnsOf(items: readonly ConversationItem[]): { text: string; calls: ToolItem[]; steps: ScenarioStep[] }[] {
  const turns: { text: string; calls: ToolItem[]; steps: ScenarioStep[] }[] = []
  for (const item of items) {
    if (item.kind === 'user') turns.push({ text: item.text, calls: [], steps: [] })
    const turn = turns.at(-1)
    if (item.kind !== 'assistant' || !turn) continue
    const calls = items.filter(
      (other): other is ToolItem => other.kind === 'tool' && other.assistantId === item.id && ran(other),
    )
    turn.calls.push(...calls)
    const parts = [
      ...(item.reasoning ? [think(item.reasoning)] : []),
      ...(item.text ? [say(item.text)] : []),
      ...calls.map(({ name, arguments: args }) => call(name, args)),
    ]
    if (parts.length > 0) turn.steps.push({ title: item.id, play: () => answer(...parts) })
  }
  // A turn that was stopped, or ended at its limit, has no answer after its last call.
  for (const { steps } of turns) steps.push(step('end', say('(The recorded turn ends here.)')))
  return turns
}

const neverRan = ['refused', 'approval_required', 'not_in_plan_mode', 'cancelled']

/** Whether it did anything: what was refused then is not done now. */
function ran({ result }: ToolItem): boolean {
  return result !== undefined && !neverRan.includes(result.error?.code ?? '')
}
