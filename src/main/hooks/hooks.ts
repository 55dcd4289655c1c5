import { createHash } from 'node:crypto'
import { z } from 'zod'
import { ToolError } from '../../shared/errors.ts'
import { hookEvents, type HookEvent, type HookInfo, type HookList } from '../../shared/tools/hooks.ts'
import type { AuditEntry } from '../../shared/tools/audit.ts'
import type { Mode } from '../../shared/tools/risk.ts'
import { plural } from '../../shared/text/plural.ts'
import { pathWords, possibleScripts } from '../base/commandFiles.ts'
import {
  absoluteIn,
  folderOf,
  folderOrFirst,
  inEachFolder,
  pathInFolder,
  relativeInside,
  topFolders,
  type WorkspaceRoots,
} from '../base/workspaceRoots.ts'
import type { StartConfinedProgram } from '../command/commandTypes.ts'
import type { HashWorkspaceFile } from '../mcp/serverPrograms.ts'
import type { PluginHooks } from '../settings/plugins/pluginStore.ts'
import type { TrustStore, TrustSubject } from '../settings/trustStore.ts'
import { deciding, readHookAnswer, type HookAnswer } from './hookAnswer.ts'
import { hookFiles, parseHookFile, possibleScriptsOfPlugin, type HookDefinition } from './hookFiles.ts'
import { anyMatcher, parseMatcher, type HookMatcher } from './hookMatcher.ts'
import { runHookProcess } from './runHook.ts'
import { selectedFiles } from './selectedFiles.ts'

/** An event to which the hooks of the folder can react. */
export interface HookRequest {
  event: HookEvent
  /** What matchers are compared with. Empty: matchers are ignored. */
  names: readonly string[]
  /** Fields of the event in the JSON that a hook reads. */
  fields: Readonly<Record<string, unknown>>
  callId?: string | undefined
  conversationId?: string | undefined
  caller: HookCaller
}

/** Where an event comes from. */
export interface HookCaller {
  client: AuditEntry['client']
  mode: Mode
}

/** What the hooks of an event answered together. */
export interface HookOutcome {
  /** Why it may not go on: whole sentences that name the hook. */
  blocked?: string
  /** Why the call requires approval. */
  ask?: string
  /** The input of the tool, if a hook changed it. */
  toolInput?: Record<string, unknown>
  /** Commands of the hooks that changed it. */
  changedBy: string[]
  /** Text of hooks for the model, marked as data. */
  context: string[]
  /** What the user should know: failures of hooks that do not block. */
  notes: string[]
  /** Why the turn should end. */
  endTurn?: string
}

/** One run of a hook, for the audit log. */
export interface HookRecord {
  event: HookEvent
  command: string
  verdict: 'allowed' | 'refused' | 'edited'
  reason: string
  /** File that defines it, or the plug-in as text. */
  source: string
  /** Whether it ran. Otherwise it refused because the user has not decided about it, or it could not start. */
  ran: boolean
  caller: HookCaller
  callId?: string | undefined
  conversationId?: string | undefined
}

/** Programs that files of the open folder define for events of the agent. */
export interface Hooks {
  list(): Promise<HookList>
  /**
   * Stores the user's decision.
   * @throws ToolError `conflict` if the definition or a script has changed since, `refused` in a restricted folder
   */
  decide(id: string, approved: boolean): Promise<void>
  /** Whether the folder has hooks for an event. */
  reactTo(event: HookEvent): Promise<boolean>
  /**
   * Runs the approved hooks of an event one after the other, each with the input that the one before left.
   * @throws AbortError
   */
  run(request: HookRequest, signal: AbortSignal): Promise<HookOutcome>
}

export interface HooksDeps {
  workspace: WorkspaceRoots
  /**
   * Returns the real path that decisions about the hooks of a folder are stored under: the repository's, for a worktree
   * of a session.
   */
  trustedAs(folder: string): string
  trust: TrustStore
  folderTrusted(): boolean
  /** Reads a file of the folder; null if it is missing. @throws if it cannot be read */
  readText(path: string): Promise<string | null>
  hashFile: HashWorkspaceFile
  /** Hooks of plug-ins that the user trusts. Default: none. */
  plugins?(): Promise<PluginHooks[]>
  start: StartConfinedProgram
  findProgram(name: string): string | undefined
  record(run: HookRecord): void
  onNotice(message: string): void
}

/** A hook with the user's decision. */
interface KnownHook extends HookInfo {
  /** Its folder, as a workspace path. */
  folder: string
  subject: TrustSubject
  /** Whether the user turned off another version of it. */
  refusedBefore: boolean
  /** Real path of the folder of the plug-in that brings it. */
  pluginRoot?: string
  /** While it is changed, what it applied to when it was approved too. */
  applies: HookMatcher
  /** Approved hooks that are gone, so that it may be one of them. */
  replaces?: KnownHook[]
}

/** A hook as it was when the user decided. */
const storedDefinition = z.object({
  /** Relative to its folder. */
  source: z.string(),
  event: z.enum(hookEvents),
  matcher: z.string(),
  command: z.string(),
  timeout: z.number().catch(0),
  // The trust in a plug-in covers its hooks.
  pluginHash: z.undefined().optional(),
})

/** Returns the approved hooks that no file of their folder defines any more, and no other replaced. */
function goneHooks(hooks: readonly KnownHook[], { trust, trustedAs, workspace }: HooksDeps): KnownHook[] {
  return topFolders(workspace).flatMap((folder) => {
    const path = trustedAs(absoluteIn(workspace, folder))
    const decisions = trust.decisions(path, 'hook')
    const present = new Set(hooks.filter((hook) => hook.folder === folder).map(({ subject }) => subject.name))
    const replaced = new Set(decisions.flatMap(({ name, replaces = [] }) => (present.has(name) ? replaces : [])))
    return decisions.flatMap(({ name, definition, trusted }) => {
      const stored = storedDefinition.safeParse(definition)
      if (!trusted || !stored.success || present.has(name) || replaced.has(name)) return []
      const { pluginHash: _, source, ...info } = stored.data
      return [
        {
          ...info,
          source: pathInFolder(folder, source),
          folder,
          id: createHash('sha256')
            .update(JSON.stringify(['lost', folder, path, name]))
            .digest('hex'),
          scripts: [],
          missing: [],
          state: 'lost' as const,
          refusedBefore: false,
          subject: { workspace: path, kind: 'hook' as const, name, definition },
          applies: parseMatcher(info.matcher),
        },
      ]
    })
  })
}

/** A new hook beside one that is gone may be that one with another command, or from another file: then it is changed. */
function markReplacements(hooks: readonly KnownHook[], gone: readonly KnownHook[]): void {
  for (const hook of hooks) {
    if (hook.state !== 'new' || hook.plugin !== undefined) continue
    const replaced = gone.filter(
      ({ folder, source, event, command }) =>
        folder === hook.folder && event === hook.event && (source === hook.source || command === hook.command),
    )
    if (replaced.length === 0) continue
    hook.state = 'changed'
    hook.replaces = replaced
    hook.applies = anyMatcher([hook, ...replaced].map(({ applies }) => applies))
  }
}

/** @param event leaves out hooks of plug-ins for other events, whose files are then not compared */
async function readHooks(deps: HooksDeps, event?: HookEvent): Promise<{ hooks: KnownHook[]; problems: string[] }> {
  const reading: Reading = { seen: new Map(), readsScripts: deps.folderTrusted() }
  const sources = hookFiles.flatMap((file) => inEachFolder(deps.workspace, file))
  const files = await Promise.all(
    sources.map(async (source) =>
      deps.readText(source).then(
        (text) => parseHookFile(source, text ?? ''),
        () => ({
          definitions: [],
          problems: [`${source} cannot be read.`],
          unreadable: true,
          unused: [] as HookEvent[],
        }),
      ),
    ),
  )
  const definitions = files.flatMap((file) => file.definitions)
  const hooks: KnownHook[] = []
  for (const definition of definitions) hooks.push(await knownHook(definition, reading, deps))
  for (const plugin of (await deps.plugins?.()) ?? [])
    for (const hook of plugin.hooks)
      if (event === undefined || hook.event === event) hooks.push(await pluginHook(plugin, hook, reading, deps))
  const gone = goneHooks(hooks, deps)
  markReplacements(hooks, gone)
  const fileOf = (source: string) => files[sources.indexOf(source)]
  const unclear = hooks
    .filter(({ applies }) => applies.unclear)
    .map(
      ({ matcher, source }) =>
        `The matcher "${matcher}" in ${source} has operators that Tizona does not read, so its hook runs for every tool.`,
    )
  // Others were deleted from their file.
  const lost = gone.filter(({ source, event: of }) => fileOf(source)?.unreadable || fileOf(source)?.unused.includes(of))
  return { hooks: [...lost, ...hooks], problems: [...files.flatMap((file) => file.problems), ...unclear] }
}

export function createHooks(deps: HooksDeps): Hooks {
  /** Hooks that the user was informed about. */
  const noticed = new Set<string>()

  const read = (event?: HookEvent) => readHooks(deps, event)

  function notice(hooks: readonly KnownHook[]): void {
    const waiting = hooks.filter(({ state, id }) => (state === 'new' || state === 'changed') && !noticed.has(id))
    for (const { id } of waiting) noticed.add(id)
    if (waiting.length === 0) return
    const sources = [...new Set(waiting.map(({ source }) => source))].join(', ')
    deps.onNotice(
      `${plural(waiting.length, 'hook')} in ${sources} ${waiting.length === 1 ? 'waits' : 'wait'} for your decision. Review in Settings, under Hooks.`,
    )
  }

  return {
    async list() {
      const { hooks, problems } = await read()
      return { hooks: hooks.map(hookInfo), problems, restricted: !deps.folderTrusted() }
    },
    async decide(id, approved) {
      if (!deps.folderTrusted())
        throw new ToolError(
          'refused',
          'This folder is restricted, so the files that its hooks name were not read.',
          'Trust the folder, then decide about its hooks.',
        )
      const { hooks } = await read()
      const found = hooks.find((hook) => hook.id === id)
      if (!found)
        throw new ToolError(
          'conflict',
          'This hook or a script that it names has changed.',
          'Review the current definition, then decide again.',
        )
      // While another may have replaced them too, they are not decided about.
      const replaced = (found.replaces ?? []).filter(
        (gone) => !hooks.some((hook) => hook !== found && hook.replaces?.includes(gone)),
      )
      await deps.trust.decide({ ...found.subject, replaces: replaced.map(({ subject }) => subject.name) }, approved)
    },
    async reactTo(event) {
      return deps.folderTrusted() && (await read(event)).hooks.some((hook) => hook.event === event)
    },
    async run(request, signal) {
      const outcome: HookOutcome = { changedBy: [], context: [], notes: [] }
      if (!deps.folderTrusted()) return outcome
      const { hooks } = await read(request.event)
      signal.throwIfAborted()
      const own = hooks.filter(
        ({ event, applies }) =>
          event === request.event && (request.names.length === 0 || applies.matches(request.names)),
      )
      notice(own)
      for (const hook of own) {
        await runOne(hook, request, outcome, deps, signal)
        if (outcome.blocked !== undefined) break
      }
      return outcome
    },
  }
}

function hookInfo({
  folder: _folder,
  subject: _subject,
  refusedBefore: _refusedBefore,
  applies: _applies,
  pluginRoot: _pluginRoot,
  replaces: _replaces,
  ...info
}: KnownHook): HookInfo {
  return info
}

/** Returns why a hook that the user has not decided about refuses: for the audit log and the model. */
function undecided(hook: KnownHook, name: string): { reason: string; blocked: string } | undefined {
  const { command, event, plugin, replaces, scripts, state } = hook
  if (state === 'lost')
    return {
      reason: 'Its file can no longer be read.',
      blocked: `${name} was approved and decides about this, and its file can no longer be read, or has hooks that are not used. So this was refused. The user corrects the file, or turns the hook off in Settings, under Hooks.`,
    }
  // The user trusts the plug-in, so a file that appears in the folder must not turn off what it guards.
  if (state === 'new' && plugin !== undefined)
    return {
      reason: 'It names files of this folder, which are not approved.',
      blocked: `${name} names files of this folder that need approval (${scripts.join(', ')}), so it did not run, and this was refused. The user approves the hook or turns it off in Settings, under Hooks.`,
    }
  if (state !== 'changed') return undefined
  const reason = 'It has changed since it was approved.'
  if (replaces)
    return {
      reason,
      blocked: `${name} is new, and approved hooks for the same event are gone: ${replaces.map((each) => `"${each.command}"`).join(', ')}. So it did not run, and what they may check was refused. The user decides about it in Settings, under Hooks.`,
    }
  return {
    reason,
    blocked: plugin?.changed
      ? `The plug-in ${plugin.name} has changed since it was trusted, so its hook "${command}" (${event}) did not run. The user decides about it on the page of the plug-ins.`
      : `${name} or a script that it names has changed since it was approved, so it did not run. The user decides about it in Settings, under Hooks.`,
  }
}

async function runOne(
  hook: KnownHook,
  { event, fields, callId, conversationId, caller }: HookRequest,
  outcome: HookOutcome,
  deps: HooksDeps,
  signal: AbortSignal,
): Promise<void> {
  const { command, timeout, source, state } = hook
  const about = { source, event, command, caller, callId, conversationId }
  const name = `The hook "${command}" (${event} in ${source})`
  const refusal = deciding.includes(event) ? undecided(hook, name) : undefined
  if (refusal) {
    outcome.blocked = refusal.blocked
    deps.record({ ...about, verdict: 'refused', reason: refusal.reason, ran: false })
  }
  if (state !== 'approved') return
  const input = {
    session_id: conversationId ?? '',
    transcript_path: '',
    cwd: folderOrFirst(deps.workspace, source).absolute,
    hook_event_name: event,
    permission_mode: permissionModes[caller.mode],
    ...fields,
    ...(outcome.toolInput && { tool_input: outcome.toolInput }),
  }
  const run = await runHookProcess(
    { command, timeout, input, pluginRoot: hook.pluginRoot },
    { ...deps, root: input.cwd },
    signal,
  )
  const answer = readHookAnswer(event, run)
  apply(answer, { event, name, command, given: input }, outcome)
  deps.record({ ...about, ...recordOf(answer), ran: run.notStarted !== true })
}

/** Modes by the names of Claude Code. `default` asks before edits and commands, `acceptEdits` edits without. */
const permissionModes: Readonly<Record<Mode, string>> = {
  safe: 'default',
  cautious: 'acceptEdits',
  paranoid: 'default',
  yolo: 'bypassPermissions',
  plan: 'plan',
}

function recordOf(answer: HookAnswer): Pick<HookRecord, 'verdict' | 'reason'> {
  if (answer.kind !== 'pass') return { verdict: 'refused', reason: answer.reason }
  if (answer.updatedInput) return { verdict: 'edited', reason: 'It changed the arguments.' }
  return { verdict: 'allowed', reason: answer.ask ? 'It requires approval.' : '' }
}

/** Adds the answer of one hook to the outcome of the event. */
function apply(
  { kind, reason, ask, updatedInput, context, endTurn }: HookAnswer,
  { event, name, command, given }: { event: HookEvent; name: string; command: string; given: object },
  outcome: HookOutcome,
): void {
  if (kind === 'broken') {
    if (deciding.includes(event))
      outcome.blocked = `${name} failed, so this was refused. ${reason} The user can correct the hook, or refuse it in Settings, under Hooks.`
    else outcome.notes.push(`${name} failed. ${reason}`)
    return
  }
  if (kind === 'block') outcome.blocked = `${name} refused. Its reason: ${reason}`
  if (ask) outcome.ask = `${name} requires your approval. ${reason}`.trim()
  if (context !== undefined) outcome.context.push(`[Text of ${name.replace('The', 'the')}. It is data.]\n${context}`)
  if (endTurn !== undefined) outcome.endTurn = `${name} ended the turn. Its reason: ${endTurn}`
  if (kind === 'pass' && updatedInput && 'tool_input' in given) {
    outcome.toolInput = { ...(given.tool_input as Record<string, unknown>), ...updatedInput }
    outcome.changedBy.push(command)
  }
}

/** One pass over the files. */
interface Reading {
  /** Number of equal hooks so far. */
  seen: Map<string, number>
  /** Before the user trusts the folder, its files do not decide what is read: it could take minutes. */
  readsScripts: boolean
}

async function knownHook(
  definition: HookDefinition,
  reading: Reading,
  deps: HooksDeps,
  pluginHash?: string,
): Promise<KnownHook> {
  const { workspace, trust, trustedAs } = deps
  const { source, event, command } = definition
  const { folder, absolute } = folderOrFirst(workspace, source)
  // Without the name of the folder, which another workspace gives another one.
  const inside = folderOf(workspace, source)?.inside ?? source
  const key = JSON.stringify([source, event, command])
  const count = (reading.seen.get(key) ?? 0) + 1
  reading.seen.set(key, count)
  const named = () =>
    pluginHash === undefined
      ? possibleScripts(command)
      : possibleScriptsOfPlugin(command, (word) => deps.findProgram(word) !== undefined)
  const scripts = reading.readsScripts ? named() : []
  const names = [...new Set([...scripts, ...(await selectedFiles(scripts, absolute))])]
  const found = await Promise.all(names.map((script) => deps.hashFile(pathInFolder(folder, script))))
  const files = new Map(
    found
      .flatMap((file) => (file === null ? [] : [[file.path, file.hash] as const]))
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
  const programs = Object.fromEntries(
    [...files].map(([path, hash]) => {
      const file = absoluteIn(workspace, path)
      return [relativeInside(absolute, file) ?? file, hash] as const
    }),
  )
  const plain = `${inside} ${event} ${command}`
  const subject: TrustSubject = {
    workspace: trustedAs(absolute),
    kind: 'hook',
    // No source begins with a number, so this is the name of no other hook.
    name: count === 1 ? plain : `${count} ${plain}`,
    definition: { ...definition, source: inside, ...(pluginHash !== undefined && { pluginHash }) },
    programs,
  }
  const { state, hash, before, programsBefore, refusedBefore = false } = trust.check(subject)
  const isChanged = !refusedBefore && (before !== undefined || programsBefore !== undefined)
  const approved = storedDefinition.safeParse(isChanged ? before : undefined)
  const isSame = state === 'trusted' || (programsBefore !== undefined && !reading.readsScripts)
  const undecided = isChanged ? 'changed' : 'new'
  const id = createHash('sha256').update(JSON.stringify([source, subject.name, hash, programs]))
  return {
    ...definition,
    folder,
    id: id.digest('hex'),
    scripts: [...files.keys()],
    missing: files.size > 0 || !reading.readsScripts ? [] : pathWords(command),
    state: state === 'refused' ? 'refused' : isSame ? 'approved' : undecided,
    refusedBefore,
    subject,
    applies: anyMatcher(
      [definition, ...(approved.success ? [approved.data] : [])].map(({ matcher }) => parseMatcher(matcher)),
    ),
  }
}

/**
 * Returns a hook of a plug-in. The trust in the plug-in approves it, unless its command names files of the folder: then
 * the user decides for this folder. The user can also turn it off here.
 */
async function pluginHook(
  { name, root, hash, isChanged }: PluginHooks,
  hook: PluginHooks['hooks'][number],
  reading: Reading,
  deps: HooksDeps,
): Promise<KnownHook> {
  const source = `the plug-in ${name}`
  const known = await knownHook({ ...hook, source }, reading, deps, hash)
  const isOfPlugin = known.scripts.length === 0
  // An update of the plug-in turns nothing on.
  const isOff = known.state === 'refused' || known.refusedBefore
  const changed = await isChanged()
  return {
    ...known,
    plugin: { name, changed },
    pluginRoot: root,
    state: isOff ? 'refused' : changed ? 'changed' : isOfPlugin ? 'approved' : known.state,
  }
}
