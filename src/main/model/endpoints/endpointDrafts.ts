import { randomUUID } from 'node:crypto'
import { isAbsolute } from 'node:path'
import { ToolError } from '../../../shared/errors.ts'
import type { Endpoint } from '../../../shared/settings/settings.ts'
import { pickHeaders, readCredentials, type Credentials, type Secrets } from './endpointCredentials.ts'
import { serverRoot } from '../transport/localServers.ts'

/** An endpoint as submitted by the settings form. A new one has no id. */
export type EndpointDraft = Omit<Endpoint, 'id'> & {
  id?: string
  /** Values for some of `headers`. Others keep their stored values. */
  headerValues?: Record<string, string>
}

/**
 * Returns a draft as it would be stored, with the credentials to use. Never sends the stored secrets of one server to
 * another.
 * @param key the API key; `null` or `''` deletes it, undefined keeps the stored one
 * @param before the endpoint as currently stored
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
      'The tour cannot be configured as an endpoint.',
      'Start it from the welcome page.',
    )
  if (draft.kind === 'gguf') return { endpoint: fileEndpoint(draft), credentials: { headers: {} } }
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
      'Enter its value. Stored values are not used for another server.',
    )
  }
  return {
    endpoint: { ...fields, id: draft.id ?? randomUUID(), baseUrl: draft.baseUrl.trim(), hasKey: secret !== undefined },
    credentials: { ...(secret !== undefined && { key: secret }), headers },
  }
}

/** Returns a draft of a model file as it would be stored. A file has neither a key nor headers. */
function fileEndpoint(draft: EndpointDraft): Endpoint {
  const file = draft.baseUrl.trim()
  if (!isAbsolute(file) || !/\.gguf$/i.test(file)) {
    throw new ToolError(
      'invalid_arguments',
      `"${file}" is not the absolute path of a .gguf file.`,
      'Enter a path such as /home/me/models/Qwen3-8B-Q4_K_M.gguf.',
    )
  }
  const { name, kind, contextWindow, models } = draft
  return {
    id: draft.id ?? randomUUID(),
    name,
    kind,
    baseUrl: file,
    hasKey: false,
    ...(contextWindow !== undefined && { contextWindow }),
    ...(models && { models }),
  }
}

/** Identifies a server; `localhost` and 127.0.0.1 are the same one. Empty for an invalid address. */
export function serverKey(endpoint: { kind: string; baseUrl: string }): string {
  try {
    return serverRoot(endpoint).replace(/^(https?:\/\/)localhost(?=[:/]|$)/, '$1127.0.0.1')
  } catch {
    // The address is invalid.
    return ''
  }
}
