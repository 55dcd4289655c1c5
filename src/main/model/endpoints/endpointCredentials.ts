import { z } from 'zod'
import type { Endpoint } from '../../../shared/settings/settings.ts'

/** Secrets that authenticate requests. They stay in the main process and are sent only in request headers. */
export interface Credentials {
  key?: string
  /** Values by header name, for the names in `Endpoint.headers`. */
  headers: Record<string, string>
}

/** The secret store (settings/secretStore.ts). */
export interface Secrets {
  get(id: string): Promise<string | undefined>
  set(id: string, secret: string | null): Promise<void>
}

const headerValues = z.record(z.string(), z.string())
/** Returns the id of the stored headers. The API key is stored under the endpoint's id. */
const headersId = (id: string) => `${id}/headers`

/** Reads the stored secrets of an endpoint. Omits missing values. */
export async function readCredentials(secrets: Secrets, { id, hasKey, headers }: Endpoint): Promise<Credentials> {
  const key = hasKey ? await secrets.get(id) : undefined
  const stored = headers?.length ? await secrets.get(headersId(id)) : undefined
  const values = stored === undefined ? {} : headerValues.parse(JSON.parse(stored))
  return { ...(key && { key }), headers: pickHeaders(values, headers) }
}

/** Stores the secrets of an endpoint; `null` deletes them. */
export async function writeCredentials(secrets: Secrets, id: string, credentials: Credentials | null): Promise<void> {
  await secrets.set(id, credentials?.key ?? null)
  const headers = credentials?.headers ?? {}
  await secrets.set(headersId(id), Object.keys(headers).length > 0 ? JSON.stringify(headers) : null)
}

/** Returns the headers to send. A header set by the user overrides the one derived from the key. */
export function requestHeaders({ key, headers }: Credentials): Record<string, string> {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  return { ...(key && { authorization: `Bearer ${key}` }), ...Object.fromEntries(lower) }
}

/** Picks the values whose header names are listed. */
export function pickHeaders(
  values: Readonly<Record<string, string>>,
  names: readonly string[] = [],
): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])))
}
