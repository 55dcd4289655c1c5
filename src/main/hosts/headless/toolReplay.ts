import { randomUUID } from 'node:crypto'
import { cp, lstat, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, relative, sep } from 'node:path'
import { ToolError } from '../../../shared/errors.ts'
import { plural } from '../../../shared/text/plural.ts'
import { calledTool } from '../../../shared/tools/callArguments.ts'
import type { Mode } from '../../../shared/tools/risk.ts'
import type { ToolInfo } from '../../../shared/tools/tool.ts'
import { fileError } from '../../base/fileErrors.ts'
import { createCommandIds } from '../../playback/commandIds.ts'
import { readRecording, type RecordedCallCounts } from '../../playback/recordedModel.ts'
import { openCore, type CommandContext } from './commandContext.ts'
import { exitCodes } from './commandHelp.ts'
import { compareResults } from './compareResults.ts'

/**
 * Repeats the calls of an exported conversation in order, on a copy of a folder, and prints whether each result is the
 * same. Only tools are involved, so a difference comes from a tool or the folder. Skips calls that need a model, an MCP
 * server or a window.
 * @returns `failed` if a result differs, or if no call in the file could be replayed
 * @throws ToolError `invalid_arguments` for a file of another version or kind
 */
export async function replayTools(
  text: string,
  { workspace, mode }: { workspace: string; mode: Mode },
  context: CommandContext,
): Promise<number> {
  const { info, turns, counts, argumentsIn, asRecorded } = readRecording(text)
  const { output, interrupted } = context
  const home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-replay-')))
  try {
    const copy = join(home, basename(workspace))
    await copyFolder(await realpath(workspace), copy, interrupted)
    const core = await openCore(context, { toolset: info.toolset, mcp: { servers: {}, choices: {} } })
    try {
      const { root } = await core.openWorkspace(copy)
      const tools = core.executor.describeAll(info.toolset)
      const total = { calls: 0, different: 0, skipped: 0 }
      const commandIds = createCommandIds()
      for (const recorded of turns.flatMap(({ calls }) => calls)) {
        const { name, arguments: written } = recorded
        const skipped = whySkipped(calledTool({ name, arguments: written }).name, tools)
        total.calls += 1
        if (skipped !== undefined) {
          total.skipped += 1
          output.json({ event: 'replay.call', name, arguments: written, skipped })
          continue
        }
        const result = await core.executor.call({
          callId: randomUUID(),
          name,
          arguments: commandIds.asRepeated(argumentsIn(root, recorded)),
          toolset: info.toolset,
          mode,
          attended: false,
          signal: interrupted,
        })
        if (interrupted.aborted) return exitCodes.cancelled
        if (result.error?.code === 'no_window' && recorded.result?.error?.code !== 'no_window') {
          total.skipped += 1
          output.json({ event: 'replay.call', name, arguments: written, skipped: 'window' })
          continue
        }
        commandIds.match(recorded, { result })
        const compared = compareResults(recorded, commandIds.asRecorded({ result: asRecorded(root, result) }))
        if (!compared.same) total.different += 1
        output.json({ event: 'replay.call', name, arguments: written, ...compared })
      }
      output.json({ event: 'replay.ended', ...total, unassigned: counts.unassigned })
      return replayExitCode(counts, { ...total, replayed: total.calls - total.skipped })
    } finally {
      await core.dispose()
    }
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/** Returns why a call cannot be repeated on its own; undefined if it can. */
function whySkipped(name: string, tools: readonly ToolInfo[]): 'model' | 'mcp' | undefined {
  const tool = tools.find((each) => each.name === name || each.aliases.includes(name))
  if (tool?.asksModel) return 'model'
  // Names of MCP tools have this separator (mcpToolNames.ts).
  return tool === undefined && name.includes('__') ? 'mcp' : undefined
}

/**
 * Copies a folder with its links. Leaves out sockets, pipes and devices.
 * @param folder real path
 */
async function copyFolder(folder: string, copy: string, signal: AbortSignal): Promise<void> {
  const path = relative(folder, copy)
  if (path !== '..' && !path.startsWith(`..${sep}`))
    throw new ToolError(
      'invalid_arguments',
      `The folder for temporary files (${tmpdir()}) is inside ${folder}, so it cannot hold a copy of it.`,
      'Set TMPDIR to another folder.',
    )
  try {
    await cp(folder, copy, {
      recursive: true,
      verbatimSymlinks: true,
      async filter(source) {
        signal.throwIfAborted()
        const stats = await lstat(source)
        return stats.isFile() || stats.isDirectory() || stats.isSymbolicLink()
      },
    })
  } catch (error) {
    throw fileError(error, `${folder} could not be copied.`)
  }
}

/**
 * Prints to standard error which calls in the file were not replayed.
 * @returns `failed` if a result differs, or if the file has calls but none was replayed, so that nothing was compared
 */
export function replayExitCode(
  { inFile, unassigned }: RecordedCallCounts,
  { replayed, different }: { replayed: number; different: number },
): number {
  if (inFile === 0) console.error('The file has no tool calls.')
  else if (unassigned > 0)
    console.error(
      unassigned === 1
        ? '1 call in the file belongs to no model response, so it was not replayed.'
        : `${plural(unassigned, 'call')} in the file belong to no model response, so they were not replayed.`,
    )
  else if (replayed === 0)
    console.error('No call was replayed: the calls in the file never ran, or need a model or an MCP server.')
  return different > 0 || (inFile > 0 && replayed === 0) ? exitCodes.failed : exitCodes.done
}
