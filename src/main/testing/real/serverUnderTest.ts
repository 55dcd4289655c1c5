import { join } from 'node:path'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { realFolder } from './realParts.ts'
import {
  endLeftovers,
  notPrepared,
  startRealServer,
  type RealServer,
  type RealServerName,
  type RealServerOptions,
} from './realServers.ts'
import { realWorkspace, type RealWorkspace, type RealWorkspaceOptions } from './realWorkspace.ts'

/** The template with which SmolLM2, which was trained with ChatML too, gets tools from llama-server. */
export const toolTemplate = [
  '--chat-template-file',
  join(realFolder, 'llama.cpp/llama.cpp/models/templates/Qwen-Qwen2.5-7B-Instruct.jinja'),
]

/** The part of Vitest's context that skips a test. */
interface Skips {
  skip(note: string): never
}

/**
 * Starts a server for the tests of a block. LiteLLM gets a llama-server behind it.
 * @returns the server; a test is skipped, with the reason, if the server is not prepared
 */
export async function serverUnderTest(
  name: RealServerName,
  options: RealServerOptions = {},
): Promise<(context: Skips) => RealServer> {
  const missing =
    (await notPrepared(name, options.weights)) ?? (name === 'litellm' ? await notPrepared('llama-server') : undefined)
  const started: RealServer[] = []
  beforeAll(async () => {
    endLeftovers()
    if (missing !== undefined) return
    const behind = name === 'litellm' ? await startRealServer('llama-server', options) : undefined
    if (behind) started.unshift(behind)
    started.unshift(await startRealServer(name, behind ? { behind } : options))
  })
  afterAll(async () => {
    for (const server of started) await server.stop()
  })
  return (context) => {
    const [server] = started
    return server ?? context.skip(missing ?? `${name} did not start`)
  }
}

/** A workspace that is closed with the test. */
export async function workspaceOn(server: RealServer, options?: RealWorkspaceOptions): Promise<RealWorkspace> {
  const workspace = await realWorkspace(server, options)
  onTestFinished(() => workspace.close())
  return workspace
}
