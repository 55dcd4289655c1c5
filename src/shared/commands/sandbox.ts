/** Whether commands can run in a sandbox on this machine. */
export type SandboxState =
  | { kind: 'checking' }
  | { kind: 'available'; program: 'bubblewrap' | 'sandbox-exec' }
  /** `hint`: how the user can make it available; empty if there is no way. */
  | { kind: 'unavailable'; reason: string; hint: string }
  /** The user turned it off. */
  | { kind: 'off' }

/** How one command runs. */
export type CommandSandbox =
  | {
      sandboxed: true
      network: boolean
      /** Secret files that the command may read, because its line names them. Relative to the workspace. */
      secrets?: readonly string[]
    }
  | { sandboxed: false; reason: string }

/**
 * What a command may use: `sandbox` without network unless the command line is known to need it, `network` in the
 * sandbox, `outside` everything that the user may use.
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
  const network = sandbox.network ? 'with network' : 'no network'
  return ['Sandboxed', network, ...(sandbox.secrets?.length ? [`can read ${sandbox.secrets.join(', ')}`] : [])].join(
    ', ',
  )
}

/** Protected places that a sandboxed command created or changed. Paths relative to the workspace. */
export interface ProtectedChanges {
  created: readonly string[]
  changed: readonly string[]
  /** Number of further places. */
  more: number
}

/** Describes created and changed protected places on a card and for the model. */
export function protectedChangesText({ created, changed, more }: ProtectedChanges): string {
  const places = [created.length > 0 && `created ${list(created)}`, changed.length > 0 && `changed ${list(changed)}`]
  const rest = more === 0 ? '' : ` and ${more} more`
  const several = created.length + changed.length + more > 1
  return `This command ${places.filter(Boolean).join(' and ')}${rest}, which can run code later. Review ${several ? 'them' : 'it'}.`
}

const list = (names: readonly string[]): string => names.join(', ')

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
