import { visibleText } from '../../../shared/visibleText.ts'
import type { Core, CoreOptions, CreateCore } from '../../core.ts'
import type { Installation } from '../installation.ts'
import type { Output } from './standardOutput.ts'

/** What a command works with; tests pass their own. */
export interface CommandContext {
  createCore: CreateCore
  installation: Installation
  userData: string
  output: Output
  stdin: AsyncIterable<Uint8Array>
  /** Aborted by Ctrl+C and by a reader that went away. */
  interrupted: AbortSignal
}

/** A core without a window: nobody can be asked. */
export function openCore(
  { createCore, installation, userData }: CommandContext,
  settings?: CoreOptions['settings'],
  options: Pick<CoreOptions, 'features' | 'trustWorkspace' | 'keys'> = {},
) {
  const { version, resources } = installation
  return createCore({ platform: { host: 'headless', version, userData, resources }, settings, ...options })
}

/**
 * Says on standard error what `--trust` lets a run start, whole, and what is left out without it.
 * @param trusting whether it was given
 */
export async function announceServers({ handlers }: Core, trusting: boolean): Promise<void> {
  const { servers, problems } = await handlers['mcp.state']({}, new AbortController().signal)
  for (const problem of problems) console.error(visibleText(problem))
  for (const { name, file, definition, state } of servers.filter(({ origin }) => origin === 'workspace')) {
    const what = `the MCP server "${visibleText(name)}" of ${file}`
    const whole = visibleText(JSON.stringify(definition))
    if (state === 'refused') console.error(`Left out: ${what} was refused in the application.`)
    else if (state === 'untrusted')
      console.error(`Left out: ${what} is not trusted. With --trust it is, for one run: ${whole}`)
    else if (trusting) console.error(`Trusted: ${what}: ${whole}`)
  }
}
