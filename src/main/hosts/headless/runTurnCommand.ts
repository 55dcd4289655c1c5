import { writeSync } from 'node:fs'
import type { AssistantItem, ConversationItem, TurnOutcome } from '../../../shared/agent/conversation.ts'
import { toFailure, ToolError } from '../../../shared/errors.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { maxMentions, parseMentions } from '../../../shared/agent/mentions.ts'
import type { Events, EventName } from '../../../shared/bridge/protocol.ts'
import type { ReviewSummary } from '../../../shared/review/review.ts'
import type { Core } from '../../core.ts'
import { UsageError } from '../appArguments.ts'
import { announceRestricted, announceServers, openCore, type CommandContext } from './commandContext.ts'
import { commandLineEndpoint } from './commandLineEndpoint.ts'
import { findConversation } from './conversationsCommand.ts'
import { parseRun, type RunOptions } from './commandOptions.ts'
import { runTurn } from '../../core/runTurn.ts'
import { tokensOf } from '../../core/sessionFacts.ts'
import type { TryResult } from '../../../shared/agent/sessionTries.ts'
import type { SessionRecord } from '../../core/coreContract.ts'
import { cancelledCode, exitCodes } from './commandHelp.ts'

const exitCodeOf: Record<Exclude<TurnOutcome, 'cancelled'>, number> = {
  done: exitCodes.done,
  turn_limit: exitCodes.turnLimit,
  stuck: exitCodes.turnLimit,
  truncated: exitCodes.truncated,
  repeating: exitCodes.repeating,
  endpoint_failed: exitCodes.endpoint,
  failed: exitCodes.failed,
  approval_needed: exitCodes.approvalNeeded,
}

const defaultToolset = 'blade'

/** The last event of a run. */
export interface RunEnded {
  event: 'run.ended'
  /** Absent if the run failed before it had a conversation. */
  conversationId?: string
  outcome: TurnOutcome
  exitCode: number
  text: string
  review?: Pick<ReviewSummary, 'files' | 'added' | 'removed'> | undefined
  /** With `--worktree`. */
  session?: { name: string; folder: string; branch: string; base: string; changed: string[] }
  /** With a test. */
  test?: TryResult['test']
  /** Sum of the tokens of all prompts and answers. */
  tokens?: number
  /** Why the run failed outside its turn. */
  error?: { code: string; message: string; next: string }
}

/**
 * `tizona run`: runs one turn and prints one JSON event per line. The last one is always `run.ended`.
 * @returns the exit code
 * @throws UsageError
 */
export async function promptCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const options = await parseRun(args)
  const prompt = options.prompt === '-' ? await readAll(context.stdin) : options.prompt
  if (prompt.trim() === '') throw new UsageError('The prompt on standard input is empty.')
  const run: { conversationId?: string } = {}
  const stopWatching = endWithProcess(run, context.interrupted)
  try {
    const { ended } = await runPrompt(options, prompt, context, run)
    context.output.json(ended)
    return ended.exitCode
  } catch (error) {
    if (error instanceof UsageError) throw error
    context.output.json(failedRun(run, error, context.interrupted))
    throw error
  } finally {
    stopWatching()
  }
}

/**
 * Prints `run.ended` if the process exits during the run: after a second signal, or an unhandled error.
 * @returns a function that stops this
 */
function endWithProcess(run: { conversationId?: string }, interrupted: AbortSignal): () => void {
  const onExit = (code: number): void => {
    const outcome = interrupted.aborted ? 'cancelled' : 'failed'
    // Nothing asynchronous runs any more.
    writeSync(
      process.stdout.fd,
      `${JSON.stringify({ event: 'run.ended', ...run, outcome, exitCode: code, text: '' } satisfies RunEnded)}\n`,
    )
  }
  process.once('exit', onExit)
  return () => void process.off('exit', onExit)
}

export function failedRun(run: { conversationId?: string }, error: unknown, interrupted: AbortSignal): RunEnded {
  const { code, message, next } = toFailure(error)
  return code === 'cancelled'
    ? { event: 'run.ended', ...run, outcome: 'cancelled', exitCode: cancelledCode(interrupted), text: '' }
    : {
        event: 'run.ended',
        ...run,
        outcome: 'failed',
        exitCode: exitCodes.failed,
        text: '',
        error: { code, message, next },
      }
}

/**
 * Runs the turn.
 *
 * @param run receives the conversation id
 * @param attempt session of a try. Default: a new session with `--worktree`
 * @returns the last event, and what came of the try
 */
export async function runPrompt(
  options: RunOptions,
  prompt: string,
  context: CommandContext,
  run: { conversationId?: string },
  attempt?: SessionRecord,
): Promise<{ ended: RunEnded; result: TryResult | undefined }> {
  const { endpoints, model, keys } = await commandLineEndpoint(options, context.interrupted)
  const core = await openCore(
    context,
    {
      endpoints,
      model,
      mode: options.mode,
      toolset: options.toolset ?? defaultToolset,
      maxTurns: options['max-turns'],
      ...(options.profile && { profile: options.profile }),
      ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
    },
    { trustWorkspace: options.trust, keys },
  )
  try {
    core.prepareModel(model)
    const session = attempt ?? (options.worktree === undefined ? undefined : await createSession(core, options))
    if (session) await announceSession(core, session, options, context)
    const workspace = await core.openWorkspace(session?.worktree ?? options.workspace)
    if (session) await setUp(core, session, context)
    await announceServers(core, options.trust)
    const { handlers } = core
    const signal = new AbortController().signal
    const info =
      options.continue === undefined
        ? (await handlers['conversations.create']({}, signal)).info
        : await findConversation(core, options.continue)
    const toolset = options.toolset ?? (options.continue === undefined ? defaultToolset : info.toolset)
    const { id } = await handlers['conversations.update'](
      { id: info.id, model, mode: options.mode, toolset, ...(options.profile && { profile: options.profile }) },
      signal,
    )
    run.conversationId = id
    if (session) await core.sessions.setConversation(session.id, id)
    context.output.json({
      event: 'run.started',
      conversationId: id,
      workspace: workspace.root,
      endpoint: endpoints[0].baseUrl,
      model: model.model,
      mode: options.mode,
      toolset,
    })

    // Searches the folder, so it starts when the first request is ready to be sent.
    let announced: Promise<void> | undefined
    const started = performance.now()
    const announce = (): Promise<void> => (announced ??= announceRestricted(core))
    const outcome = await runTurn(core, {
      id,
      text: prompt,
      // Standard input can be code, in which a quoted name after "@" is not a mention.
      ...(options.prompt !== '-' && { chosen: quotedMentions(prompt) }),
      interrupted: context.interrupted,
      onEvent(name, payload) {
        // An error is reported below, after the turn.
        if (name === 'conversation.context') announce().catch(() => undefined)
        if (belongsTo(id, name, payload)) context.output.json({ event: name, ...payload })
      },
    })
    await announce()
    const seconds = Math.round((performance.now() - started) / 1000)
    const exitCode = outcome === 'cancelled' ? cancelledCode(context.interrupted) : exitCodeOf[outcome]
    const { items } = await handlers['conversations.open']({ id }, signal)
    const review = options.review ? await turnReview(core, id, items) : undefined
    const turn = { outcome, tokens: tokensOf(items), seconds }
    const result = attempt && (await core.sessions.finishTry(attempt, turn, context.interrupted))
    const ended: RunEnded = {
      event: 'run.ended',
      conversationId: id,
      outcome,
      exitCode,
      text: lastAnswer(items),
      tokens: turn.tokens,
      review,
      ...(result?.test && { test: result.test }),
      ...(session && { session: await sessionResult(core, session) }),
    }
    return { ended, result }
  } finally {
    await core.dispose()
  }
}

/** Makes a worktree for the run. */
async function createSession({ sessions }: Core, { workspace: folder, worktree: name }: RunOptions) {
  const { session, skipped } = await sessions.create({ folder, ...(name !== '' && { name }) })
  reportSkipped(skipped)
  return session
}

/** Prints the files that were not copied into a worktree. */
export function reportSkipped(skipped: readonly string[]): void {
  if (skipped.length > 0)
    console.error(`Not copied, because they lead outside or exist: ${skipped.map(visibleText).join(', ')}.`)
}

/** Prints the session of the run, and approves its set-up command if the user wants that. */
async function announceSession(
  { sessions }: Core,
  session: SessionRecord,
  options: RunOptions,
  { output }: CommandContext,
): Promise<void> {
  output.json({ event: 'session.created', ...described(session) })
  const found = await sessions.setUpCommand(session.folder)
  if (found && !found.approved && options['approve-set-up']) await sessions.approveSetUp(session.folder, found.command)
}

function described({ name, worktree, branch, base }: SessionRecord) {
  return { name, folder: worktree, branch, base }
}

/** Runs the set-up command of the folder if the user has approved it. @throws ToolError `io_error` if it fails */
async function setUp(
  { sessions }: Core,
  session: SessionRecord,
  { output, interrupted }: CommandContext,
): Promise<void> {
  const found = await sessions.setUpCommand(session.folder)
  if (!found) return
  const command = visibleText(found.command)
  if (!found.approved) {
    console.error(`Skipped: the set-up command "${command}" is not approved. Use --approve-set-up to run it.`)
    return
  }
  const result = await sessions.setUp(session, interrupted)
  output.json({ event: 'session.setUp', command, ...result })
  if (result?.exitCode === 0) return
  throw new ToolError(
    'io_error',
    `The set-up command failed in ${session.worktree}: ${command}`,
    'Its output is in the event "session.setUp". The worktree stays; "tizona sessions remove" removes it.',
  )
}

async function sessionResult({ sessions }: Core, session: SessionRecord) {
  const listed = await sessions.list(session.folder)
  return { ...described(session), changed: listed.find(({ id }) => id === session.id)?.changed ?? [] }
}

/** Returns the quoted mentions of a prompt. They must exist, because nothing else is written like them. */
function quotedMentions(prompt: string): string[] {
  const quoted = parseMentions(prompt).filter((mention) => mention.quoted)
  return quoted.map(({ raw }) => raw).slice(0, maxMentions)
}

/** Whether an event belongs to this run: its conversation, its commands, and notices. */
function belongsTo(
  id: string,
  name: EventName,
  payload: Events[EventName],
): payload is Exclude<Events[EventName], null | unknown[]> {
  if (payload === null || Array.isArray(payload)) return false
  if ('conversationId' in payload && payload.conversationId !== undefined) return payload.conversationId === id
  return name === 'tool.progress' || name === 'job.changed' || name === 'job.output' || name === 'notice'
}

/** Lists the files changed by the last turn. */
async function turnReview(
  { handlers }: Core,
  conversation: string,
  items: readonly ConversationItem[],
): Promise<Pick<ReviewSummary, 'files' | 'added' | 'removed'>> {
  const message = items.findLast((item) => item.kind === 'user' && !item.nudge && !item.steered)?.id ?? ''
  const scope = { kind: 'turn', conversation, message } as const
  const { files, added, removed } = await handlers['review.list']({ scope }, new AbortController().signal)
  return { files, added, removed }
}

function lastAnswer(items: readonly ConversationItem[]): string {
  return items.findLast((item): item is AssistantItem => item.kind === 'assistant')?.text ?? ''
}

export async function readAll(stdin: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stdin) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
