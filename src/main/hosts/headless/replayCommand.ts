import { realpath } from 'node:fs/promises'
import type { EventName, Events } from '../../../shared/bridge/protocol.ts'
import { compareResults } from './compareResults.ts'
import { createCommandIds } from '../../playback/commandIds.ts'
import { startRecordedModel } from '../../playback/recordedModel.ts'
import { openCore, type CommandContext } from './commandContext.ts'
import { readInputFile } from './conversationsCommand.ts'
import { replayExitCode, replayTools } from './toolReplay.ts'
import { parseReplay } from './commandOptions.ts'
import { runTurn } from '../../core/runTurn.ts'
import { exitCodes } from './commandHelp.ts'

const endpointId = 'replay'
const never = new AbortController().signal

/**
 * `tizona replay`: repeats the calls of an exported conversation in another folder and prints whether each result is
 * the same, one JSON object per line. With `--tools`, repeats only the calls, on a copy of the folder.
 * @returns `failed` if a result differs, or if no call in the file could be replayed
 * @throws UsageError
 */
export async function replayCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const { file, workspace, mode, tools } = await parseReplay(args)
  const { output, interrupted } = context
  if (tools) return replayTools(await readInputFile(file, interrupted), { workspace, mode }, context)
  const commandIds = createCommandIds()
  const recorded = await startRecordedModel(
    await readInputFile(file, interrupted),
    await realpath(workspace),
    commandIds.asRepeated,
  )
  const { title, toolset } = recorded.info
  const endpoint = { id: endpointId, name: 'Replay', kind: 'openai', baseUrl: recorded.url, hasKey: false } as const
  const settings = { endpoints: [endpoint], model: { endpointId, model: 'scripted' }, mode, toolset, maxTurns: 500 }
  // Without guards, because the recording is played back unchanged, including repeated calls and empty messages.
  const core = await openCore(context, settings, { features: { guards: false, nudge: false, budget: false } })
  try {
    await core.openWorkspace(workspace)
    const {
      info: { id },
    } = await core.handlers['conversations.create']({}, never)
    await core.handlers['conversations.update']({ id, title: `${title} (replay)`.slice(0, 200), mode, toolset }, never)
    const total = { calls: 0, different: 0 }
    for (const turn of recorded.turns) {
      turn.play()
      const begun: string[] = []
      const outcome = await runTurn(core, {
        id,
        text: turn.text,
        interrupted,
        onEvent(name, payload) {
          if (!isItemEvent(name, payload) || payload.conversationId !== id) return
          const { item } = payload
          if (item.kind !== 'tool') return
          if (!begun.includes(item.id)) begun.push(item.id)
          const call = turn.calls[begun.indexOf(item.id)]
          if (call) commandIds.match(call, item)
        },
      })
      if (interrupted.aborted) return exitCodes.cancelled
      const { items } = await core.handlers['conversations.open']({ id }, never)
      const made = items
        .slice(items.findLastIndex(({ kind }) => kind === 'user'))
        .filter((item) => item.kind === 'tool')
      for (const [index, call] of turn.calls.entries()) {
        const again = made[index]
        const compared = compareResults(call, again && commandIds.asRecorded(again))
        total.calls += 1
        if (!compared.same) total.different += 1
        output.json({ event: 'replay.call', name: call.name, arguments: call.arguments, ...compared })
      }
      output.json({ event: 'replay.turn', text: turn.text, outcome })
    }
    output.json({ event: 'replay.ended', conversationId: id, ...total, unassigned: recorded.counts.unassigned })
    return replayExitCode(recorded.counts, { ...total, replayed: total.calls })
  } finally {
    await core.dispose()
    await recorded.close()
  }
}

function isItemEvent<N extends EventName>(name: N, payload: Events[EventName]): payload is Events['conversation.item'] {
  return name === 'conversation.item' && payload !== null
}
