import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Mode } from '../../../shared/risk.ts'
import { readRecording } from '../../playback/recordedModel.ts'
import { openCore, type CommandContext } from './commandContext.ts'
import { exitCodes } from './commandHelp.ts'
import { compareResults } from './compareResults.ts'

/**
 * Runs the calls of an exported conversation again, in order, on a copy of a folder, and prints whether each result is
 * the same. Nothing but the tools is involved, so a difference is one of a tool or of the folder.
 * @returns `failed` if a result differs.
 * @throws ToolError `invalid_arguments` for a file of another version or kind
 */
export async function replayTools(
  text: string,
  { workspace, mode }: { workspace: string; mode: Mode },
  context: CommandContext,
): Promise<number> {
  const { info, turns } = readRecording(text)
  const { output, interrupted } = context
  const home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-replay-')))
  try {
    const copy = join(home, basename(workspace))
    await cp(workspace, copy, { recursive: true, verbatimSymlinks: true })
    const core = await openCore(context, { toolset: info.toolset })
    try {
      const { root } = await core.openWorkspace(copy)
      const total = { calls: 0, different: 0 }
      for (const call of turns.flatMap(({ calls }) => calls)) {
        const result = await core.executor.call({
          callId: randomUUID(),
          name: call.name,
          arguments: call.arguments,
          toolset: info.toolset,
          mode,
          attended: false,
          signal: interrupted,
        })
        if (interrupted.aborted) return exitCodes.cancelled
        const compared = compareResults(call, { result }, root)
        total.calls += 1
        if (!compared.same) total.different += 1
        output.json({ event: 'replay.call', name: call.name, arguments: call.arguments, ...compared })
      }
      output.json({ event: 'replay.ended', ...total })
      return total.different > 0 ? exitCodes.failed : exitCodes.done
    } finally {
      await core.dispose()
    }
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}
