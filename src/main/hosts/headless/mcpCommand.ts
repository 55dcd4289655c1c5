import { Readable, Writable } from 'node:stream'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { openCore, type CommandContext } from './commandContext.ts'
import { parseMcp } from './commandOptions.ts'
import { exitCodes } from './commandHelp.ts'
import { maxFrame, readFrames } from '../jsonRpcFrames.ts'
import { createToolServer } from '../mcp/toolServer.ts'
import { log } from '../../base/log/log.ts'

/**
 * `tizona mcp`: serves a toolset over the Model Context Protocol on standard input and output until the input ends or
 * the command is interrupted.
 * @returns the exit code
 * @throws UsageError
 */
export async function mcpCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const { workspace, toolset, mode, trust } = await parseMcp(args)
  const { output, interrupted } = context
  const core = await openCore(context, undefined, { trustWorkspace: trust })
  try {
    await core.openWorkspace(workspace)
    const { server, close } = createToolServer({ core, toolset, mode, version: context.installation.version })
    server.onerror = (error) => log.error(`tizona mcp: ${error.message}`)
    const sink = new Writable({
      decodeStrings: false,
      write(text: string, _encoding, written) {
        output.write(text)
        output.flush().then(() => written(), written)
      },
    })
    const input = Readable.from(
      readFrames(context.stdin, (refused) => {
        log.error(`tizona mcp: ${refused.error.message}`)
        sink.write(`${JSON.stringify(refused)}\n`)
      }),
      { objectMode: false },
    )
    const ended = new Promise<void>((resolve, reject) => {
      input.once('end', resolve)
      input.once('error', reject)
      server.onclose = resolve
      interrupted.addEventListener('abort', () => resolve(), { once: true })
    })
    try {
      await server.connect(new StdioServerTransport(input, sink, { maxBufferSize: 2 * maxFrame }))
      if (!interrupted.aborted) await ended
    } finally {
      await close()
      input.destroy()
    }
    // A client that has closed its side has ended the session, whichever pipe it closes first.
    return interrupted.aborted && !output.closed.aborted ? exitCodes.cancelled : exitCodes.done
  } finally {
    await core.dispose()
  }
}
