import type { ConversationItem, ToolItem } from '../../shared/agent/conversation.ts'
import { ToolError } from '../../shared/errors.ts'
import type { ToolResult } from '../../shared/tools/tool.ts'
import { replaceFolderIn } from '../history/export/folderPath.ts'
import { fromJson, inFolder, type ExportedConversation } from '../history/export/jsonExport.ts'
import { answer, call, say, step, think, type Scenario, type ScenarioStep } from '../model/scripted/scenario.ts'
import { startScriptedEndpoint } from '../model/scripted/scriptedEndpoint.ts'

/** A user message with the calls that the model made in response. */
export interface RecordedTurn {
  text: string
  /** The calls that ran, in order. */
  calls: readonly ToolItem[]
  /** Makes the model answer with this turn from now on. */
  play(): void
}

export interface RecordedCallCounts {
  inFile: number
  /** Calls that ran, but belong to no answer of the model to a user message. They cannot be replayed. */
  unassigned: number
}

/** An OpenAI-compatible server on 127.0.0.1 that repeats the model's answers in an exported conversation. */
export interface RecordedModel {
  url: string
  info: ExportedConversation['info']
  turns: readonly RecordedTurn[]
  counts: RecordedCallCounts
  close(): Promise<void>
}

/** The messages of an exported conversation with the calls that ran. */
export interface Recording {
  info: ExportedConversation['info']
  turns: readonly Pick<RecordedTurn, 'text' | 'calls'>[]
  counts: RecordedCallCounts
  /** Returns the arguments of a call with the recording's placeholder replaced by the path of a folder. */
  argumentsIn(root: string, call: ToolItem): string
  /** Returns a result with the path of a folder replaced by the recording's placeholder. */
  asRecorded(root: string, result: ToolResult): ToolResult
}

/** @throws ToolError `invalid_arguments` */
function readOwn(text: string): ExportedConversation {
  const exported = fromJson(text)
  if (exported.info.agent !== undefined)
    throw new ToolError(
      'invalid_arguments',
      'An external agent worked in this conversation, so its calls cannot be repeated.',
      "Use a conversation with Tizona's agent.",
    )
  return exported
}

/** @param text a conversation exported as JSON. @throws ToolError `invalid_arguments` for any other text */
export function readRecording(text: string): Recording {
  const exported = readOwn(text)
  const { folder, items } = exported
  const turns = turnsOf(items)
  return {
    info: exported.info,
    turns,
    counts: countCalls(items, turns),
    argumentsIn: (root, call) => inFolder(call, exported, root).arguments,
    asRecorded: (root, result) => (folder === undefined ? result : replaceFolderIn(result, root, folder)),
  }
}

/**
 * @param text a conversation exported as JSON
 * @param root real path of the folder in which it is repeated
 * @param asRepeated changes the arguments of a call for the repetition, when the model makes it
 * @throws ToolError `invalid_arguments` for any other text
 */
export async function startRecordedModel(
  text: string,
  root: string,
  asRepeated: (args: string) => string,
): Promise<RecordedModel> {
  const exported = readOwn(text)
  const { info } = exported
  const items = inFolder(exported.items, exported, root)
  // Offers one turn at a time, because a conversation may contain the same message twice.
  const scenario: Scenario = { name: 'replay', turns: [] }
  const turns = turnsOf(items, asRepeated).map(({ steps, ...turn }) => ({
    ...turn,
    play: () => {
      scenario.turns = [{ prompt: /[^]*/, steps }]
    },
  }))
  const { url, close } = await startScriptedEndpoint(scenario)
  return { url, info, turns, counts: countCalls(items, turns), close }
}

function countCalls(
  items: readonly ConversationItem[],
  turns: readonly Pick<RecordedTurn, 'calls'>[],
): RecordedCallCounts {
  const calls = items.filter((item) => item.kind === 'tool')
  const assigned = new Set(turns.flatMap((turn) => turn.calls))
  return { inFile: calls.length, unassigned: calls.filter((item) => ran(item) && !assigned.has(item)).length }
}

function turnsOf(
  items: readonly ConversationItem[],
  asRepeated = (args: string): string => args,
): { text: string; calls: ToolItem[]; steps: ScenarioStep[] }[] {
  const turns: { text: string; calls: ToolItem[]; steps: ScenarioStep[] }[] = []
  const ranCalls = Map.groupBy(
    items.filter((item): item is ToolItem => item.kind === 'tool' && ran(item)),
    ({ assistantId }) => assistantId,
  )
  for (const item of items) {
    if (item.kind === 'user') turns.push({ text: item.text, calls: [], steps: [] })
    const turn = turns.at(-1)
    if (item.kind !== 'assistant' || !turn) continue
    const calls = ranCalls.get(item.id) ?? []
    turn.calls.push(...calls)
    const texts = [...(item.reasoning ? [think(item.reasoning)] : []), ...(item.text ? [say(item.text)] : [])]
    if (texts.length + calls.length > 0)
      turn.steps.push({
        title: item.id,
        play: () => answer(...texts, ...calls.map(({ name, arguments: args }) => call(name, asRepeated(args)))),
      })
  }
  // A turn that was stopped or reached its limit has no answer after its last call.
  for (const { steps } of turns) steps.push(step('end', say('(The recorded turn ends here.)')))
  return turns
}

const neverRan = ['refused', 'approval_required', 'not_in_plan_mode', 'cancelled']

/** Whether a recorded call ran. Refused calls are not replayed. */
function ran({ result }: ToolItem): boolean {
  return result !== undefined && !neverRan.includes(result.error?.code ?? '')
}
