import { visibleText } from '../../../shared/text/visibleText.ts'
import type { Core, CoreOptions, CreateCore } from '../../core.ts'
import { knownDataFolders, type Installation } from '../installation.ts'
import type { Output } from './standardOutput.ts'

/** Maximum number of skipped files that are named. */
const maxAnnounced = 10

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

/** Creates a core without a window. Nobody can approve calls unless the host does (`attended`). */
export function openCore(
  { createCore, installation, userData }: CommandContext,
  settings?: CoreOptions['settings'],
  options: Pick<CoreOptions, 'features' | 'trustWorkspace' | 'attended' | 'keys'> = {},
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
 * Prints to standard error which instructions, rules, skills and prompts of the folder are skipped without `--trust`.
 */
export async function announceRestricted({ handlers }: Core): Promise<void> {
  const signal = new AbortController().signal
  const { workspace } = await handlers['app.state']({}, signal)
  if (!workspace?.restricted) return
  const { effects } = await handlers['trust.effects']({}, signal)
  const names = effects.filter(({ kind }) => kind !== 'server').map(({ name }) => visibleText(name))
  if (names.length === 0) return
  const listed = names.length > maxAnnounced ? [...names.slice(0, maxAnnounced), '…'] : names
  console.error(`Skipped: ${listed.join(', ')}. The folder is not trusted. Use --trust to use these files in this run.`)
}

/**
 * Prints the folder's MCP servers to standard error: those that `--trust` starts, with their complete definition, and
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
    else if (state === 'untrusted' || state === 'restricted')
      console.error(`Skipped: ${what} is not trusted. Use --trust to start it in this run: ${json}`)
    else if (trusting) console.error(`Trusted: ${what}: ${json}`)
  }
}
