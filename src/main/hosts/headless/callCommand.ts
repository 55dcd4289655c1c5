import { randomUUID } from 'node:crypto'
import { announceServers, openCore, type CommandContext } from './commandContext.ts'
import { parseCall } from './commandOptions.ts'
import { exitCodes } from './commandHelp.ts'

/** `tizona call`: runs one tool and prints one JSON object. @returns the exit code. @throws UsageError */
export async function callCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const options = await parseCall(args)
  const core = await openCore(context, undefined, { trustWorkspace: options.trust })
  try {
    await core.openWorkspace(options.workspace)
    // Starts MCP servers only for a tool that may belong to one.
    if (options.tool.includes('__')) {
      await announceServers(core, options.trust)
      for (const problem of await core.toolsReady(context.interrupted)) console.error(problem)
    }
    const result = await core.executor.call({
      callId: randomUUID(),
      name: options.tool,
      arguments: options.arguments,
      toolset: options.toolset,
      mode: options.mode,
      attended: false,
      signal: context.interrupted,
    })
    context.output.json({
      ok: result.ok,
      text: result.text,
      view: result.view,
      error: result.error,
      elapsed_ms: result.elapsedMs,
    })
    if (context.interrupted.aborted) return exitCodes.cancelled
    return result.ok ? exitCodes.done : exitCodes.failed
  } finally {
    await core.dispose()
  }
}
