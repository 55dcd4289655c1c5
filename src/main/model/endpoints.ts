import { randomUUID } from 'node:crypto'
import type { Abilities } from '../../shared/abilities.ts'
import type { ModelChoice } from '../../shared/conversation.ts'
import { isAbort, ToolError } from '../../shared/errors.ts'
import type { Endpoint, EndpointStatus, ModelInfo, Settings } from '../../shared/settings.ts'
import { ModelError, type ModelClient } from './client.ts'
import { named, readCredentials, writeCredentials, type Credentials, type Secrets } from './credentials.ts'
import { discover, discoveredEndpoint, type DiscoveryOptions } from './discovery.ts'
import { abortError } from './http.ts'
import { asLoaded, optionsOf } from './modelOptions.ts'
import { rootOf } from './openai.ts'
import type { Patience } from './openStream.ts'
import { createPromptWatch } from './promptWatch.ts'
import { createFormMemory, type TextPrompt } from './requestForm.ts'
import { accessTo, askEndpoint, clientOf, whereOf, type Reach } from './reach.ts'
import { cutRemedy } from './remedies.ts'
import { serverNamed, serverRoot } from './servers.ts'
import { createTokenCounter, type TokenCounter } from './tokens.ts'

/** An endpoint as a form sends it: without an id it is new. */
export type EndpointDraft = Omit<Endpoint, 'id'> & {
  id?: string
  /** Values of some of its `headers`; one that is not named keeps its stored value. */
  headerValues?: Record<string, string>
}

export interface EndpointsParts {
  /** The part of the settings store that is needed here. */
  settings: {
    get(): Settings
    update(change: (stored: Settings) => Partial<Settings>): Promise<Settings>
  }
  secrets: Secrets
  /**
   * How this machine is probed; `env` is the process's own unless given. `false`, or `TIZONA_NO_DISCOVERY` in `env`: not at all.
   */
  discovery?: DiscoveryOptions | false
  patience?: Partial<Patience>
  /** Default: all. */
  abilities?: Partial<Abilities>
  /** Tells a model of tools that it cannot call natively. */
  textPrompt?: TextPrompt
}

export interface Endpoints {
  /**
   * The tour while it runs, the configured endpoints, then those found on this machine. `probe`: ask them all anew; otherwise what
   * was last known, asking only what never was.
   */
  list(options: { probe: boolean }, signal: AbortSignal): Promise<EndpointStatus[]>
  /** What was last known, without asking. */
  known(): EndpointStatus[]
  get(id: string): Endpoint | undefined
  /** What was last known of a model, without asking. */
  describe(choice: ModelChoice): ModelInfo | undefined
  /** @throws ModelError `unreachable` when there is no such endpoint (any more) */
  client(id: string): ModelClient
  /** Client, window and token counter of a chosen model; the window is asked for when it is not known. @throws ModelError */
  model(choice: ModelChoice, signal?: AbortSignal): Promise<{ client: ModelClient; contextWindow?: number; tokens: TokenCounter }>
  /** The chosen model, else the first usable one that was found. */
  defaultModel(): ModelChoice | undefined
  /**
   * Stores an endpoint. `key`: text stores it, `null` or `''` forgets it; left out keeps the stored one, unless the address now
   * points to another server. @throws ToolError `invalid_arguments`
   */
  save(draft: EndpointDraft, key: string | null | undefined, signal: AbortSignal): Promise<EndpointStatus>
  remove(id: string): Promise<void>
  /** Asks an endpoint without storing it; a stored key is used only for the server it was stored for. */
  test(draft: EndpointDraft, key: string | null | undefined, signal: AbortSignal): Promise<EndpointStatus>
  /** The tour's scripted endpoint appears with a URL and is gone with `undefined`. */
  setTour(url: string | undefined): void
  /** @returns unsubscribe */
  onChanged(listener: (statuses: EndpointStatus[]) => void): () => void
  /** Ends a round of asking that is under way. */
  dispose(): void
}

export const tourEndpointId = 'tour'
/** More models than anybody changes between; what was learnt of them is learnt again. */
const learntCap = 64
/** An answer waits no longer for news of the window. Milliseconds. */
const loadedMs = 1500

/** What Tizona finds out about a model while it is used. */
interface Learnt {
  tokens: TokenCounter
  watch(client: ModelClient): ModelClient
}

/** Every model server Tizona knows of. Keys stay in here: they go into request headers and nowhere else. */
export function createEndpoints(parts: EndpointsParts): Endpoints {
  const { settings, secrets, patience, abilities, textPrompt } = parts
  const ways = { forms: createFormMemory(), ...(abilities && { abilities }), ...(textPrompt && { textPrompt }) }
  const statuses = new Map<string, EndpointStatus>()
  const listeners = new Set<(statuses: EndpointStatus[]) => void>()
  const learnt = new Map<string, Learnt>()
  /** Models whose window was read since they answered. */
  const readLoaded = new Set<string>()
  let discovered: EndpointStatus[] | undefined
  let tour: Endpoint | undefined
  let refreshing: Promise<void> | undefined
  const disposed = new AbortController()

  const configured = () => settings.get().endpoints.filter((endpoint) => endpoint.kind !== 'tour')
  const discovery = parts.discovery === false ? undefined : { env: process.env, ...parts.discovery }
  const get = (id: string) =>
    tour?.id === id ? tour : (configured().find((endpoint) => endpoint.id === id) ?? discoveredEndpoint(id, discovery?.ports))
  const existing = (id: string): Endpoint => {
    const endpoint = get(id)
    if (!endpoint) throw new ModelError('unreachable', 'The endpoint of this conversation does not exist any more.', 'Pick another model.')
    return endpoint
  }

  const storedReach = (endpoint: Endpoint): Reach => ({ endpoint, credentials: () => readCredentials(secrets, endpoint) })
  const ask = (endpoint: Endpoint, signal: AbortSignal) => askEndpoint(storedReach(endpoint), signal)

  /** One for each model of each server, so that what a conversation taught it serves the next. */
  const learntOf = (endpoint: Endpoint, model: string): Learnt => {
    const where = whereOf(endpoint, model)
    const root = rootOf(endpoint.baseUrl, where)
    const key = `${endpoint.id} ${root} ${model}`
    const known = learnt.get(key)
    if (known) return known
    if (learnt.size >= learntCap) learnt.clear()
    const access = () => accessTo(storedReach(get(endpoint.id) ?? endpoint))
    const tokens = createTokenCounter({ root, where, tokenizer: endpoint.kind === 'openai', access }, model)
    const watch = createPromptWatch({
      tokens,
      window: (signal) => loadedWindow(endpoint.id, model, signal),
      hidesCached: endpoint.kind === 'ollama',
      explain: (cut) => cutRemedy(endpoint.name, cut, { ...where, server: serverNamed(statuses.get(endpoint.id)?.server) }),
      detect: abilities?.cutDetection ?? true,
    })
    const made = { tokens, watch }
    learnt.set(key, made)
    return made
  }

  /**
   * The window of a model that has just answered. Servers that load a model when it is asked (LM Studio, Ollama, llama-server as a
   * router) may load it with less than they said before, so its first answer is a reason to ask again.
   */
  const loadedWindow = async (endpointId: string, model: string, signal: AbortSignal): Promise<number | undefined> => {
    const endpoint = get(endpointId)
    if (!endpoint) return undefined
    const key = `${endpointId} ${model}`
    if (!readLoaded.has(key) && endpoint.kind !== 'tour') {
      readLoaded.add(key)
      try {
        const status = await ask(endpoint, AbortSignal.any([signal, disposed.signal, AbortSignal.timeout(loadedMs)]))
        if (status.reachable) {
          const models = status.models.map((each) => (each.id === model ? asLoaded(each) : each))
          if (statuses.has(endpointId)) statuses.set(endpointId, { ...status, models })
          else discovered = discovered?.map((each) => (each.endpoint.id === endpointId ? { ...each, models } : each))
          changed()
        }
      } catch (error) {
        signal.throwIfAborted()
        // What was known before has to do: nobody waits for a list longer than this.
        if (!isAbort(error)) throw error
      }
    }
    return windowOf(endpoint, model)
  }
  const windowOf = (endpoint: Endpoint, model: string): number | undefined => {
    const models = known().find((status) => status.endpoint.id === endpoint.id)?.models ?? []
    return models.find((candidate) => candidate.id === model)?.contextWindow ?? optionsOf(endpoint, model).contextWindow ?? endpoint.contextWindow
  }

  const known = (): EndpointStatus[] => {
    const own = [...(tour ? [tour] : []), ...configured()]
    const taken = new Set(own.flatMap((endpoint) => [endpoint.id, serverKey(endpoint)]))
    return [
      ...own.map((endpoint) => {
        const last = statuses.get(endpoint.id)
        return last ? { ...last, endpoint } : { endpoint, reachable: false, models: [], discovered: false, problem: 'Not asked yet.' }
      }),
      ...(discovered ?? []).filter(({ endpoint }) => !taken.has(endpoint.id) && !taken.has(serverKey(endpoint))),
    ]
  }
  const changed = () => {
    for (const listener of listeners) listener(known())
  }

  /** One round of asking at a time; a second caller waits for the first's, so no single caller's signal ends it. */
  const refresh = (all: boolean): Promise<void> => {
    refreshing ??= (async () => {
      const { signal } = disposed
      const own = [...(tour ? [tour] : []), ...configured()].filter((endpoint) => all || !statuses.has(endpoint.id))
      const probing = discovery !== undefined && (all || !discovered) && !discovery.env['TIZONA_NO_DISCOVERY']
      const [found, answers] = await Promise.all([
        probing ? discover(discovery, signal) : Promise.resolve(discovered ?? []),
        Promise.all(own.map((endpoint) => ask(endpoint, signal))),
      ])
      discovered = found
      readLoaded.clear()
      for (const answer of answers) statuses.set(answer.endpoint.id, answer)
      if (probing || answers.length > 0) changed()
    })()
      .catch((error: unknown) => {
        // Ended by `dispose`: nobody is left to tell.
        if (!disposed.signal.aborted) throw error
      })
      .finally(() => (refreshing = undefined))
    return refreshing
  }

  /** A draft as it would be stored, and the key it would be asked with. */
  const settle = async (
    draft: EndpointDraft,
    key: string | null | undefined,
  ): Promise<{ endpoint: Endpoint; credentials: Credentials }> => {
    if (draft.kind === 'tour')
      throw new ToolError('invalid_arguments', 'The tour is not an endpoint that can be configured.', 'Start it from the welcome page.')
    const id = draft.id ?? randomUUID()
    const root = serverKey(draft)
    if (!root) {
      throw new ToolError(
        'invalid_arguments',
        `"${draft.baseUrl}" is not an http(s) address.`,
        'Enter an address such as http://127.0.0.1:8080 or http://127.0.0.1:8080/v1.',
      )
    }
    const before = configured().find((endpoint) => endpoint.id === id)
    // A key is never sent to a server it was not entered for.
    const stored = before && serverKey(before) === root ? await readCredentials(secrets, before) : { headers: {} }
    const { headerValues, ...fields } = draft
    const secret = key === undefined ? stored.key : key || undefined
    const headers = named({ ...stored.headers, ...headerValues }, draft.headers)
    const missing = draft.headers?.find((name) => headers[name] === undefined)
    if (missing !== undefined) {
      throw new ToolError('invalid_arguments', `The header ${missing} has no value.`, 'Enter its value: it is not kept when the address changes to another server.')
    }
    return {
      endpoint: { ...fields, id, baseUrl: draft.baseUrl.trim(), hasKey: secret !== undefined },
      credentials: { ...(secret !== undefined && { key: secret }), headers },
    }
  }

  return {
    async list({ probe }, signal) {
      if (probe || !discovered || configured().some((endpoint) => !statuses.has(endpoint.id))) await unlessAborted(refresh(probe), signal)
      return known()
    },
    known,
    get,
    describe: ({ endpointId, model }) => known().find(({ endpoint }) => endpoint.id === endpointId)?.models.find(({ id }) => id === model),
    client: (id) => clientOf(storedReach(existing(id)), patience, ways),
    async model({ endpointId, model }, signal = disposed.signal) {
      const endpoint = existing(endpointId)
      const client = clientOf(storedReach(endpoint), patience, ways)
      const chosenWindow = optionsOf(endpoint, model).contextWindow ?? endpoint.contextWindow
      let models = known().find((status) => status.endpoint.id === endpointId)?.models ?? []
      if (chosenWindow === undefined && !models.some((candidate) => candidate.id === model)) {
        models = (await ask(endpoint, signal)).models
      }
      const contextWindow = chosenWindow ?? models.find((candidate) => candidate.id === model)?.contextWindow
      const { tokens, watch } = learntOf(endpoint, model)
      return { client: watch(client), tokens, ...(contextWindow && { contextWindow }) }
    },
    defaultModel() {
      const chosen = settings.get().model
      if (chosen && get(chosen.endpointId)) return chosen
      for (const { endpoint, models } of known()) {
        if (endpoint.kind === 'tour') continue
        const usable = models.filter((model) => model.tools !== false)
        const best = usable.find((model) => model.loaded) ?? usable[0]
        if (best) return { endpointId: endpoint.id, model: best.id }
      }
      return undefined
    },
    async save(draft, key, signal) {
      const { endpoint, credentials } = await settle(draft, key)
      await writeCredentials(secrets, endpoint.id, credentials)
      await settings.update(({ endpoints }) => {
        const at = endpoints.findIndex((candidate) => candidate.id === endpoint.id)
        return { endpoints: at === -1 ? [...endpoints, endpoint] : endpoints.with(at, endpoint) }
      })
      const status = await ask(endpoint, signal)
      statuses.set(endpoint.id, status)
      readLoaded.clear()
      changed()
      return status
    },
    async remove(id) {
      await settings.update(({ endpoints, model }) => ({
        endpoints: endpoints.filter((endpoint) => endpoint.id !== id),
        ...(model?.endpointId === id && { model: undefined }),
      }))
      await writeCredentials(secrets, id, null)
      statuses.delete(id)
      changed()
    },
    async test(draft, key, signal) {
      const { endpoint, credentials } = await settle(draft, key)
      return askEndpoint({ endpoint, credentials: () => Promise.resolve(credentials) }, signal)
    },
    setTour(url) {
      tour = url === undefined ? undefined : { id: tourEndpointId, name: 'Tour (scripted)', kind: 'tour', baseUrl: url, hasKey: false }
      statuses.delete(tourEndpointId)
      if (tour) statuses.set(tourEndpointId, { endpoint: tour, reachable: true, models: [tourModel], discovered: false })
      changed()
    },
    onChanged(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    dispose: () => disposed.abort(),
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(abortError())
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/** What the tour's endpoint lists; it is known without asking. */
export const tourModel: ModelInfo = { id: 'tour (scripted)', contextWindow: 32_768, tools: true, loaded: true }

/** Tells servers apart: `localhost` and 127.0.0.1 are one. Empty for an address that is none. */
function serverKey(endpoint: { kind: string; baseUrl: string }): string {
  try {
    return serverRoot(endpoint).replace(/^(https?:\/\/)localhost(?=[:/]|$)/, '$1127.0.0.1')
  } catch {
    // serverRoot throws for what is no address; the empty key says so.
    return ''
  }
}
