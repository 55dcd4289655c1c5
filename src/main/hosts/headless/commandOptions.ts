import { stat } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { z } from 'zod'
import { exportFormats, type ExportFormat } from '../../../shared/agent/conversation.ts'
import { workspaceFileExtension } from '../../../shared/files/workspaceFolders.ts'
import { checkSteps } from '../../../shared/models/modelCheck.ts'
import { profileChoices } from '../../../shared/agent/promptProfile.ts'
import { normalizeMode, modes, toolsetNames } from '../../../shared/tools/risk.ts'
import { setLogLevel } from '../../base/log/log.ts'
import { argumentError, parseLogLevel, UsageError } from '../appArguments.ts'

const toolset = z.enum(toolsetNames).default('blade')
/** Also accepts Rustant's spelling (`Safe`, `Yolo`, …). */
const mode = z.preprocess(normalizeMode, z.enum(modes)).default('safe')

/** A flag. `parse` recognizes options without a value by this schema. */
const flag = z.boolean().default(false)
const trust = flag
/** An option that can be repeated. */
const repeated = z.array(z.string()).default([])

/** Whether `--endpoint` is the path of a model file. Anything else is a server URL. */
export const isModelFile = (endpoint: string): boolean => /\.gguf$/i.test(endpoint) && !/^[a-z]+:\/\//i.test(endpoint)

const endpointAddress = z.union(
  [z.string().refine(isModelFile), z.url({ protocol: /^https?$/ })],
  'is not an http(s) address and not a .gguf file',
)
/** Required for servers. A model file has one model. */
const modelOption = z.string().min(1).optional()
/** Context size in tokens, for servers that do not report it. */
const contextWindow = z.coerce.number().int().min(1024).max(100_000_000).optional()

const runSchema = z.object({
  workspace: z.string(),
  trust,
  /** Name of a new session in a worktree; empty for the first free one. */
  worktree: z.string().max(60).optional(),
  /** Whether to approve the set-up command of the folder. */
  'approve-set-up': flag,
  /** Whether the last event lists the changed files. */
  review: flag,
  endpoint: endpointAddress,
  model: modelOption,
  /** Default: detected. */
  kind: z.enum(['openai', 'ollama']).optional(),
  mode,
  /** Default: `blade`, or the toolset of the continued conversation. */
  toolset: z.enum(toolsetNames).optional(),
  /** A conversation id, or `last`. */
  continue: z.string().min(1).optional(),
  'max-turns': z.coerce.number().int().min(1).max(500).default(50),
  temperature: z.coerce.number().min(0).max(2).optional(),
  /** Size of instructions and tools. Default: by context size. */
  profile: z.enum(profileChoices).optional(),
  'context-window': contextWindow,
})
/** Each has a worktree. */
const maxTries = 20
const triesSchema = runSchema.omit({ worktree: true, review: true, continue: true }).extend({
  /** A model and options such as `temperature=0.8`, separated by spaces. */
  try: repeated,
  /** Beginning of the names of the sessions. */
  name: z.string().max(50).default('try'),
  /** Command that runs in each session after its turn. */
  test: z.string().max(2000).optional(),
  json: flag,
})
const tryOptionsSchema = runSchema.pick({ model: true, temperature: true, toolset: true, profile: true }).strict()
const conversationsSchema = z.object({ workspace: z.string(), query: z.string().max(500).optional() })
const exportSchema = z.object({ format: z.enum(exportFormats).default('markdown') })
const folderSchema = z.object({ workspace: z.string() })
const replaySchema = z.object({
  workspace: z.string(),
  mode,
  /** Whether the calls run directly, without the agent loop, on a copy of the folder. */
  tools: flag,
})
const checkpointId = z.coerce.number().int().positive()
const callSchema = z.object({ workspace: z.string(), trust, mode, toolset })
const mcpSchema = callSchema
const mcpSignInSchema = z.object({ workspace: z.string().default('.'), trust })
const acpSchema = z.object({
  trust,
  /** Whether each session begins in a worktree of its own. */
  worktree: flag,
  mode,
  toolset: z.enum(toolsetNames).optional(),
  endpoint: runSchema.shape.endpoint.optional(),
  model: modelOption,
  kind: runSchema.shape.kind,
  profile: runSchema.shape.profile,
  'context-window': runSchema.shape['context-window'],
})
const explainSchema = z.object({ workspace: z.string().default('.'), mode, json: flag })
const doctorSchema = z.object({ workspace: z.string().optional(), trust, models: flag, json: flag })
const toolsSchema = z.object({ toolset, format: z.enum(['openai', 'text', 'markdown']).default('text') })

const checkModelSchema = z.object({
  endpoint: endpointAddress,
  model: modelOption,
  /** Default: detected. */
  kind: z.enum(['openai', 'ollama']).optional(),
  'context-window': contextWindow,
  json: flag,
  apply: flag,
  /** Steps of the check, separated by commas. Default: all. */
  tasks: z
    .string()
    .transform((list) => list.split(',').map((word) => word.trim()))
    .pipe(z.array(z.enum(checkSteps, { error: `accepts only ${checkSteps.join(', ')}` })).min(1))
    .optional(),
  /** Time limit of the whole check. */
  minutes: z.coerce.number().positive().max(1440).optional(),
})

const sessionsSchema = z.object({ workspace: z.string().optional(), json: flag, yes: flag, trust, only: repeated })

const pluginsSchema = z.object({
  json: flag,
  yes: flag,
  'delete-data': flag,
  hash: z
    .string()
    .regex(/^[\da-f]{16,64}$/i, 'Expected 16 to 64 digits of the hash.')
    .optional(),
  trust,
})

const reviewSchema = z.object({
  workspace: z.string().default('.'),
  since: z.string().min(1).optional(),
  json: flag,
  keep: repeated,
  undo: repeated,
})

export interface RunOptions extends z.output<typeof runSchema> {
  prompt: string
}
export interface TriesOptions {
  prompt: string
  /** Beginning of the names of the sessions. */
  name: string
  /** Options of the run of each session. */
  runs: RunOptions[]
  test: string | undefined
  json: boolean
}
export interface CallOptions extends z.output<typeof callSchema> {
  tool: string
  arguments: string
}
export type McpSignInOptions = { action: 'login' | 'logout'; name: string; workspace: string; trust: boolean }
export type McpOptions = z.output<typeof mcpSchema>
export type AcpOptions = Omit<z.output<typeof acpSchema>, 'endpoint' | 'model'> & {
  /** Absent to use the model selected in the application. */
  server?: { endpoint: string; model?: string | undefined }
}
export type ToolsOptions = z.output<typeof toolsSchema>

/** @throws UsageError */
export async function parseRun(args: readonly string[]): Promise<RunOptions> {
  // A name is optional, which `parseArgs` does not support.
  const { values, positionals } = parse(
    args.map((word) => (word === '--worktree' ? '--worktree=' : word)),
    runSchema,
  )
  if (values['approve-set-up'] && values.worktree === undefined)
    throw new UsageError('--approve-set-up needs --worktree.')
  if (values.continue !== undefined && values.worktree !== undefined)
    throw new UsageError(
      'A new worktree has no conversation. To continue one of a session, use --workspace with its folder.',
    )
  const [prompt] = exactly(positionals, ['PROMPT'])
  if (prompt.trim() === '') throw new UsageError('The prompt is empty.')
  return { ...values, workspace: await folder(values.workspace), prompt }
}

/** @throws UsageError */
export async function parseTries(args: readonly string[]): Promise<TriesOptions> {
  const {
    values: { try: tries, name, test, json, ...values },
    positionals,
  } = parse(args, triesSchema)
  const [prompt] = exactly(positionals, ['PROMPT'])
  if (prompt.trim() === '') throw new UsageError('The prompt is empty.')
  if (tries.length === 0) throw new UsageError('--try is missing.')
  if (tries.length > maxTries) throw new UsageError(`There are more than ${maxTries} tries.`)
  const workspace = await folder(values.workspace)
  const runs = tries.map((words) => ({ ...values, ...tryOptions(words), workspace, review: false, prompt }))
  return { prompt, name, runs, test, json }
}

/** Reads the options of one try, such as `qwen3-coder temperature=0.8 toolset=rusty`. @throws UsageError */
function tryOptions(words: string): Partial<Pick<RunOptions, 'model' | 'temperature' | 'toolset' | 'profile'>> {
  const given = words.split(/\s+/).filter((word) => word !== '')
  const options = given.map((word) => (word.includes('=') ? word.split('=', 2) : ['model', word]))
  const checked = tryOptionsSchema.safeParse(Object.fromEntries(options))
  if (!checked.success)
    throw new UsageError(
      `--try "${words}" is not a model and options. Example: --try "qwen3-coder temperature=0.8 toolset=rusty".`,
    )
  // Absent options keep those of the command line.
  const { model, temperature, toolset: family, profile } = checked.data
  return {
    ...(model !== undefined && { model }),
    ...(temperature !== undefined && { temperature }),
    ...(family !== undefined && { toolset: family }),
    ...(profile !== undefined && { profile }),
  }
}

/** Does not parse the JSON, because the executor validates it. @throws UsageError */
export async function parseCall(args: readonly string[]): Promise<CallOptions> {
  const { values, positionals } = parse(args, callSchema)
  const [tool, json = '{}'] =
    positionals.length === 1 ? exactly(positionals, ['TOOL']) : exactly(positionals, ['TOOL', 'JSON'])
  return { ...values, workspace: await folder(values.workspace), tool, arguments: json }
}

/** @throws UsageError */
export async function parseMcp(args: readonly string[]): Promise<McpOptions> {
  const { values, positionals } = parse(args, mcpSchema)
  exactly(positionals, [])
  return { ...values, workspace: await folder(values.workspace) }
}

/** @throws UsageError */
export async function parseMcpSignIn(
  action: McpSignInOptions['action'],
  args: readonly string[],
): Promise<McpSignInOptions> {
  const { values, positionals } = parse(args, mcpSignInSchema)
  const [name] = exactly(positionals, ['NAME'])
  return { action, name, trust: values.trust, workspace: await folder(values.workspace) }
}

/** @throws UsageError */
export function parseAcp(args: readonly string[]): AcpOptions {
  const {
    values: { endpoint, model, ...values },
    positionals,
  } = parse(args, acpSchema)
  exactly(positionals, [])
  if (endpoint !== undefined) return { ...values, server: { endpoint, model } }
  if (model !== undefined) throw new UsageError('--model needs --endpoint. Pass both, or neither.')
  return values
}

/** @throws UsageError */
export async function parseExplain(
  args: readonly string[],
): Promise<z.output<typeof explainSchema> & { command: string }> {
  const { values, positionals } = parse(args, explainSchema)
  const [command] = exactly(positionals, ['COMMAND'])
  return { ...values, workspace: await folder(values.workspace), command }
}

/** @throws UsageError */
export async function parseDoctor(args: readonly string[]): Promise<z.output<typeof doctorSchema>> {
  const { values, positionals } = parse(args, doctorSchema)
  exactly(positionals, [])
  return values.workspace === undefined ? values : { ...values, workspace: await folder(values.workspace) }
}

/** @throws UsageError */
export async function parseReview(args: readonly string[]): Promise<z.output<typeof reviewSchema>> {
  const { values, positionals } = parse(args, reviewSchema)
  exactly(positionals, [])
  return { ...values, workspace: await folder(values.workspace) }
}

/** @throws UsageError */
export function parseCheckModel(args: readonly string[]): z.output<typeof checkModelSchema> {
  const { values, positionals } = parse(args, checkModelSchema)
  exactly(positionals, [])
  return values
}

/** @throws UsageError */
export function parseTools(args: readonly string[]): ToolsOptions {
  const { values, positionals } = parse(args, toolsSchema)
  exactly(positionals, [])
  return values
}

/** @throws UsageError */
export async function parseConversations(args: readonly string[]): Promise<z.output<typeof conversationsSchema>> {
  const { values, positionals } = parse(args, conversationsSchema)
  exactly(positionals, [])
  return { ...values, workspace: await folder(values.workspace) }
}

/** @throws UsageError */
export function parseExport(args: readonly string[]): { id: string; format: ExportFormat } {
  const { values, positionals } = parse(args, exportSchema)
  const [id] = exactly(positionals, ['ID'])
  return { ...values, id }
}

/** @throws UsageError */
export async function parseImport(args: readonly string[]): Promise<{ file: string; workspace: string }> {
  const { values, positionals } = parse(args, folderSchema)
  const [file] = exactly(positionals, ['FILE'])
  return { file, workspace: await folder(values.workspace) }
}

/** @throws UsageError */
export async function parseReplay(args: readonly string[]): Promise<z.output<typeof replaySchema> & { file: string }> {
  const { values, positionals } = parse(args, replaySchema)
  const [file] = exactly(positionals, ['FILE'])
  return { ...values, file, workspace: await folder(values.workspace) }
}

export type CheckpointsOptions = { workspace: string } & (
  | { action: 'list' }
  | { action: 'show' | 'restore'; id: number }
)

/** @throws UsageError */
export async function parseCheckpoints(args: readonly string[]): Promise<CheckpointsOptions> {
  const { values, positionals } = parse(args, folderSchema)
  const [action, ...rest] = positionals
  if (action !== 'list' && action !== 'show' && action !== 'restore')
    throw new UsageError('Missing action: list, show ID or restore ID.')
  const workspace = await folder(values.workspace)
  if (action === 'list') {
    exactly(rest, [])
    return { workspace, action }
  }
  const [word] = exactly(rest, ['ID'])
  const id = checkpointId.safeParse(word)
  if (!id.success) throw new UsageError(`"${word}" is not a checkpoint number. "tizona checkpoints list" lists them.`)
  return { workspace, action, id: id.data }
}

const namedActions = ['show', 'take-over', 'merge', 'rebase', 'archive', 'unarchive', 'remove'] as const

export type SessionsOptions = Omit<z.output<typeof sessionsSchema>, 'workspace'> & { workspace: string | undefined } & (
    | { action: 'list' | 'sweep' }
    | { action: (typeof namedActions)[number]; name: string }
  )

/** @throws UsageError */
export async function parseSessions(args: readonly string[]): Promise<SessionsOptions> {
  const { values, positionals } = parse(args, sessionsSchema)
  const [word, ...rest] = positionals
  const workspace = values.workspace === undefined ? undefined : await folder(values.workspace)
  if (word === 'list' || word === 'sweep') {
    exactly(rest, [])
    return { ...values, workspace, action: word }
  }
  const action = namedActions.find((each) => each === word)
  if (action === undefined)
    throw new UsageError(`Missing action: list, sweep, or ${namedActions.join(', ')} and a NAME.`)
  if (values.only.length > 0 && action !== 'take-over')
    throw new UsageError('--only can only be used with "take-over".')
  const [name] = exactly(rest, ['NAME'])
  return { ...values, workspace, action, name }
}

const pluginActions = ['add', 'list', 'check', 'update', 'trust', 'enable', 'disable', 'remove'] as const

export interface PluginsOptions {
  action: (typeof pluginActions)[number]
  /** Name of a plug-in, or the path to add. '': all. */
  name: string
  json: boolean
  /** Whether to accept the update, or to trust what is added. */
  yes: boolean
  /** First digits of the hash of the only version to accept. '': the one that is printed. */
  hash: string
  /** Whether to delete the data of the plug-in too. */
  deleteData: boolean
}

/** @throws UsageError */
export function parsePlugins(args: readonly string[]): PluginsOptions {
  const { values, positionals } = parse(args, pluginsSchema)
  const [word, ...rest] = positionals
  const action = pluginActions.find((each) => each === word)
  if (action === undefined) throw new UsageError(`Missing action: ${pluginActions.join(', ')}.`)
  if (values.trust && action !== 'add') throw new UsageError('--trust can only be used with "add".')
  if (values.yes && action !== 'update') throw new UsageError('--yes can only be used with "update".')
  if (values.hash !== undefined && action !== 'update') throw new UsageError('--hash can only be used with "update".')
  const deleteData = values['delete-data']
  if (deleteData && action !== 'remove') throw new UsageError('--delete-data can only be used with "remove".')
  const one = exactly(rest, action === 'list' ? [] : rest.length === 0 && action === 'check' ? [] : ['NAME'])
  return {
    action,
    name: one[0] ?? '',
    json: values.json,
    yes: values.yes || values.trust,
    hash: values.hash ?? '',
    deleteData,
  }
}

/** Parses options with a schema. Every command also accepts `--log-level`, which takes effect immediately. */
function parse<S extends z.ZodObject>(
  args: readonly string[],
  schema: S,
): { values: z.output<S>; positionals: string[] } {
  const options: ParseArgsConfig['options'] = {
    'log-level': { type: 'string' },
    ...Object.fromEntries(
      Object.entries(schema.shape).map(([name, field]) => [
        name,
        { type: field === flag ? ('boolean' as const) : ('string' as const), multiple: field === repeated },
      ]),
    ),
  }
  let parsed
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw argumentError(error)
  }
  const { 'log-level': logLevel, ...values } = parsed.values
  const level = parseLogLevel(typeof logLevel === 'string' ? logLevel : undefined)
  if (level !== undefined) setLogLevel(level)
  const checked = schema.safeParse(values)
  if (checked.success) return { values: checked.data, positionals: parsed.positionals }
  const problems = checked.error.issues.map((issue) => {
    const name = `--${issue.path.join('.')}`
    return parsed.values[String(issue.path[0])] === undefined ? `${name} is missing.` : `${name}: ${issue.message}.`
  })
  throw new UsageError(problems.join('\n'))
}

function exactly<const N extends readonly string[]>(positionals: string[], names: N): { [K in keyof N]: string } {
  if (positionals.length < names.length) throw new UsageError(`${names[positionals.length]} is missing.`)
  if (positionals.length > names.length)
    throw new UsageError(`Unexpected argument "${positionals[names.length]}". Put text with spaces in quotes.`)
  // The checks above ensure that both have the same length.
  return positionals as unknown as { [K in keyof N]: string }
}

/** Returns the absolute path of a folder, or of the file of a multi-root workspace. */
async function folder(path: string): Promise<string> {
  const absolute = resolve(path)
  const found = await stat(absolute).catch(() => null)
  if (found === null) throw new UsageError(`--workspace: the folder ${absolute} does not exist.`)
  if (!found.isDirectory() && extname(absolute).toLowerCase() !== workspaceFileExtension)
    throw new UsageError(`--workspace: ${absolute} is a file, not a folder.`)
  return absolute
}
