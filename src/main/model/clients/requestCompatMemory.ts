import { allAbilities } from '../../../shared/features.ts'
import type { ChatRequest, ModelEvent } from './modelClient.ts'
import type { Where } from '../transport/modelErrors.ts'
import type { ClientOptions } from './openAiClient.ts'
import { toolsRemedy } from '../transport/errorHints.ts'
import { createFormMemory, inForm, nextForm, plainForm, type RequestForm } from './requestCompat.ts'

/** How one endpoint's models want to be asked. */
export interface WaysOfAsking {
  /** A request in the form that its model is known to want. */
  shape(request: ChatRequest): ChatRequest
  /** Remembers another form after a refusal. @returns whether asking again is worth it */
  learn(request: ChatRequest, status: number, text: string): boolean
  /** What the user should know of it; nothing for the plain form. */
  notice(where: Where): ModelEvent[]
}

export function createWaysOfAsking({
  baseUrl,
  abilities,
  textPrompt,
  optionsOf,
  forms = createFormMemory(),
}: ClientOptions): WaysOfAsking {
  const canText = textPrompt !== undefined && { ...allAbilities, ...abilities }.textPrompt
  const formOf = (model: string): RequestForm => {
    const known = forms.get(baseUrl, model)
    if (known) return known
    // The user may know that a model takes no tools before its server says so.
    return canText && optionsOf?.(model).tools === false ? { ...plainForm, tools: 'text' } : plainForm
  }
  return {
    shape: (request) => ({ ...request, ...inForm(request, formOf(request.model), textPrompt ?? (() => '')) }),
    learn(request, status, text) {
      const form = nextForm(formOf(request.model), request, status, text, canText)
      if (form) forms.set(baseUrl, request.model, form)
      return form !== undefined
    },
    notice(where) {
      if (where.model === undefined || formOf(where.model).tools === 'native') return []
      const text = `${where.model} on ${where.name} does not take tools natively: its prompt tells of them, and its calls are read from its text.`
      return [{ kind: 'toolsAsText', text: `${text} ${toolsRemedy(where)}` }]
    },
  }
}
