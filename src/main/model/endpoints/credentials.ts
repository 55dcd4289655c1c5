import { z } from 'zod'
import type { Endpoint } from '../../../shared/settings.ts'

/** What opens a server's door. Stays in main, and goes into request headers and nowhere else. */
export interface Credentials {
  key?: string
  /** Values by the names that the endpoint lists. */
  headers: Record<string, string>
}

/** Where keys are kept (settings/secretStore.ts). */
export interface Secrets {
  get(id: string): Promise<string | undefined>
  set(id: string, secret: string | null): Promise<void>
}

const headerValues = z.record(z.string(), z.string())
/** Beside the key, which stands under the endpoint's id. */
const headersId = (id: string) => `${id}/headers`

/** What is stored for an endpoint; a value that is missing is left out. */
export async function readCredentials(secrets: Secrets, { id, hasKey, headers }: Endpoint): Promise<Credentials> {
  const key = hasKey ? await secrets.get(id) : undefined
  const stored = headers?.length ? await secrets.get(headersId(id)) : undefined
  const values = stored === undefined ? {} : headerValues.parse(JSON.parse(stored))
  return { ...(key && { key }), headers: pickHeaders(values, headers) }
}

/** Stores what opens an endpoint's door; `null` forgets all of it. */
export async function writeCredentials(secrets: Secrets, id: string, credentials: Credentials | null): Promise<void> {
  await secrets.set(id, credentials?.key ?? null)
  const headers = credentials?.headers ?? {}
  await secrets.set(headersId(id), Object.keys(headers).length > 0 ? JSON.stringify(headers) : null)
}

/** As they are sent. A header the user names wins over the one that the key makes. */
export function requestHeaders({ key, headers }: Credentials): Record<string, string> {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  return { ...(key && { authorization: `Bearer ${key}` }), ...Object.fromEntries(lower) }
}

/** Those values whose name is listed. */
export function pickHeaders(
  values: Readonly<Record<string, string>>,
  names: readonly string[] = [],
): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])))
}
