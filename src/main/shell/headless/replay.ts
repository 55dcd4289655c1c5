import type { ConversationItem, ToolItem, UserItem } from '../../../shared/conversation.ts'
import { fromJson } from '../../history/export/exported.ts'
import { answer, call, say, step, think, type Scenario, type ScenarioStep } from '../../model/scenario.ts'
import { startScriptedEndpoint } from '../../model/scriptedEndpoint.ts'
import { openCore, type CommandContext } from './context.ts'
import { readText } from './conversations.ts'
import { parseReplay } from './options.ts'
import { runTurn } from './turn.ts'
import { exitCodes } from './usage.ts'

const endpointId = 'replay'
const never = new AbortController().signal

/** A message with what the model did about it. */
interface RecordedTurn {
  message: UserItem
  steps: ScenarioStep[]
  /** The calls that ran then, in order. */
  calls: ToolItem[]
}

/**
 * `tizona replay`: plays the model's side of an exported conversation, so that its calls run again, in another folder, and tells for each
 * whether its result is the same. One JSON object a line. @returns `failed` when a result differs. @throws UsageError
 */
export async function replay(args: readonly string[], context: CommandContext): Promise<number> {
  const { file, workspace, mode } = await parseReplay(args)
  const exported = fromJson(await readText(file))
  const scenario: Scenario = { name: 'replay', turns: [] }
  const endpoint = await startScriptedEndpoint(scenario)
  try {
    const core = await openCore(
      context,
      { endpoints: [{ id: endpointId, name: 'Replay', kind: 'openai', baseUrl: endpoint.url, hasKey: false }], model: { endpointId, model: 'scripted' }, mode, toolset: exported.info.toolset, maxTurns: 500 },
      // What was recorded is played as it was, loops and empty answers included.
      { guards: false, nudge: false, budget: false },
    )
    try {
      await core.openWorkspace(workspace)
      const { info: { id } } = await core.handlers['conversations.create']({}, never)
      const title = `${exported.info.title} (replay)`.slice(0, 200)
      await core.handlers['conversations.update']({ id, title, mode, toolset: exported.info.toolset }, never)
      const total = { calls: 0, different: 0 }
      for (const turn of turnsOf(exported.items)) {
        scenario.turns = [{ prompt: /[^]*/, steps: turn.steps }]
        const outcome = await runTurn(core, { id, text: turn.message.text, interrupted: context.interrupted })
        if (context.interrupted.aborted) return exitCodes.cancelled
        const { items } = await core.handlers['conversations.open']({ id }, never)
        const now = items.slice(items.findLastIndex(({ kind }) => kind === 'user')).filter((item) => item.kind === 'tool')
        for (const [index, recorded] of turn.calls.entries()) {
          const compared = compare(recorded, now[index])
          total.calls += 1
          if (!compared.same) total.different += 1
          context.output.json({ event: 'replay.call', name: recorded.name, arguments: recorded.arguments, ...compared })
        }
        context.output.json({ event: 'replay.turn', text: turn.message.text, outcome })
      }
      context.output.json({ event: 'replay.ended', conversationId: id, ...total })
      return total.different > 0 ? exitCodes.failed : exitCodes.done
    } finally {
      await core.dispose()
    }
  } finally {
    await endpoint.close()
  }
}

function turnsOf(items: readonly ConversationItem[]): RecordedTurn[] {
  const turns: RecordedTurn[] = []
  for (const item of items) {
    if (item.kind === 'user') turns.push({ message: item, steps: [], calls: [] })
    const turn = turns.at(-1)
    if (item.kind !== 'assistant' || !turn) continue
    const calls = items.filter((other): other is ToolItem => other.kind === 'tool' && other.assistantId === item.id && ran(other))
    turn.calls.push(...calls)
    const parts = [...(item.reasoning ? [think(item.reasoning)] : []), ...(item.text ? [say(item.text)] : []), ...calls.map(({ name, arguments: args }) => call(name, args))]
    if (parts.length > 0) turn.steps.push({ title: item.id, play: () => answer(...parts) })
  }
  // A turn that was stopped, or ended at its limit, has no answer after its last call.
  for (const { steps } of turns) steps.push(step('end', say('(The recorded turn ends here.)')))
  return turns
}

/** Whether it did anything: what was refused then is not done now. */
function ran({ result }: ToolItem): boolean {
  return result !== undefined && !['refused', 'approval_required', 'not_in_plan_mode', 'cancelled'].includes(result.error?.code ?? '')
}

type Comparison = { same: true } | { same: false; line: number; recorded: string; now: string }

/** The first line in which two results differ. */
function compare({ result }: ToolItem, again: ToolItem | undefined): Comparison {
  const [before, after] = [result?.text ?? '', again?.result?.text ?? '(the call was not made)'].map((text) => text.split('\n'))
  const line = before?.findIndex((text, index) => text !== after?.[index]) ?? -1
  const at = line >= 0 ? line : (before?.length ?? 0)
  if (line < 0 && before?.length === after?.length) return { same: true }
  return { same: false, line: at + 1, recorded: before?.[at] ?? '', now: after?.[at] ?? '' }
}
