import { z } from 'zod'
import { maxPatternLength, maxRules, patternProblem, ruleDecisions, ruleMatches } from '../tools/approvalRules.ts'
import { agentSchema, maxAgents } from '../agent/agents.ts'
import { toolCallMethods } from './toolCallMethods.ts'
import { mcpSettingsSchema } from '../tools/mcp.ts'
import { once } from '../async/once.ts'
import { toolsetNames } from '../tools/risk.ts'
import { settingRows, settingsTable, type SettingRow, type SettingsTable } from './settingsTable.ts'
import { settingsOfAllLanguages } from './table/editorSettings.ts'
import { isWebOrigin, isWebUrl } from './webSettings.ts'

/**
 * API of an endpoint. `openai`: /v1/chat/completions. `ollama`: Ollama's /api/chat. `gguf`: a model file that Tizona runs
 * itself. `tour`: the scripted model of the tour.
 */
const endpointKinds = ['openai', 'ollama', 'gguf', 'tour'] as const

/** How much a model thinks, from least to most: the values of `reasoning_effort` in OpenAI's API, vLLM and SGLang. */
export const reasoningEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type ReasoningEffort = (typeof reasoningEfforts)[number]

/** `auto`: the model's default. `on` and `off`: the switch of its template. */
const thinkChoices = ['auto', 'on', 'off', ...reasoningEfforts] as const

// docs/settings.md contains the descriptions of these fields.

/** Options for one model of an endpoint. Absent options use the default of Tizona, the server or the model. */
export const modelOptionsSchema = z.object({
  contextWindow: z.number().int().positive().optional().describe("Context size in tokens. Overrides the endpoint's."),
  think: z
    .enum(thinkChoices)
    .optional()
    .describe(
      'Whether, or how much, the model thinks before it answers. An effort that the model does not have becomes the nearest one.',
    ),
  keepAlive: z
    .string()
    .regex(/^(-?\d+|(\d+(\.\d+)?(ms|s|m|h))+)$/, 'Enter a duration such as 30m, or -1 for always.')
    .optional()
    .describe('How long Ollama keeps the model loaded: a duration such as `30m`, `-1` for always, `0` to unload it.'),
  temperature: z.number().min(0).max(2).optional().describe('Overrides the setting `temperature`.'),
  topP: z.number().min(0).max(1).optional().describe('Nucleus sampling.'),
  topK: z
    .number()
    .int()
    .min(0)
    .max(1000)
    .optional()
    .describe('Number of most likely tokens to choose from; 0 for all.'),
  minP: z.number().min(0).max(1).optional().describe('Least probability of a token, relative to the most likely one.'),
  presencePenalty: z.number().min(-2).max(2).optional().describe('Makes tokens that already occurred less likely.'),
  repeatPenalty: z
    .number()
    .min(0.5)
    .max(2)
    .optional()
    .describe('Divides the probability of repeated tokens; 1 for none.'),
  thinkingTokens: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe('Maximum length of the thinking before an answer, in tokens. llama-server and vLLM.'),
  maxTokens: z.number().int().positive().optional().describe('Maximum length of an answer in tokens.'),
  tools: z.boolean().optional().describe('Whether the model can call tools. Overrides what the server reports.'),
  calls: z
    .enum(toolCallMethods)
    .optional()
    .describe(
      'How the model calls tools: `native` through the API of its server, `text` in its answer, or `guided`: it picks each step from a list of possible ones. Default: guided for small models on a server that can constrain answers.',
    ),
  vision: z.boolean().optional().describe('Whether the model accepts images. Overrides what the server reports.'),
  extraBody: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      'Fields added to the body of every chat request. They cannot change messages, tools, the model or streaming.',
    ),
})
export type ModelOptions = z.infer<typeof modelOptionsSchema>

/** Timeouts of an endpoint in seconds. Defaults: model/transport/busyServerRetries.ts. */
export const timeoutsSchema = z.object({
  answer: z
    .number()
    .positive()
    .max(86_400)
    .optional()
    .describe(
      'Maximum seconds until an answer starts, which includes prompt processing. A server that keeps the connection open without sending anything has 12 times as long.',
    ),
  piece: z
    .number()
    .positive()
    .max(86_400)
    .optional()
    .describe('Maximum seconds between two chunks of an answer, and until an incomplete chunk is complete.'),
  loading: z
    .number()
    .positive()
    .max(86_400)
    .optional()
    .describe('Maximum seconds for which the server can report that it is loading the model.'),
})

/** Headers that users cannot set, because Tizona or the HTTP client sets them. */
const reservedHeaders =
  /^(host|connection|content-(length|type|encoding)|transfer-encoding|accept|accept-encoding|upgrade|te|trailer|expect)$/i
/** Name of a header that the user adds: a token as in RFC 9110. */
export const headerNameSchema = z
  .string()
  .max(200)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'Not a valid header name.')
  .refine((name) => !reservedHeaders.test(name), 'Tizona sets this header itself.')

export const endpointSchema = z.object({
  id: z.string().min(1).describe('Unique id.'),
  name: z.string().min(1).describe('Name in lists.'),
  kind: z
    .enum(endpointKinds)
    .describe(
      'API: `openai` for /v1/chat/completions, `ollama` for /api/chat, `gguf` for a model file, `tour` for the scripted model.',
    ),
  baseUrl: z.string().min(1).describe('URL of the server, with or without `/v1`. For a model file: its absolute path.'),
  on: z
    .literal('desktop')
    .optional()
    .describe('`desktop`: the server is on the computer of the window, which works on another machine.'),
  contextWindow: z
    .number()
    .int()
    .positive()
    .optional()
    .describe("Context size in tokens: requested from Ollama (`num_ctx`), assumed for others. Default: the server's."),
  parallel: z
    .number()
    .int()
    .positive()
    .max(1000)
    .optional()
    .describe('Number of requests that the server answers at the same time. Default: what it reports, else measured.'),
  hasKey: z.boolean().default(false).describe('Whether an API key is stored in `secrets.json`.'),
  headers: z
    .array(headerNameSchema)
    .max(20)
    .optional()
    .describe('Names of headers sent with every request. Their values are in `secrets.json`.'),
  caFile: z
    .string()
    .max(4096)
    .optional()
    .describe("Absolute path of a PEM file of certificate authorities to trust, in addition to the system's."),
  patience: timeoutsSchema.optional().describe('Timeouts, see below.'),
  models: z.record(z.string(), modelOptionsSchema).optional().describe('Options by model id, see below.'),
})
export type Endpoint = z.infer<typeof endpointSchema>

const modelChoiceSchema = z.object({ endpointId: z.string(), model: z.string() })

/** Rejects a rule whose pattern can never match, so that nobody relies on a mistyped rule. */
const approvalRuleSchema = z
  .object({
    decision: z.enum(ruleDecisions),
    match: z.enum(ruleMatches),
    pattern: z.string().min(1).max(maxPatternLength),
    folder: z.string().max(4096).nullable().default(null),
  })
  .refine(({ match, pattern }) => patternProblem(match, pattern) === undefined, 'Not a valid pattern.')

/** Schemas of the structured settings, by `SettingRow.path`. */
const structuredSchemas = {
  disabledTools: z.partialRecord(z.enum(toolsetNames), z.array(z.string().min(1).max(200)).max(1000)),
  endpoints: z.array(endpointSchema),
  model: modelChoiceSchema,
  smallModel: modelChoiceSchema.nullable(),
  subAgentModel: modelChoiceSchema.nullable(),
  embeddings: modelChoiceSchema.nullable(),
  'completion.model': modelChoiceSchema.nullable(),
  'completion.nextEditModel': modelChoiceSchema.nullable(),
  'web.searxngUrl': z
    .string()
    .max(2000)
    .refine((url) => url === '' || isWebUrl(url), 'Not an http or https URL.'),
  'web.localOrigins': z.array(z.string().refine(isWebOrigin, 'Not an origin.')).max(50),
  mcp: mcpSettingsSchema,
  agents: z
    .array(agentSchema)
    .max(maxAgents)
    .refine((list) => new Set(list.map(({ id }) => id)).size === list.length, 'Two agents have the same id.'),
  'files.exclude': globRecord(z.boolean()),
  'files.associations': globRecord(z.string().min(1).max(100)),
  'search.exclude': globRecord(z.boolean()),
  'editor.languages': z.lazy((): z.ZodType<LanguageBlocks> => languageBlocksSchema()),
  'editor.rulers': z.array(z.number().int().min(1).max(10_000)).max(20),
  'approval.rules': z.array(approvalRuleSchema).max(maxRules),
}
type StructuredSchemas = typeof structuredSchemas

/** Schema of an object with globs as keys. */
function globRecord<T extends z.ZodType>(value: T) {
  return z
    .record(z.string().min(1).max(500), value)
    .refine((globs) => Object.keys(globs).length <= 200, 'More than 200 globs.')
}

/** Value type of a setting declaration. */
type ValueOf<D, Path> = D extends { type: 'boolean' }
  ? boolean
  : D extends { type: 'choice'; options: readonly (infer Option)[] }
    ? Option
    : D extends { type: 'number'; nullable: true }
      ? number | null
      : D extends { type: 'number' }
        ? number
        : D extends { type: 'text' }
          ? string
          : Path extends keyof StructuredSchemas
            ? z.output<StructuredSchemas[Path]>
            : never

type EditorFields = SettingsTable['editor']['fields']

/** Editor settings of one language. */
export type LanguageBlock = {
  -readonly [N in Exclude<keyof EditorFields, (typeof settingsOfAllLanguages)[number]>]?: ValueOf<
    EditorFields[N],
    `editor.${N}`
  >
}

/** Editor settings by language id of VS Code. */
export type LanguageBlocks = Record<string, LanguageBlock>

type DeclaredSettings = {
  -readonly [K in keyof SettingsTable]: SettingsTable[K] extends { fields: infer Fields }
    ? { -readonly [N in keyof Fields]: ValueOf<Fields[N], `${K}.${N & string}`> }
    : ValueOf<SettingsTable[K], K>
}

/** The settings in `settings.json`, with defaults. Only `model` can be missing. */
export type Settings = Omit<DeclaredSettings, 'model'> & { model?: DeclaredSettings['model'] | undefined }
export type WebSettings = Settings['web']
export type HistorySettings = Settings['history']

/**
 * Returns the schema of one setting, without its default.
 * @param stored whether to accept spellings that only `settings.json` may contain
 */
function valueSchema({ path, declaration }: SettingRow, stored: boolean): z.ZodType {
  switch (declaration.type) {
    case 'boolean':
      return z.boolean()
    case 'choice': {
      const choice = z.enum(declaration.options)
      return stored && declaration.normalize ? z.preprocess(declaration.normalize, choice) : choice
    }
    case 'number': {
      const { min, max, step, nullable } = declaration
      const number = step === 1 ? z.number().int().min(min).max(max) : z.number().min(min).max(max)
      return nullable ? number.nullable() : number
    }
    case 'text':
      return z.string().max(declaration.maxLength)
    case 'structured': {
      const schemas: Readonly<Record<string, z.ZodType>> = structuredSchemas
      const schema = schemas[path]
      if (!schema) throw new Error(`The setting ${path} has no schema in structuredSchemas.`)
      return schema
    }
  }
}

/**
 * Builds the schema of all settings.
 * @param fieldSchema creates the schema of a setting
 * @param sectionSchema wraps the schema of a section
 */
function objectSchema(
  fieldSchema: (row: SettingRow) => z.ZodType,
  sectionSchema: (section: z.ZodObject) => z.ZodType,
): z.ZodObject {
  const shape: Record<string, z.ZodType> = {}
  for (const key of Object.keys(settingsTable)) {
    const row = settingRows.find(({ path }) => path === key)
    const fields = settingRows.filter(({ section }) => section === key).map((each) => [each.name, fieldSchema(each)])
    shape[key] = row ? fieldSchema(row) : sectionSchema(z.object(Object.fromEntries(fields)))
  }
  return z.object(shape)
}

const languageBlocksSchema = once(() => {
  const shared: readonly string[] = settingsOfAllLanguages
  const rows = settingRows.filter(({ section, name }) => section === 'editor' && !shared.includes(name))
  const block = z.object(Object.fromEntries(rows.map((row) => [row.name, valueSchema(row, false).optional()]))).strict()
  const blocks = z
    .record(z.string().min(1).max(100), block)
    .refine((all) => Object.keys(all).length <= 200, 'More than 200 languages.')
  // The cast is safe, because the shape and `LanguageBlock` are both derived from the table.
  return blocks as unknown as z.ZodType<LanguageBlocks>
})

function withDefault(row: SettingRow): z.ZodType {
  const schema = valueSchema(row, true)
  const { default: value } = row.declaration
  return value === undefined ? schema.optional() : schema.default(() => structuredClone(value))
}

/** Schema of `settings.json`. Missing settings get their defaults. */
// The cast is safe, because the shape and `Settings` are both derived from the table.
export const settingsSchema = objectSchema(withDefault, (section) =>
  section.prefault({}),
) as unknown as z.ZodType<Settings>

/** The same for reading the file. Unknown keys are errors, except `$schema`. */
export const settingsFileSchema = objectSchema(withDefault, (section) => section.strict().prefault({}))
  .extend({ $schema: z.string().optional() })
  .strict() as unknown as z.ZodType<Settings>

/**
 * Schema of a change to some settings. It has no defaults, because these would reset the omitted settings. A section
 * (`editor`, `web`, `history`) is always sent as a whole.
 */
export const settingsChangeSchema = once(
  () =>
    objectSchema(
      (row) => valueSchema(row, false),
      (section) => section,
    ).partial() as unknown as z.ZodType<Partial<Settings>, Partial<Settings>>,
)

/** Settings that have their own requests, because they involve keys and trust. */
const withoutDocument: ReadonlySet<string> = new Set(['endpoints', 'mcp', 'web.hasBraveKey'])

/** Schema of a setting in a document that the user edits as JSON. Contains the texts of the settings page. */
function documentField(row: SettingRow): z.ZodType {
  const { title, description, default: value } = row.declaration
  const text = [title, description].filter(Boolean).join('. ')
  const schema = withoutDocument.has(row.path) ? z.undefined() : valueSchema(row, false)
  return schema.optional().meta({ description: text, ...(value === undefined ? {} : { default: value }) })
}

/**
 * Schema of the settings that the user edits as JSON. Missing settings get their defaults; unknown ones are rejected.
 */
export const settingsDocumentSchema = once(() =>
  objectSchema(documentField, (section) => section.strict().optional()).strict(),
)

/** How a folder prepares its worktrees. The command needs the user's approval. */
const folderSessionsSchema = z
  .object({
    setUp: z
      .string()
      .max(2000)
      .optional()
      .meta({ description: 'Command that runs once in each new worktree, in the sandbox, for example `npm ci`.' }),
  })
  .strict()

/**
 * Schema of a folder's `.tizona/settings.json`, which can change how files are edited but nothing about the agent. A
 * set-up command for worktrees runs only after the user has approved exactly this one.
 */
export const folderSettingsSchema = once(() => {
  const { 'files.exclude': exclude, 'files.associations': associations } = structuredSchemas
  const files = z.object({ exclude: exclude.optional(), associations: associations.optional() }).strict()
  return settingsDocumentSchema()
    .pick({ editor: true })
    .extend({ files: files.optional(), sessions: folderSessionsSchema.optional() })
})

/** A folder's settings, which override the user's. */
export interface FolderSettings {
  editor?: Partial<Settings['editor']>
  /** Added to the user's globs. */
  files?: Partial<Pick<Settings['files'], 'exclude' | 'associations'>>
  sessions?: z.infer<typeof folderSessionsSchema>
}

/** The settings that the files of a folder contain. */
export interface StoredFolderSettings {
  settings: FolderSettings
  /** Editor settings of VS Code in the folder, which `settings` override. */
  vsCode: Partial<Settings['editor']>
  /** Why some of them are not used, or ''. */
  problem: string
}

/** An endpoint with the result of the latest request for its models. */
export interface EndpointStatus {
  endpoint: Endpoint
  reachable: boolean
  models: ModelInfo[]
  /** Ids of embedding models. They are not in `models`. */
  embeddingModels?: string[]
  /** Ids of base models, which have no chat template and only continue text. They are not in `models`. */
  baseModels?: string[]
  /** Whether Tizona found it on this machine. Otherwise the user added it. */
  discovered: boolean
  /** It is on the computer of a window that works on another machine, which may not use it until the user allows it. */
  offered?: true
  /** Why the endpoint cannot be used, and what to do. */
  problem?: string
  /** Detected server software, e.g. "vLLM". */
  server?: string
  /** Number of prompts that the server keeps in its cache at a time, if reported. */
  slots?: number
  /** Whether the server has a tokenization API; absent if not checked. */
  countsTokens?: boolean
}

/**
 * The reasoning that is sent back to a model. `turn`: since the user's last message. `conversation`: all of it, because
 * the template keeps it.
 */
export type ReasoningReplay = 'none' | 'turn' | 'conversation'

export interface ModelInfo {
  id: string
  /** Name of the model if `id` is an alias, such as its file name. */
  originalName?: string
  /** Maximum context size in tokens, if the server reports it. */
  contextWindow?: number
  /** Context size in tokens that the model was trained for; absent if the server does not report it. */
  trainedWindow?: number
  /** Whether the model can call tools; absent if the server does not report it. */
  tools?: boolean
  /** Number of the model's parameters; absent if unknown. */
  parameters?: number
  /** Whether it works in guided turns, by its size and server or as set by the user. Only in lists of endpoints. */
  guided?: true
  /** Whether the model accepts images; absent if the server does not report it. */
  vision?: boolean
  /** The reasoning that its chat template uses; absent if the server does not report it. */
  reasoning?: ReasoningReplay
  /** Whether the model is in memory; absent if the server does not report it. */
  loaded?: boolean
  /** Context size in tokens of the loaded model, if it can differ from the requested one. */
  loadedWindow?: number
}
