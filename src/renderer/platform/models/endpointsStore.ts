import { create } from 'zustand'
import type { ModelChoice } from '../../../shared/agent/conversation.ts'
import type { Endpoint, EndpointStatus } from '../../../shared/settings/settings.ts'
import { on, onConnected, request } from '../bridge/bridge.ts'
import { runCommand } from '../commands.ts'
import { toFailure } from '../../../shared/errors.ts'
import { isSameModel, modelNames } from '../../../shared/models/modelName.ts'
import { plural } from '../../../shared/text/plural.ts'

interface EndpointsState {
  endpoints: readonly EndpointStatus[]
  /** Null until main has responded. */
  loadedAt: number | null
  /** Whether a request for the endpoints is pending. */
  busy: boolean
  /** Why the endpoints could not be loaded; empty if they could. */
  problem: string
  /** The form to open on the settings page: a model's context size, or a new endpoint. Null once it is open. */
  formToOpen: ModelChoice | 'new' | null
}

export const useEndpoints = create<EndpointsState>()(() => ({
  endpoints: [],
  loadedAt: null,
  busy: false,
  problem: '',
  formToOpen: null,
}))

/** Returns the names that reveal a model's family. */
export function namesOfModel(endpoints: readonly EndpointStatus[], { endpointId, model }: ModelChoice): string {
  const status = endpoints.find(({ endpoint }) => endpoint.id === endpointId)
  return modelNames(model, status?.models.find(({ id }) => isSameModel(id, model))?.originalName)
}

function setEndpoints(endpoints: readonly EndpointStatus[]): void {
  useEndpoints.setState({ endpoints, loadedAt: Date.now(), problem: '' })
}

/** Loads the endpoints. @param probe also query all endpoints again and search for model servers on this machine */
export async function loadEndpoints(probe: boolean): Promise<readonly EndpointStatus[]> {
  useEndpoints.setState({ busy: true })
  try {
    setEndpoints(await request('endpoints.list', { probe }))
  } catch (error) {
    useEndpoints.setState({ problem: toFailure(error).message, loadedAt: Date.now() })
  } finally {
    useEndpoints.setState({ busy: false })
  }
  return useEndpoints.getState().endpoints
}

/** Subscribes to changes of the endpoints. @returns a function that unsubscribes */
export function followEndpoints(): () => void {
  const stops = [
    on('endpoints.changed', setEndpoints),
    onConnected(() => {
      if (useEndpoints.getState().loadedAt !== null) void loadEndpoints(false)
    }),
  ]
  return () => stops.forEach((stop) => stop())
}

/** Opens the settings with the form of a new endpoint, or at a model's context size. */
export function openEndpointForm(formToOpen: ModelChoice | 'new' | null): void {
  useEndpoints.setState({ formToOpen })
  runCommand('settings.open')
}

export function isUsable(status: EndpointStatus): boolean {
  return status.reachable && status.models.length > 0
}

/** Whether an endpoint is reachable and has only embedding models. */
export function hasOnlyEmbeddingModels({ reachable, models, embeddingModels = [] }: EndpointStatus): boolean {
  return reachable && models.length === 0 && embeddingModels.length > 0
}

/** Formats an endpoint's models with at most four names: `3 models: a, b, c`. */
export function modelsText({
  models,
  embeddingModels = [],
}: Pick<EndpointStatus, 'models' | 'embeddingModels'>): string {
  const isForChat = models.length > 0 || embeddingModels.length === 0
  const ids = isForChat ? models.map(({ id }) => id) : embeddingModels
  const names = ids.slice(0, 4)
  const more = ids.length - names.length
  return `${plural(ids.length, isForChat ? 'model' : 'embedding model')}: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Returns the default name of an endpoint: the host of its URL, or its file name. */
export function defaultEndpointName(baseUrl: string, kind: Endpoint['kind']): string {
  const file = /([^\\/]+)\.gguf$/i.exec(baseUrl)?.[1]
  if (file !== undefined) return file
  if (kind === 'gguf') return 'Model file'
  const text = /^[a-z]+:\/\//i.test(baseUrl) ? baseUrl : `http://${baseUrl}`
  return URL.canParse(text) && baseUrl !== '' ? new URL(text).host : 'Endpoint'
}
