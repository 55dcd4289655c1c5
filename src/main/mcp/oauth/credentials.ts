import { z } from 'zod'
import type { McpOrigin } from '../../../shared/tools/mcp.ts'
import { hideSecret } from '../../base/log/redact.ts'

/** The stored result of a sign-in: tokens, their server and their authorization server. */
const credentialsSchema = z.object({
  /** Address of the MCP server. The tokens are sent nowhere else. */
  serverUrl: z.string(),
  issuer: z.string(),
  resource: z.string(),
  tokenEndpoint: z.string(),
  revocationEndpoint: z.string().optional(),
  /** Methods by which the token endpoint accepts the client's secret. */
  clientAuthentication: z.array(z.string()).optional(),
  client: z.object({
    client_id: z.string(),
    client_secret: z.string().optional(),
    token_endpoint_auth_method: z.string().optional(),
  }),
  /** Permissions that the server required in addition, to request in the next sign-in. */
  requiredScopes: z.string().optional(),
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  /** Milliseconds since 1970. */
  expiresAt: z.number().optional(),
})
export type Credentials = z.output<typeof credentialsSchema>

/** Access to the secret store. */
export interface SecretAccess {
  /** @param fresh reads what other windows and processes have stored since */
  secret(id: string, fresh?: boolean): Promise<string | undefined>
  setSecret(id: string, value: string | null): Promise<void>
}

/** Returns the id of the secret with a server's credentials. Definitions cannot refer to it, unlike to `secretId`. */
export function credentialsId({ origin, name }: { origin: McpOrigin; name: string }, workspace: string): string {
  return JSON.stringify(['mcp-sign-in', origin === 'workspace' ? workspace : origin, name])
}

/** Reads the credentials for a server's current address. */
export async function readCredentials(
  { secret }: Pick<SecretAccess, 'secret'>,
  id: string,
  serverUrl: string,
  fresh = false,
): Promise<Credentials | undefined> {
  const text = await secret(id, fresh)
  if (text === undefined) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The entry is damaged, so the user has to sign in again.
    return undefined
  }
  const { data } = credentialsSchema.safeParse(value)
  if (data?.serverUrl !== serverUrl) return undefined
  for (const token of [data.accessToken, data.refreshToken, data.client.client_secret]) if (token) hideSecret(token)
  return data
}

export function writeCredentials({ setSecret }: SecretAccess, id: string, value: Credentials | null): Promise<void> {
  for (const token of [value?.accessToken, value?.refreshToken]) if (token) hideSecret(token)
  return setSecret(id, value && JSON.stringify(value))
}
