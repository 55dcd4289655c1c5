import { ToolError } from '../../shared/errors.ts'
import type { HookEvent, HookList } from '../../shared/tools/hooks.ts'
import type { AuditEntry } from '../../shared/tools/audit.ts'
import type { Mode } from '../../shared/tools/risk.ts'
import { plural } from '../../shared/text/plural.ts'
import { folderOrFirst } from '../base/workspaceRoots.ts'
import type { StartConfinedProgram } from '../command/commandTypes.ts'
import { deciding, readHookAnswer, type HookAnswer } from './hookAnswer.ts'
import { hookInfo, readHooks, type HookReadingDeps, type KnownHook } from './knownHooks.ts'
import { runHookProcess } from './runHook.ts'

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

export interface HooksDeps extends HookReadingDeps {
  start: StartConfinedProgram
  record(run: HookRecord): void
  onNotice(message: string): void
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
    { command, timeout, input, pluginFolders: hook.pluginFolders },
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
