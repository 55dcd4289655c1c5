import { z } from 'zod'
import { mcpSettingsSchema } from './mcp.ts'
import { profileChoices } from './promptProfile.ts'
import { modeName, modes, toolsetNames } from './risk.ts'
import { isWebOrigin, isWebUrl, searchProviders } from './web.ts'

/** `openai`: any server that speaks /v1/chat/completions. `ollama`: its native /api/chat. `tour`: the scripted one. */
export const endpointKinds = ['openai', 'ollama', 'tour'] as const
export type EndpointKind = (typeof endpointKinds)[number]

/** `auto`: what the model does by itself. Levels are for models that know them, e.g. gpt-oss. */
export const thinkChoices = ['auto', 'on', 'off', 'low', 'medium', 'high'] as const

/** What a user sets for one model of an endpoint; what is absent is left to Tizona, the server and the model. */
export const modelOptionsSchema = z.object({
  /** Tokens; before the endpoint's own. */
  contextWindow: z.number().int().positive().optional(),
  think: z.enum(thinkChoices).optional(),
  /** How long Ollama keeps the model loaded: a duration such as `30m`, `-1` for always, `0` for not at all. */
  keepAlive: z
    .string()
    .regex(/^(-?\d+|(\d+(\.\d+)?(ms|s|m|h))+)$/, 'A duration such as 30m, or -1 for always.')
    .optional(),
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().min(0).max(1).optional(),
  /** Longest answer, in tokens. */
  maxTokens: z.number().int().positive().optional(),
  /** Against what the server says, or where it does not say. */
  tools: z.boolean().optional(),
  vision: z.boolean().optional(),
  /** Laid over the body of every chat request. Messages, tools, model and streaming cannot be changed by it. */
  extraBody: z.record(z.string(), z.unknown()).optional(),
})
export type ModelOptions = z.infer<typeof modelOptionsSchema>

/** Silence borne, in seconds; absent: `defaultPatience` of model/transport/openStream.ts. */
export const timeoutsSchema = z.object({
  /** Until an answer begins: the prompt is read in this time. */
  answer: z.number().positive().max(86_400).optional(),
  /** Between two pieces of an answer. */
  piece: z.number().positive().max(86_400).optional(),
  /** While the server says that it loads the model. */
  loading: z.number().positive().max(86_400).optional(),
})

/** Of headers that Tizona sets itself, or that steer the connection. */
const ownHeaders =
  /^(host|connection|content-(length|type|encoding)|transfer-encoding|accept|accept-encoding|upgrade|te|trailer|expect)$/i
/** The name of a header that may be sent along; a token by RFC 9110. */
export const headerNameSchema = z
  .string()
  .max(200)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'Not the name of a header.')
  .refine((name) => !ownHeaders.test(name), 'This header is set by Tizona itself.')

export const endpointSchema = z.object({
  id: z.string().min(1),
  name: z.string().min(1),
  kind: z.enum(endpointKinds),
  /** With or without `/v1`. */
  baseUrl: z.string().min(1),
  /** Context window in tokens to ask for (Ollama's num_ctx) or to assume; absent: what the server says. */
  contextWindow: z.number().int().positive().optional(),
  /** A key is stored (elsewhere, 0600); it never travels to a window. */
  hasKey: z.boolean().default(false),
  /** Names of headers sent with every request. Their values may be keys, and are kept where keys are. */
  headers: z.array(headerNameSchema).max(20).optional(),
  /** A PEM file of authorities to trust for this server, beside those of the system; an absolute path. */
  caFile: z.string().max(4096).optional(),
  patience: timeoutsSchema.optional(),
  /** By model id. */
  models: z.record(z.string(), modelOptionsSchema).optional(),
})
export type Endpoint = z.infer<typeof endpointSchema>

export const webSchema = z.object({
  /** Off: no tool reaches the web. */
  enabled: z.boolean().default(true),
  search: z.enum(searchProviders).default('duckduckgo'),
  /** Where the user's SearXNG server stands, e.g. `http://192.168.1.5:8080`; empty: none. */
  searxngUrl: z
    .string()
    .max(2000)
    .refine((url) => url === '' || isWebUrl(url), 'Not an http or https address.')
    .default(''),
  /** A key for Brave is stored (elsewhere, 0600); it never travels to a window. */
  hasBraveKey: z.boolean().default(false),
  /** Origins on the user's own network that tools may fetch from, e.g. `http://localhost:3000`. All others must be public. */
  localOrigins: z.array(z.string().refine(isWebOrigin, 'Not an origin.')).max(50).default([]),
})
export type WebSettings = z.infer<typeof webSchema>

/** Limits of stored conversations. `null`: no limit. Unsaved text and pinned conversations are never deleted. */
export const historySchema = z.object({
  /** Days since the last change after which a conversation is deleted. */
  maxAgeDays: z.number().int().min(1).max(36_500).nullable().default(null),
  /** Megabytes of all conversations together; the oldest are deleted first. */
  maxMegabytes: z.number().int().min(1).max(1_000_000).nullable().default(null),
})
export type HistorySettings = z.infer<typeof historySchema>

export const settingsSchema = z.object({
  theme: z.enum(['dark', 'light', 'system']).default('system'),
  /** Written by hand it may be spelt as Rustant does. */
  mode: z.preprocess(modeName, z.enum(modes)).default('safe'),
  /** For new conversations, where no family is suggested by the model's name. */
  toolset: z.enum(toolsetNames).default('blade'),
  /** A new conversation begins with the toolset its model's name suggests (`toolsetSuggestion.ts`). */
  suggestToolset: z.boolean().default(true),
  /** Tools by their main name that nobody may call, for each toolset. */
  disabledTools: z.partialRecord(z.enum(toolsetNames), z.array(z.string().min(1).max(200)).max(1000)).default({}),
  endpoints: z.array(endpointSchema).default([]),
  model: z.object({ endpointId: z.string(), model: z.string() }).optional(),
  /** A small one for titles and summaries; null: none. */
  smallModel: z.object({ endpointId: z.string(), model: z.string() }).nullable().default(null),
  temperature: z.number().min(0).max(2).default(0.2),
  /** Added below Tizona's own instructions. */
  systemPrompt: z.string().max(100_000).default(''),
  /** How much of a model's window instructions and tools may take; `auto`: as its size suggests. */
  profile: z.enum(profileChoices).default('auto'),
  /** The share of the window that is filled before a conversation is shortened and summarised. */
  compactAt: z.number().min(0.3).max(0.95).default(0.75),
  /** Model requests in one turn before it stops and offers to continue. */
  maxTurns: z.number().int().min(1).max(500).default(50),
  editor: z
    .object({
      fontSize: z.number().int().min(8).max(40).default(13),
      tabSize: z.number().int().min(1).max(16).default(4),
      wordWrap: z.boolean().default(false),
      minimap: z.boolean().default(true),
    })
    .prefault({}),
  web: webSchema.prefault({}),
  history: historySchema.prefault({}),
  /** Servers whose tools are offered beside a toolset's own. Changed through requests of their own. */
  mcp: mcpSettingsSchema.prefault({}),
})
export type Settings = z.infer<typeof settingsSchema>

const { shape } = settingsSchema
const editor = shape.editor.unwrap().shape
const web = webSchema.shape

/**
 * A change of some settings; what is not named stays as it is. Not `settingsSchema.partial()`: that fills in the default of
 * everything that is missing, so one change would reset all the others. `editor`, `web`, `history` and `disabledTools` are sent whole for the
 * same reason.
 */
export const settingsChangeSchema = z
  .object({
    theme: shape.theme.unwrap(),
    mode: z.enum(modes),
    toolset: shape.toolset.unwrap(),
    suggestToolset: shape.suggestToolset.unwrap(),
    disabledTools: shape.disabledTools.unwrap(),
    endpoints: shape.endpoints.unwrap(),
    model: shape.model.unwrap(),
    smallModel: shape.smallModel.unwrap(),
    temperature: shape.temperature.unwrap(),
    systemPrompt: shape.systemPrompt.unwrap(),
    profile: shape.profile.unwrap(),
    compactAt: shape.compactAt.unwrap(),
    maxTurns: shape.maxTurns.unwrap(),
    editor: z.object({
      fontSize: editor.fontSize.unwrap(),
      tabSize: editor.tabSize.unwrap(),
      wordWrap: editor.wordWrap.unwrap(),
      minimap: editor.minimap.unwrap(),
    }),
    web: z.object({
      enabled: web.enabled.unwrap(),
      search: web.search.unwrap(),
      searxngUrl: web.searxngUrl.unwrap(),
      hasBraveKey: web.hasBraveKey.unwrap(),
      localOrigins: web.localOrigins.unwrap(),
    }),
    history: z.object({
      maxAgeDays: historySchema.shape.maxAgeDays.unwrap(),
      maxMegabytes: historySchema.shape.maxMegabytes.unwrap(),
    }),
    mcp: mcpSettingsSchema,
  } satisfies Record<keyof Settings, z.ZodType>)
  .partial()

/** What an endpoint answered when it was asked for its models. */
export interface EndpointStatus {
  endpoint: Endpoint
  reachable: boolean
  models: ModelInfo[]
  /** Found by probing this machine rather than configured. */
  discovered: boolean
  /** What is wrong and what to do about it, when it is not usable. */
  problem?: string
  /** What it turned out to be, e.g. "vLLM". */
  server?: string
  /** Whether it counts tokens itself; absent where it was not asked. */
  countsTokens?: boolean
}

export interface ModelInfo {
  id: string
  /** Tokens, when the server tells. */
  contextWindow?: number
  /** Absent when the server does not tell. */
  tools?: boolean
  vision?: boolean
  loaded?: boolean
  /** Tokens it is loaded with now, where that may differ from what a request asks for. */
  loadedWindow?: number
}
