import { allFeatures } from '../../../shared/features.ts'
import type { ChatRequest, ModelEvent } from './modelClient.ts'
import type { RequestTarget } from '../transport/modelErrors.ts'
import type { ClientOptions } from './clientOptions.ts'
import { toolSupportHint } from '../transport/errorHints.ts'
import {
  createCompatStore,
  adaptRequest,
  compatAfterRefusal,
  defaultCompat,
  type RequestCompat,
} from './requestCompat.ts'

/** How one endpoint's models want to be asked. */
export interface RequestAdapter {
  /** A request in the form that its model is known to want. */
  adapt(request: ChatRequest): ChatRequest
  /** Remembers another form after a refusal. @returns whether asking again is worth it */
  learnFromRefusal(request: ChatRequest, status: number, text: string): boolean
  /** What the user should know of it; nothing for the plain form. */
  notices(target: RequestTarget): ModelEvent[]
}

export function createRequestAdapter({
  baseUrl,
  features,
  textPrompt,
  optionsOf,
  compatStore = createCompatStore(),
}: ClientOptions): RequestAdapter {
  const canText = textPrompt !== undefined && { ...allFeatures, ...features }.textPrompt
  const formOf = (model: string): RequestCompat => {
    const known = compatStore.get(baseUrl, model)
    if (known) return known
    // The user may know that a model takes no tools before its server says so.
    return canText && optionsOf?.(model).tools === false ? { ...defaultCompat, tools: 'text' } : defaultCompat
  }
  return {
    adapt: (request) => ({ ...request, ...adaptRequest(request, formOf(request.model), textPrompt ?? (() => '')) }),
    learnFromRefusal(request, status, text) {
      const form = compatAfterRefusal(formOf(request.model), request, status, text, canText)
      if (form) compatStore.set(baseUrl, request.model, form)
      return form !== undefined
    },
    notices(target) {
      if (target.model === undefined || formOf(target.model).tools === 'native') return []
      const text = `${target.model} on ${target.name} does not take tools natively: its prompt tells of them, and its calls are read from its text.`
      return [{ kind: 'toolsAsText', text: `${text} ${toolSupportHint(target)}` }]
    },
  }
}
