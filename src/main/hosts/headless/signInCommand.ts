import type { McpServerStatus } from '../../../shared/tools/mcp.ts'
import { ToolError } from '../../../shared/errors.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { announceServers, openCore, type CommandContext } from './commandContext.ts'
import { parseMcpSignIn, type McpSignInOptions } from './commandOptions.ts'
import { exitCodes } from './commandHelp.ts'

/**
 * `tizona mcp login|logout NAME`: signs in to an MCP server, or out. Prints the URL of the sign-in page but does not
 * open it, so that the user sees the host first.
 * @returns the exit code
 * @throws UsageError
 */
export async function signInCommand(
  action: McpSignInOptions['action'],
  args: readonly string[],
  context: CommandContext,
): Promise<number> {
  const { name, workspace, trust } = await parseMcpSignIn(action, args)
  const { interrupted } = context
  const core = await openCore(context, undefined, { trustWorkspace: trust })
  // The page is only known while the sign-in is in progress.
  let shown: string | undefined
  const stop = core.subscribe((event, state) => {
    if (event !== 'mcp.changed' || state === null || !('servers' in state)) return
    const signIn = state.servers.find((server) => server.name === name)?.signIn
    const page = signIn?.state === 'waiting' ? signIn.page : undefined
    if (page === undefined || page === shown) return
    shown = page
    console.error(`Open this address in a browser on this machine:\n${page}`)
  })
  try {
    await core.openWorkspace(workspace)
    await announceServers(core, trust)
    const { key } = findServer(name, (await core.handlers['mcp.state']({}, interrupted)).servers)
    if (action === 'logout') {
      await core.handlers['mcp.signOut']({ key }, interrupted)
      context.output.line(`Signed out of ${visibleText(name)}.`)
      return exitCodes.done
    }
    const { host, server } = await core.handlers['mcp.findSignIn']({ key }, interrupted)
    console.error(`Signing in for ${server} at ${host}.`)
    await core.handlers['mcp.signIn']({ key, host }, interrupted)
    context.output.line(`Signed in to ${visibleText(name)}.`)
    return exitCodes.done
  } finally {
    stop()
    await core.dispose()
  }
}

/** @throws ToolError not_found */
function findServer(name: string, servers: readonly McpServerStatus[]): McpServerStatus {
  const found = servers.find((server) => server.name === name)
  if (found) return found
  const names = servers.map((server) => visibleText(server.name)).join(', ')
  const next = names === '' ? 'No MCP servers are defined.' : `Use one of: ${names}.`
  throw new ToolError('not_found', `There is no MCP server named "${visibleText(name)}".`, next)
}
