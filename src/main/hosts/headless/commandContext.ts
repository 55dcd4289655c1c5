import { visibleText } from '../../../shared/visibleText.ts'
import type { Core, CoreOptions, CreateCore } from '../../core.ts'
import { knownDataFolders, type Installation } from '../installation.ts'
import type { Output } from './standardOutput.ts'

/** Dependencies of a command. */
export interface CommandContext {
  createCore: CreateCore
  installation: Installation
  userData: string
  output: Output
  stdin: AsyncIterable<Uint8Array>
  /** Aborted by Ctrl+C and by a closed pipe. */
  interrupted: AbortSignal
}

/** Creates a core without a window, so nobody can answer approvals. */
export function openCore(
  { createCore, installation, userData }: CommandContext,
  settings?: CoreOptions['settings'],
  options: Pick<CoreOptions, 'features' | 'trustWorkspace' | 'keys'> = {},
) {
  const { version, resources } = installation
  const otherDataFolders = knownDataFolders()
  return createCore({
    platform: { host: 'headless', version, userData, otherDataFolders, resources },
    settings,
    ...options,
  })
}

/**
 * Prints the MCP servers of the folder to standard error: those that `--trust` starts, with their complete definition, and
 * those that are skipped.
 * @param trusting whether `--trust` was given
 */
export async function announceServers({ handlers }: Core, trusting: boolean): Promise<void> {
  const { servers, problems } = await handlers['mcp.state']({}, new AbortController().signal)
  for (const problem of problems) console.error(visibleText(problem))
  for (const { name, file, definition, state } of servers.filter(({ origin }) => origin === 'workspace')) {
    const what = `the MCP server "${visibleText(name)}" of ${file}`
    const json = visibleText(JSON.stringify(definition))
    if (state === 'refused') console.error(`Skipped: ${what} was refused in the application.`)
    else if (state === 'untrusted')
      console.error(`Skipped: ${what} is not trusted. Use --trust to start it in this run: ${json}`)
    else if (trusting) console.error(`Trusted: ${what}: ${json}`)
  }
}
