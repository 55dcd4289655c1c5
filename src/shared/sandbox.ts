/** Whether commands can run in a sandbox on this machine. */
export type SandboxState =
  | { kind: 'checking' }
  | { kind: 'available'; program: 'bubblewrap' | 'sandbox-exec' }
  /** `hint`: how the user can make it available; empty if there is no way. */
  | { kind: 'unavailable'; reason: string; hint: string }
  /** The user turned it off. */
  | { kind: 'off' }

/** How one command runs. */
export type CommandSandbox = { sandboxed: true; network: boolean } | { sandboxed: false; reason: string }

/**
 * What a command may use: `sandbox` without network unless the command line is known to need it, `network` in the sandbox,
 * `outside` everything that the user may use.
 */
export type CommandAccess = 'sandbox' | 'network' | 'outside'

/** What the sandbox blocked, and how to run the command again with access to it. */
export interface SandboxDenial {
  kind: 'network' | 'listening' | 'files' | 'start'
  /** What was blocked, as a sentence. */
  message: string
  retry: Exclude<CommandAccess, 'sandbox'>
}

/** Describes on a card how a command runs. */
export function sandboxText(sandbox: CommandSandbox): string {
  if (!sandbox.sandboxed) return `Not sandboxed: ${sandbox.reason}`
  return sandbox.network ? 'Sandboxed, with network' : 'Sandboxed, no network'
}

/** Why commands are not sandboxed, as the end of a sentence; undefined if they are. */
export function unsandboxedReason(state: SandboxState): string | undefined {
  switch (state.kind) {
    case 'available':
      return undefined
    case 'off':
      return 'turned off in the settings'
    case 'checking':
      return 'not checked yet'
    case 'unavailable':
      return state.reason
  }
}
