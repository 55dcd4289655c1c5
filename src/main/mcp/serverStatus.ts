import type { McpServerState, McpServerStatus } from '../../shared/tools/mcp.ts'
import { inputNames } from '../../shared/tools/mcpInputs.ts'
import type { SignInState } from './oauth/serverSignIns.ts'
import type { ServerEntry } from './serverEntries.ts'

/**
 * Returns the status of a server for the window.
 * @param off whether the user has turned off the server
 * @param signingIn a sign-in that waits for the user
 */
export function serverStatus(
  entry: ServerEntry,
  off: boolean,
  tools: McpServerStatus['tools'],
  signingIn: SignInState | undefined,
): McpServerStatus {
  const { key, name, origin, file, definition, before, changedPrograms, storedInputs, log } = entry
  const connection = entry.connection?.state()
  return {
    key,
    name,
    origin,
    file,
    definition,
    before,
    changedFiles: changedPrograms && [...changedPrograms],
    state: serverState(entry, off),
    problem: connection?.kind === 'failed' || connection?.kind === 'starting' ? connection.problem : undefined,
    log: log.lines(),
    inputs: inputNames(definition).map((input) => ({ name: input, stored: storedInputs.has(input) })),
    tools,
    signIn: signInStatus(entry, signingIn),
  }
}

function signInStatus(
  { connection, signedIn }: ServerEntry,
  signingIn: SignInState | undefined,
): McpServerStatus['signIn'] {
  if (signingIn) return { state: 'waiting', page: signingIn.page }
  const state = connection?.state()
  if (state?.kind === 'failed' && state.signInRequired) return { state: 'required' }
  return signedIn ? { state: 'signedIn' } : undefined
}

function serverState({ trust, connection }: ServerEntry, off: boolean): McpServerState {
  if (trust === 'unknown') return 'untrusted'
  if (trust !== 'trusted') return trust
  if (off) return 'off'
  const kind = connection?.state().kind
  return kind === undefined || kind === 'closed' ? 'idle' : kind
}
