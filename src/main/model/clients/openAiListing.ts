import { minOllamaWindow } from '../../../shared/agent/contextAllocation.ts'
import { templateReplay } from './reasoningReplay.ts'
import type { ModelInfo } from '../../../shared/settings/settings.ts'
import { isSameModel } from '../../../shared/models/modelName.ts'
import { isChatModel, isEmbeddingModel } from './chatModels.ts'
import { isRecord, notModelServer } from '../transport/modelErrors.ts'
import { getOptionalJson, getJson, recordsIn, tokenCount, type Listing, type ListRequest } from './modelListing.ts'

type Entry = Record<string, unknown>

/**
 * Maximum number of loaded models of a llama-server router to request properties for. For the others, their command
 * lines are parsed.
 */
const maxPropsRequests = 8

/**
 * Lists the models of an OpenAI-compatible server, with context sizes from LM Studio (`/api/v0/models`), llama-server
 * (`/props`), vLLM (`max_model_len`), SGLang (`/get_server_info`), KoboldCpp and gateways. Omits rerankers.
 * @throws ModelError, AbortError
 */
export async function listOpenAi(request: ListRequest): Promise<Listing> {
  const [list, lmStudio, props] = await Promise.all([
    getJson(request, '/v1/models'),
    getOptionalJson(request, '/api/v0/models'),
    getOptionalJson(request, '/props'),
  ])
  const listed = recordsIn(list, 'data')?.filter(hasId)
  if (!listed) throw notModelServer(request.target, (server) => `${server} sent JSON without a list of models.`)

  const studio = recordsIn(lmStudio, 'data')?.filter((entry) => typeof entry['state'] === 'string' && hasId(entry))
  const all = studio?.length ? studio : listed
  const entries = all.filter((entry) => isChatModel(String(entry['id']), entry))
  const embeddingModels = all
    .filter((entry) => isEmbeddingModel(String(entry['id']), entry))
    .map((entry) => String(entry['id']))
  const listing: Listing = studio?.length
    ? { server: 'lmstudio', models: entries.map(fromLmStudio) }
    : await withDetails(request, entries, props)
  return { ...listing, ...(embeddingModels.length > 0 && { embeddingModels }) }
}

/** Adds the details that the server's software reports about its models. */
async function withDetails(request: ListRequest, entries: Entry[], props: unknown): Promise<Listing> {
  if (isRecord(props) && isRecord(props['default_generation_settings'])) {
    const slots = tokenCount(props['total_slots'])
    const models = await fromLlamaServer(request, entries, props)
    const isBase = models.length === 1 && (await isBaseModel(request, props))
    return {
      server: 'llamacpp',
      ...(isBase ? { models: [], baseModels: models.map(({ id }) => id) } : { models }),
      ...(slots && { slots }),
    }
  }
  // Ollama's /v1 reports a model's namespace, which is usually `library`.
  if (entries.some((entry) => entry['owned_by'] === 'library'))
    return { server: 'ollama', models: await fromOllama(request, entries) }
  const owner = entries.map((entry) => entry['owned_by']).find((name) => typeof name === 'string')
  switch (owner) {
    case 'vllm':
      return { server: 'vllm', models: entries.map(plain) }
    case 'sglang':
      return { server: 'sglang', models: await fromSglang(request, entries) }
    case 'koboldcpp':
      return { server: 'koboldcpp', models: await fromKobold(request, entries) }
    default:
      return { models: entries.map(plain) }
  }
}

/** Reads an entry of `/v1/models` with the fields of vLLM, Ray Serve, LiteLLM, OpenRouter and Mistral's server. */
function plain(entry: Entry): ModelInfo {
  const metadata = record(entry['metadata'])
  const capabilities = record(entry['capabilities'])
  const inputs = record(entry['architecture'])['input_modalities']
  const parameters = entry['supported_parameters']
  const vision = capabilities['vision'] ?? (Array.isArray(inputs) ? inputs.includes('image') : undefined)
  const tools =
    capabilities['function_calling'] ?? (Array.isArray(parameters) ? parameters.includes('tools') : undefined)
  const root = nameInPath(entry['root'])
  return {
    id: String(entry['id']),
    // vLLM and SGLang report the model behind --served-model-name.
    ...(root !== undefined && root !== nameInPath(entry['id']) && { originalName: root }),
    ...window(
      entry['max_model_len'] ??
        entry['context_length'] ??
        entry['context_window'] ??
        entry['max_context_length'] ??
        metadata['max_request_context_length'],
    ),
    ...(typeof tools === 'boolean' && { tools }),
    ...(typeof vision === 'boolean' && { vision }),
  }
}

function fromLmStudio(entry: Entry): ModelInfo {
  const loaded = entry['state'] === 'loaded'
  const capabilities = Array.isArray(entry['capabilities']) ? entry['capabilities'] : []
  return {
    id: String(entry['id']),
    ...window((loaded ? entry['loaded_context_length'] : undefined) ?? entry['max_context_length']),
    ...trainedWindow(entry['max_context_length']),
    // LM Studio supports tool calls for any model, so a missing capability means nothing.
    ...(capabilities.includes('tool_use') && { tools: true }),
    ...(typeof entry['type'] === 'string' && { vision: entry['type'] === 'vlm' }),
    loaded,
  }
}

/**
 * Reads llama-server's models. A router has many, each with a `status`; the properties of a loaded one are requested by
 * name with `autoload=false`, which does not load it.
 */
function fromLlamaServer(request: ListRequest, entries: Entry[], props: Entry): Promise<ModelInfo[]> {
  let propsRequests = 0
  return Promise.all(
    entries.map(async (entry) => {
      const id = String(entry['id'])
      if (!isRecord(entry['status'])) return { id, ...propertiesOf(props), ...sizesOf(entry), loaded: true }
      const { value, args } = entry['status']
      if (value !== 'loaded' || ++propsRequests > maxPropsRequests)
        return { id, ...window(argument(args, ['-c', '--ctx-size'])), loaded: value === 'loaded' }
      return {
        id,
        ...propertiesOf(
          record(await getOptionalJson(request, `/props?model=${encodeURIComponent(id)}&autoload=false`)),
        ),
        loaded: true,
      }
    }),
  )
}

/**
 * Whether llama-server runs a model without a chat template. It then uses ChatML (`CHATML_TEMPLATE_SRC` in
 * common/chat.cpp). For a model that was not trained with ChatML's marks, each of them is several tokens.
 */
async function isBaseModel(request: ListRequest, props: Entry): Promise<boolean> {
  const mark = '<|im_start|>'
  const template = props['chat_template']
  const isSubstitute =
    typeof template === 'string' && template.length < 400 && template.includes(mark) && !template.includes('tools')
  if (!isSubstitute) return false
  const tokenized = record(await getOptionalJson(request, '/tokenize', { content: mark, parse_special: true }))
  const tokens = tokenized['tokens']
  return Array.isArray(tokens) && tokens.length > 1
}

/** llama-server reports sizes of a loaded model. */
function sizesOf(entry: Entry): Pick<ModelInfo, 'parameters' | 'trainedWindow'> {
  const { n_params: parameters, n_ctx_train: trained } = record(entry['meta'])
  return { ...(typeof parameters === 'number' && parameters > 0 && { parameters }), ...trainedWindow(trained) }
}

function propertiesOf(props: Entry): Omit<ModelInfo, 'id'> {
  const caps = record(props['chat_template_caps'])
  const tools = caps['supports_tools'] ?? caps['supports_tool_calls']
  const { vision } = record(props['modalities'])
  const { chat_template: template, model_path: path } = props
  const preserves = caps['supports_preserve_reasoning']
  const originalName = nameInPath(path)
  return {
    ...window(record(props['default_generation_settings'])['n_ctx']),
    ...(typeof tools === 'boolean' && { tools }),
    ...(typeof vision === 'boolean' && { vision }),
    ...(originalName !== undefined && { originalName }),
    ...(typeof template === 'string' &&
      template !== '' && {
        reasoning: templateReplay(template, typeof preserves === 'boolean' ? preserves : undefined, originalName ?? ''),
      }),
  }
}

/** Returns the name of the file or repository in a model's path. */
function nameInPath(path: unknown): string | undefined {
  return typeof path === 'string' ? path.split(/[\\/]/).findLast((part) => part !== '') : undefined
}

/**
 * Through /v1, Ollama silently truncates prompts to the size with which it loads a model. Until it is loaded, that size
 * is unknown, so Ollama's smallest default is assumed.
 */
async function fromOllama(request: ListRequest, entries: Entry[]): Promise<ModelInfo[]> {
  const running = recordsIn(await getOptionalJson(request, '/api/ps'), 'models') ?? []
  return entries.map((entry) => {
    const info = plain(entry)
    const inMemory = running.find(({ name, model }) => isSameModel(String(name ?? model), info.id))
    const size = tokenCount(inMemory?.['context_length'])
    return {
      ...info,
      contextWindow: size ?? minOllamaWindow,
      loaded: inMemory !== undefined,
      ...(size !== undefined && { loadedWindow: size }),
    }
  })
}

/** Returns the value of a numeric command line option. */
function argument(args: unknown, names: readonly string[]): number | undefined {
  if (!Array.isArray(args)) return undefined
  const at = args.findIndex((word) => names.includes(String(word)))
  return at === -1 ? undefined : Number(args[at + 1])
}

/** SGLang serves one model. Its KV cache may be smaller than the model's context length. */
async function fromSglang(request: ListRequest, entries: Entry[]): Promise<ModelInfo[]> {
  const [server, model] = (
    await Promise.all([getOptionalJson(request, '/get_server_info'), getOptionalJson(request, '/get_model_info')])
  ).map(record)
  const memory = tokenCount(server?.['max_total_num_tokens'])
  const vision = model?.['has_image_understanding']
  return entries.map((entry) => {
    const info = plain(entry)
    const size = info.contextWindow ?? tokenCount(server?.['context_length'])
    return {
      ...info,
      ...window(Math.min(size ?? Infinity, memory ?? Infinity)),
      ...(typeof vision === 'boolean' && { vision }),
    }
  })
}

async function fromKobold(request: ListRequest, entries: Entry[]): Promise<ModelInfo[]> {
  const [size, version] = (
    await Promise.all([
      getOptionalJson(request, '/api/extra/true_max_context_length'),
      getOptionalJson(request, '/api/extra/version'),
    ])
  ).map(record)
  const vision = version?.['vision']
  return entries.map((entry) => ({
    id: String(entry['id']),
    ...window(size?.['value']),
    ...(typeof vision === 'boolean' && { vision }),
    loaded: true,
  }))
}

/** Whether the model has a name, so that it can be requested. */
function hasId({ id }: Entry): boolean {
  return typeof id === 'string' && id !== ''
}

function record(value: unknown): Entry {
  return isRecord(value) ? value : {}
}

function window(value: unknown): { contextWindow?: number } {
  const size = tokenCount(value)
  return size ? { contextWindow: size } : {}
}

function trainedWindow(value: unknown): { trainedWindow?: number } {
  const size = tokenCount(value)
  return size ? { trainedWindow: size } : {}
}
