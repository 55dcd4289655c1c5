import type { CoreOptions, CreateCore } from '../../core.ts'
import type { Installation } from '../installation.ts'
import type { Output } from './output.ts'

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
export function openCore({ createCore, installation, userData }: CommandContext, settings?: CoreOptions['settings'], abilities?: CoreOptions['abilities']) {
  return createCore({ platform: { shell: 'headless', version: installation.version, userData, resources: installation.resources }, settings, abilities })
}
