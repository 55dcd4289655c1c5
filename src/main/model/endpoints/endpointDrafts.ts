import { randomUUID } from 'node:crypto'
import { ToolError } from '../../../shared/errors.ts'
import type { Endpoint } from '../../../shared/settings.ts'
import { pickHeaders, readCredentials, type Credentials, type Secrets } from './credentials.ts'
import { serverRoot } from './knownServers.ts'

/** An endpoint as a form sends it: without an id it is new. */
export type EndpointDraft = Omit<Endpoint, 'id'> & {
  id?: string
  /** Values of some of its `headers`; one that is not named keeps its stored value. */
  headerValues?: Record<string, string>
}

/**
 * A draft as it would be stored, and what it would be asked with. What was stored for one server never goes to another.
 * @param key text, `null` or `''` to forget it, or undefined to keep what is stored
 * @param before the endpoint as it is stored now
 * @throws ToolError `invalid_arguments`
 */
export async function resolveDraft(
  draft: EndpointDraft,
  key: string | null | undefined,
  before: Endpoint | undefined,
  secrets: Secrets,
): Promise<{ endpoint: Endpoint; credentials: Credentials }> {
  if (draft.kind === 'tour')
    throw new ToolError(
      'invalid_arguments',
      'The tour is not an endpoint that can be configured.',
      'Start it from the welcome page.',
    )
  const root = serverKey(draft)
  if (!root) {
    throw new ToolError(
      'invalid_arguments',
      `"${draft.baseUrl}" is not an http(s) address.`,
      'Enter an address such as http://127.0.0.1:8080 or http://127.0.0.1:8080/v1.',
    )
  }
  const stored = before && serverKey(before) === root ? await readCredentials(secrets, before) : { headers: {} }
  const { headerValues, ...fields } = draft
  const secret = key === undefined ? stored.key : key || undefined
  const headers = pickHeaders({ ...stored.headers, ...headerValues }, draft.headers)
  const missing = draft.headers?.find((name) => headers[name] === undefined)
  if (missing !== undefined) {
    throw new ToolError(
      'invalid_arguments',
      `The header ${missing} has no value.`,
      'Enter its value: it is not kept when the address changes to another server.',
    )
  }
  return {
    endpoint: { ...fields, id: draft.id ?? randomUUID(), baseUrl: draft.baseUrl.trim(), hasKey: secret !== undefined },
    credentials: { ...(secret !== undefined && { key: secret }), headers },
  }
}

/** Tells servers apart: `localhost` and 127.0.0.1 are one. Empty for an address that is none. */
export function serverKey(endpoint: { kind: string; baseUrl: string }): string {
  try {
    return serverRoot(endpoint).replace(/^(https?:\/\/)localhost(?=[:/]|$)/, '$1127.0.0.1')
  } catch {
    // serverRoot throws for what is no address; the empty key says so.
    return ''
  }
}
