import type { AnyMessage, Stream } from '@agentclientprotocol/sdk'
import { announceRestricted, announceServers, openCore, type CommandContext } from './commandContext.ts'
import { commandLineEndpoint } from './commandLineEndpoint.ts'
import { exitCodes } from './commandHelp.ts'
import { parseAcp } from './commandOptions.ts'
import { readFrames } from '../jsonRpcFrames.ts'
import { log } from '../../base/log/log.ts'
import { createAcpAgent } from '../acp/acpAgent.ts'

/**
 * `tizona acp`: serves the agent over the Agent Client Protocol on standard input and output until the input ends or
 * the command is interrupted.
 * @returns the exit code
 * @throws UsageError
 */
export async function acpCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const { server, mode, toolset, trust, profile, worktree, ...options } = parseAcp(args)
  const { interrupted, installation, output } = context
  const { keys, ...settings } =
    server === undefined ? { keys: {} } : await commandLineEndpoint({ ...server, ...options }, interrupted)
  const { app, close } = createAcpAgent({
    createCore: () =>
      openCore(context, { ...settings, ...(profile && { profile }) }, { trustWorkspace: trust, attended: true, keys }),
    async onFolder(core) {
      await announceRestricted(core)
      await announceServers(core, trust)
    },
    mode,
    worktree,
    ...(toolset && { toolset }),
    ...('model' in settings && { model: settings.model }),
    version: installation.version,
  })
  try {
    const connection = app.connect(standardStream(context))
    const stopped = new Promise<void>((resolve) => {
      interrupted.addEventListener('abort', () => resolve(), { once: true })
    })
    if (!interrupted.aborted) await Promise.race([connection.closed, stopped])
    connection.close()
  } finally {
    await close()
  }
  // A client that has closed its side has ended the session and no longer reads this command's output.
  return interrupted.aborted && !output.closed.aborted ? exitCodes.cancelled : exitCodes.done
}

/** Standard input and output as messages. Responds to invalid ones itself. */
function standardStream({ stdin, output }: CommandContext): Stream {
  const frames = readFrames(stdin, (refused) => {
    log.error(`tizona acp: ${refused.error.message}`)
    output.json(refused)
  })
  return {
    readable: new ReadableStream<AnyMessage>({
      async pull(controller) {
        const { done, value } = await frames.next()
        if (done) controller.close()
        // The frames are JSON-RPC messages. The SDK validates what is inside.
        else controller.enqueue(JSON.parse(value.toString('utf8')) as AnyMessage)
      },
    }),
    writable: new WritableStream({
      async write(message) {
        output.json(message)
        await output.flush()
      },
    }),
  }
}
