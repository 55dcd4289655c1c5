import type { McpSignInQuestion } from '../../shared/tools/mcp.ts'
import { ToolError } from '../../shared/errors.ts'
import type { ServerEntry } from './serverEntries.ts'
import { credentialsId, readCredentials, writeCredentials, type SecretAccess } from './oauth/credentials.ts'

/** Time limit for the user to sign in, in milliseconds. */
const maxWaitMs = 600_000
/** Time limit for revoking tokens, in milliseconds. */
const maxRevocationMs = 5000

/** A sign-in that waits for the user. */
export interface SignInState {
  /** Address of the sign-in page, once it is known. */
  page?: string
}

/** Sign-ins at the servers of a folder, by server key (`McpServerStatus.key`). */
export interface McpSignIns {
  /** Finds the authorization server. @throws ToolError */
  find(key: string, signal: AbortSignal): Promise<McpSignInQuestion>
  /**
   * Signs in and restarts the server.
   * @param host of the page that the user has confirmed
   * @param onPage shows the page to the user
   * @throws ToolError
   */
  signIn(key: string, host: string, onPage: (url: string) => Promise<void> | void, signal: AbortSignal): Promise<void>
  cancel(key: string): void
  /** Revokes and deletes the tokens, and restarts the server. */
  signOut(key: string): Promise<void>
}

interface ServerSignIns extends McpSignIns {
  state(key: string): SignInState | undefined
  cancelAll(): void
}

interface ServerSignInsDeps {
  secrets: SecretAccess
  workspace: string
  /** @throws ToolError conflict if there is no such server */
  find(key: string): ServerEntry
  restart(key: string): Promise<void>
  onChanged(): void
}

/** The sign-ins of the servers of a folder. The protocol library is loaded with the first one. */
export function createServerSignIns({
  secrets,
  workspace,
  find,
  restart,
  onChanged,
}: ServerSignInsDeps): ServerSignIns {
  const waiting = new Map<string, { state: SignInState; end: AbortController }>()

  async function locate(entry: ServerEntry, signal: AbortSignal) {
    const { definition, name, trust } = entry
    if (trust !== 'trusted')
      throw new ToolError('refused', `You have not trusted the MCP server "${name}".`, 'Review its definition first.')
    if (definition.type !== 'http')
      throw new ToolError('invalid_arguments', `The MCP server "${name}" is a program and needs no sign-in.`)
    const { createOAuthFetch } = await import('./oauth/oauthFetch.ts')
    const { findAuthorizationServer } = await import('./oauth/authorizationServer.ts')
    const { url } = definition
    const before = await readCredentials(secrets, credentialsId(entry, workspace), url, true)
    const requiredScopes = before?.requiredScopes
    const at = await findAuthorizationServer(url, createOAuthFetch(url, signal), requiredScopes)
    return { at, definition, requiredScopes }
  }

  return {
    state: (key) => waiting.get(key)?.state,
    async find(key, signal) {
      const { at, definition } = await locate(find(key), signal)
      const scopes = at.scope?.split(' ').filter((scope) => scope !== '') ?? []
      return { host: at.host, server: new URL(definition.url).host, scopes }
    },
    async signIn(key, host, onPage, signal) {
      const entry = find(key)
      const { name } = entry
      if (waiting.has(key))
        throw new ToolError(
          'conflict',
          `A sign-in for "${name}" is waiting.`,
          'Finish it in your browser, or cancel it.',
        )
      const current = { state: {} as SignInState, end: new AbortController() }
      waiting.set(key, current)
      onChanged()
      const timeout = AbortSignal.timeout(maxWaitMs)
      try {
        const until = AbortSignal.any([signal, current.end.signal, timeout])
        const { at, definition, requiredScopes } = await locate(entry, until)
        if (at.host !== host) {
          const what = `The sign-in page is at ${at.host} now, not at ${host}.`
          throw new ToolError('refused', what, 'Start the sign-in again.')
        }
        const { signIn } = await import('./oauth/signIn.ts')
        const credentials = await signIn({
          serverUrl: definition.url,
          at,
          registered: definition.oauth,
          signal: until,
          async onPage(page) {
            current.state.page = page
            onChanged()
            await onPage(page)
          },
        })
        await writeCredentials(secrets, credentialsId(entry, workspace), { ...credentials, requiredScopes })
      } catch (error) {
        if (timeout.aborted)
          throw new ToolError(
            'timeout',
            `The sign-in for "${name}" was not completed within 10 minutes.`,
            'Sign in again.',
          )
        if (current.end.signal.aborted) throw new ToolError('cancelled', 'The sign-in was cancelled.')
        throw error
      } finally {
        waiting.delete(key)
        onChanged()
      }
      await restart(key)
    },
    cancel: (key) => waiting.get(key)?.end.abort(),
    cancelAll() {
      for (const { end } of waiting.values()) end.abort()
    },
    async signOut(key) {
      const entry = find(key)
      if (entry.definition.type !== 'http') return
      const id = credentialsId(entry, workspace)
      const stored = await readCredentials(secrets, id, entry.definition.url, true)
      await writeCredentials(secrets, id, null)
      if (stored) {
        const { revoke } = await import('./oauth/signIn.ts')
        await revoke(stored, AbortSignal.timeout(maxRevocationMs))
      }
      await restart(key)
    },
  }
}
