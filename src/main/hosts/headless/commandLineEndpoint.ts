import type { ModelChoice } from '../../../shared/conversation.ts'
import type { Endpoint } from '../../../shared/settings.ts'
import { endpointKind } from '../../handlers/endpointKind.ts'

/** Id of the endpoint that the command line defines. Only `check-model --apply` stores it. */
const endpointId = 'command-line'

/** Options of a command that name a model server. */
interface EndpointOptions {
  endpoint: string
  model: string
  /** Default: detected. */
  kind?: Endpoint['kind'] | undefined
  'context-window'?: number | undefined
}

/**
 * Returns settings and keys for the model server on the command line. Its key is in `TIZONA_API_KEY`.
 * @param signal cancels the detection of the server's API
 */
export async function commandLineEndpoint(
  options: EndpointOptions,
  signal: AbortSignal,
): Promise<{ endpoints: [Endpoint]; model: ModelChoice; keys: Record<string, string> }> {
  const kind = options.kind ?? (await endpointKind(options.endpoint, signal))
  const key = process.env['TIZONA_API_KEY'] ?? ''
  const endpoint: Endpoint = {
    id: endpointId,
    name: nameOf(options.endpoint),
    kind,
    baseUrl: options.endpoint,
    hasKey: key !== '',
    ...(options['context-window'] && { contextWindow: options['context-window'] }),
  }
  const model = { endpointId, model: options.model }
  return { endpoints: [endpoint], model, keys: key === '' ? {} : { [endpointId]: key } }
}

/** Returns the host of an address, as the name in messages; the last part of a path. */
function nameOf(address: string): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`
  const host = URL.canParse(url) ? new URL(url).host : ''
  return host || (address.split(/[\\/]/).findLast((part) => part !== '') ?? address)
}
