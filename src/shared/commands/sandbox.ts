/** Whether commands can run in a sandbox on this machine. */
export type SandboxState =
  | { kind: 'checking' }
  | { kind: 'available'; program: 'bubblewrap' | 'sandbox-exec' }
  /** `hint`: how the user can make the sandbox available; empty if there is no way. */
  | { kind: 'unavailable'; reason: string; hint: string }
  | { kind: 'off' }

/** How one command runs. */
export type CommandSandbox =
  | {
      sandboxed: true
      network: boolean
      /** Secret files that the command may read because its command line names them. Workspace-relative. */
      secrets?: readonly string[]
    }
  | { sandboxed: false; reason: string }

/**
 * What a command can reach. `sandbox`: no network, unless the command line is known to need it. `network`: the network,
 * inside the sandbox. `outside`: everything that the user can.
 */
export type CommandAccess = 'sandbox' | 'network' | 'outside'

/** What the sandbox blocked, and how to run the command again with access to it. */
export interface SandboxDenial {
  kind: 'network' | 'listening' | 'files' | 'start'
  /** What was blocked, as a sentence. */
  message: string
  retry: Exclude<CommandAccess, 'sandbox'>
}

/** Describes how a command runs, for its card. */
export function sandboxText(sandbox: CommandSandbox): string {
  if (!sandbox.sandboxed) return `Not sandboxed: ${sandbox.reason}`
  const text = sandbox.network ? 'Sandboxed, with network access' : 'Sandboxed, without network access'
  return sandbox.secrets?.length ? `${text}. Readable secret files: ${sandbox.secrets.join(', ')}` : text
}

/** Protected files and folders that a sandboxed command created or changed. Workspace-relative paths. */
export interface ProtectedChanges {
  created: readonly string[]
  changed: readonly string[]
  /** Number of paths that are not listed. */
  more: number
}

/** Describes created and changed protected paths, on the card and for the model. */
export function protectedChangesText({ created, changed, more }: ProtectedChanges): string {
  const sentences = [
    created.length > 0 && `This command created ${created.join(', ')}.`,
    changed.length > 0 && `This command changed ${changed.join(', ')}.`,
    more > 0 && `Number of paths not listed: ${more}.`,
    created.length + changed.length + more === 1
      ? 'Review it, because it can run code later.'
      : 'Review them, because they can run code later.',
  ]
  return sentences.filter(Boolean).join(' ')
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
