import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ModelChoice } from '../../../shared/agent/conversation.ts'
import type { Endpoint } from '../../../shared/settings/settings.ts'
import { endpointKind, modelName } from '../../handlers/endpointKind.ts'
import { UsageError } from '../appArguments.ts'
import { isModelFile } from './commandOptions.ts'

/** Id of the endpoint defined on the command line. Only `check-model --apply` stores it. */
const endpointId = 'command-line'

/** Options that specify a model server or a model file. */
interface EndpointOptions {
  endpoint: string
  /** Absent for a model file, which has one model. */
  model?: string | undefined
  /** Default: detected. */
  kind?: Endpoint['kind'] | undefined
  'context-window'?: number | undefined
}

/**
 * Returns settings and keys for the model server or model file on the command line. A server's key is in
 * `TIZONA_API_KEY`.
 * @param signal cancels the detection of the server's API
 * @throws UsageError
 */
export async function commandLineEndpoint(
  options: EndpointOptions,
  signal: AbortSignal,
): Promise<{ endpoints: [Endpoint]; model: ModelChoice; keys: Record<string, string> }> {
  if (isModelFile(options.endpoint)) return fileEndpoint(options)
  if (options.model === undefined) throw new UsageError('--model is missing.')
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

async function fileEndpoint(
  options: EndpointOptions,
): Promise<{ endpoints: [Endpoint]; model: ModelChoice; keys: Record<string, string> }> {
  const file = resolve(options.endpoint)
  const found = await stat(file).catch(() => null)
  if (found === null) throw new UsageError(`--endpoint: the file ${file} does not exist.`)
  if (found.isDirectory()) throw new UsageError(`--endpoint: ${file} is a folder, not a file.`)
  const name = modelName(file)
  if (options.kind !== undefined) throw new UsageError('--kind: a model file has no API. Omit it.')
  if (options.model !== undefined && options.model !== name)
    throw new UsageError(`--model: the model in this file is called ${name}. Omit --model.`)
  const endpoint: Endpoint = {
    id: endpointId,
    name,
    kind: 'gguf',
    baseUrl: file,
    hasKey: false,
    ...(options['context-window'] && { contextWindow: options['context-window'] }),
  }
  return { endpoints: [endpoint], model: { endpointId, model: name }, keys: {} }
}

/** Returns the host of a URL, used as its name in messages, or the last part of a path. */
function nameOf(address: string): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`
  const host = URL.canParse(url) ? new URL(url).host : ''
  return host || (address.split(/[\\/]/).findLast((part) => part !== '') ?? address)
}
