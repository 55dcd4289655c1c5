import type { Samplers } from '../../shared/models/makerSamplers.ts'
import type { Endpoint, ModelOptions } from '../../shared/settings/settings.ts'

// State of the endpoint form's advanced fields, and its conversion from and to an endpoint. Numbers are strings, as
// typed.

export interface HeaderField {
  name: string
  /** New value; '' keeps the stored value. */
  value: string
  /** Whether main has stored a value for this name. */
  stored: boolean
}

export interface ModelFields {
  contextWindow: string
  think: NonNullable<ModelOptions['think']>
  keepAlive: string
  temperature: string
  topP: string
  topK: string
  minP: string
  presencePenalty: string
  repeatPenalty: string
  thinkingTokens: string
  maxTokens: string
  tools: YesNo
  vision: YesNo
  /** How the model calls tools; '' lets Tizona decide. */
  calls: '' | NonNullable<ModelOptions['calls']>
  /** JSON object as text. */
  extraBody: string
}
/** '' uses what the server reports. */
export type YesNo = '' | 'yes' | 'no'

export interface AdvancedFields {
  headers: readonly HeaderField[]
  caFile: string
  /** Number of requests that the server answers at the same time. */
  parallel: string
  /** Timeouts in seconds: until the answer starts, between two chunks, and while the model loads. */
  answer: string
  piece: string
  loading: string
  models: Readonly<Record<string, ModelFields>>
}

/**
 * Placeholders of empty timeout fields in seconds. Keep in sync with `defaultTimeouts` in
 * src/main/model/transport/busyServerRetries.ts.
 */
export const defaultSeconds = { answer: '600', piece: '300', loading: '600' }

export const emptyModel: ModelFields = {
  contextWindow: '',
  think: 'auto',
  keepAlive: '',
  temperature: '',
  topP: '',
  topK: '',
  minP: '',
  presencePenalty: '',
  repeatPenalty: '',
  thinkingTokens: '',
  maxTokens: '',
  tools: '',
  vision: '',
  calls: '',
  extraBody: '',
}

/** Converts an endpoint to field values. Without one, returns the empty fields of a new endpoint. */
export function advancedFieldsOf(endpoint: Endpoint | undefined): AdvancedFields {
  const { headers = [], caFile = '', parallel, patience = {}, models = {} } = endpoint ?? {}
  return {
    headers: headers.map((name) => ({ name, value: '', stored: true })),
    caFile,
    parallel: numberText(parallel),
    answer: numberText(patience.answer),
    piece: numberText(patience.piece),
    loading: numberText(patience.loading),
    models: Object.fromEntries(Object.entries(models).map(([id, options]) => [id, modelFieldsOf(options)])),
  }
}

function modelFieldsOf({
  contextWindow,
  think = 'auto',
  keepAlive = '',
  temperature,
  topP,
  topK,
  minP,
  presencePenalty,
  repeatPenalty,
  thinkingTokens,
  maxTokens,
  tools,
  vision,
  calls,
  extraBody,
}: ModelOptions): ModelFields {
  return {
    contextWindow: numberText(contextWindow),
    think,
    keepAlive,
    temperature: numberText(temperature),
    topP: numberText(topP),
    topK: numberText(topK),
    minP: numberText(minP),
    presencePenalty: numberText(presencePenalty),
    repeatPenalty: numberText(repeatPenalty),
    thinkingTokens: numberText(thinkingTokens),
    maxTokens: numberText(maxTokens),
    tools: tools === undefined ? '' : tools ? 'yes' : 'no',
    vision: vision === undefined ? '' : vision ? 'yes' : 'no',
    calls: calls ?? '',
    extraBody: extraBody ? JSON.stringify(extraBody, null, 2) : '',
  }
}

/** Field values of all samplers. Those that are not given become empty. */
export function samplerFieldsOf(samplers: Samplers): Pick<ModelFields, keyof Samplers> {
  const { temperature, topP, topK, minP, presencePenalty, repeatPenalty } = modelFieldsOf(samplers)
  return { temperature, topP, topK, minP, presencePenalty, repeatPenalty }
}

type Draft = Pick<Endpoint, 'headers' | 'caFile' | 'parallel' | 'patience' | 'models'> & {
  headerValues?: Record<string, string>
}

/** Converts field values to parts of an endpoint. Omits empty fields. Call only if `hasProblem` is false. */
export function endpointDraftOf(fields: AdvancedFields): Draft {
  const headers = fields.headers.filter(({ name }) => name.trim() !== '')
  const values = headers.filter(({ value }) => value !== '').map(({ name, value }) => [name.trim(), value])
  const patience = withoutEmpty({
    answer: parseNumber(fields.answer),
    piece: parseNumber(fields.piece),
    loading: parseNumber(fields.loading),
  })
  const models = Object.entries(fields.models)
    .map(([id, model]) => [id, optionsOf(model)] as const)
    .filter(([, options]) => Object.keys(options).length > 0)
  return {
    ...(headers.length > 0 && { headers: headers.map(({ name }) => name.trim()) }),
    ...(values.length > 0 && { headerValues: Object.fromEntries(values) }),
    ...(fields.caFile.trim() && { caFile: fields.caFile.trim() }),
    ...(fields.parallel.trim() && { parallel: Number(fields.parallel) }),
    ...(Object.keys(patience).length > 0 && { patience }),
    ...(models.length > 0 && { models: Object.fromEntries(models) }),
  }
}

function optionsOf(model: ModelFields): ModelOptions {
  return withoutEmpty({
    contextWindow: parseNumber(model.contextWindow),
    think: model.think === 'auto' ? undefined : model.think,
    keepAlive: model.keepAlive.trim() || undefined,
    temperature: parseNumber(model.temperature),
    topP: parseNumber(model.topP),
    topK: parseNumber(model.topK),
    minP: parseNumber(model.minP),
    presencePenalty: parseNumber(model.presencePenalty),
    repeatPenalty: parseNumber(model.repeatPenalty),
    thinkingTokens: parseNumber(model.thinkingTokens),
    maxTokens: parseNumber(model.maxTokens),
    tools: model.tools === '' ? undefined : model.tools === 'yes',
    vision: model.vision === '' ? undefined : model.vision === 'yes',
    calls: model.calls === '' ? undefined : model.calls,
    extraBody: parseJsonObject(model.extraBody),
  })
}

/** Validators for a model's fields. They return the error message, or undefined if the value is valid. */
export const modelProblems: { readonly [Field in keyof ModelFields]?: (value: string) => string | undefined } = {
  contextWindow: (value) => numberProblem(value, 1, Infinity, true),
  keepAlive: (value) =>
    /^$|^(-?\d+|(\d+(\.\d+)?(ms|s|m|h))+)$/.test(value.trim())
      ? undefined
      : 'Enter a duration such as 30m, or -1 for always.',
  temperature: (value) => numberProblem(value, 0, 2),
  topP: (value) => numberProblem(value, 0, 1),
  topK: (value) => numberProblem(value, 0, 1000, true),
  minP: (value) => numberProblem(value, 0, 1),
  presencePenalty: (value) => numberProblem(value, -2, 2),
  repeatPenalty: (value) => numberProblem(value, 0.5, 2),
  thinkingTokens: (value) => numberProblem(value, 0, Infinity, true),
  maxTokens: (value) => numberProblem(value, 1, Infinity, true),
  extraBody: (value) =>
    value.trim() === '' || parseJsonObject(value) ? undefined : 'Enter a JSON object, for example {"top_k": 40}.',
}

export function secondsProblem(value: string): string | undefined {
  return value.trim() === '' || Number(value) > 0 ? numberProblem(value, 0, 86_400) : 'Enter a number greater than 0.'
}

export function parallelProblem(value: string): string | undefined {
  return numberProblem(value, 1, 1000, true)
}

export function headerProblem({ name, value, stored }: HeaderField): string | undefined {
  if (name.trim() === '') return value === '' ? undefined : 'Enter a name.'
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name.trim())) return 'Use letters, digits and hyphens.'
  return value === '' && !stored ? 'Enter a value.' : undefined
}

export function hasProblem(fields: AdvancedFields): boolean {
  const isInvalid = (model: ModelFields) =>
    Object.entries(modelProblems).some(
      ([field, problem]) => problem(model[field as keyof typeof modelProblems] ?? '') !== undefined,
    )
  return (
    fields.headers.some((header) => headerProblem(header) !== undefined) ||
    parallelProblem(fields.parallel) !== undefined ||
    [fields.answer, fields.piece, fields.loading].some((seconds) => secondsProblem(seconds) !== undefined) ||
    Object.values(fields.models).some(isInvalid)
  )
}

function numberProblem(value: string, min: number, max: number, whole = false): string | undefined {
  if (value.trim() === '') return undefined
  const typed = Number(value)
  if (typed >= min && typed <= max && (!whole || Number.isInteger(typed))) return undefined
  return max === Infinity ? 'Enter a whole number.' : `Enter a number from ${min} to ${max}.`
}

function parseJsonObject(value: string): Record<string, unknown> | undefined {
  if (value.trim() === '') return undefined
  try {
    const parsed: unknown = JSON.parse(value)
    // JSON objects have string keys.
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : undefined
  } catch {
    // Incomplete input. `modelProblems` shows the message.
    return undefined
  }
}

function parseNumber(value: string): number | undefined {
  return value.trim() === '' ? undefined : Number(value)
}

function numberText(value: number | undefined): string {
  return value === undefined ? '' : String(value)
}

function withoutEmpty<T extends object>(value: T): Partial<T> {
  // Removing undefined fields does not change other types.
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Partial<T>
}
