import type { AgentDefinition } from '../../../shared/agents.ts'
import type { Attachment } from '../../../shared/attachments.ts'
import type { TurnOutcome, UserItem } from '../../../shared/conversation.ts'
import { isAbort, toFailure, ToolError } from '../../../shared/errors.ts'
import type { Mode, Risk } from '../../../shared/risk.ts'
import type { JobInfo, ToolResult } from '../../../shared/tool.ts'
import type {
  AgentConnection,
  AgentRequests,
  ContentBlock,
  CreateTerminalRequest,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolKind,
} from '../../acp/agentConnection.ts'
import { quoteWord } from '../../base/quoteWord.ts'
import type { Images } from '../../history/images.ts'
import type { AgentDeps } from '../agentDeps.ts'
import { createCheckpointing, type Checkpointing } from '../checkpointing.ts'
import { endState, noticeItem } from '../items.ts'
import { addTurnReview } from '../turnReview.ts'
import type { TurnConversation } from '../turn.ts'
import { createAgentCards, type AgentCards } from './agentCards.ts'
import type { AgentSession } from './agentConnections.ts'
import type { ExternalAgentDeps } from './externalAgentDeps.ts'
import { createAgentTerminals, type AgentTerminals } from './agentTerminals.ts'
import { createSeenWrites, type SeenWrites } from './seenWrites.ts'

const risks: Readonly<Record<ToolKind, Risk>> = {
  read: 'read',
  search: 'read',
  edit: 'write',
  move: 'write',
  delete: 'destructive',
  fetch: 'network',
  execute: 'execute',
  // The agent does not report what they do.
  think: 'execute',
  switch_mode: 'execute',
  other: 'execute',
}

/** A turn of an external agent. */
interface ExternalTurn {
  deps: AgentDeps
  external: ExternalAgentDeps
  conversation: TurnConversation
  definition: AgentDefinition
  message: UserItem
  checkpointing: Checkpointing
  cards: AgentCards
  terminals: AgentTerminals
  seenWrites: SeenWrites
  signal: AbortSignal
  /** Aborted at the end of the turn, too: nobody waits for the answer to a request any more. */
  requestSignal: AbortSignal
  /** Requests of the agent that run. */
  running: Set<Promise<unknown>>
}

/**
 * Runs one turn with an external agent. What it does through Tizona is checked and recorded like calls of a model.
 * What its own processes change is found by comparing the folder before and after the turn.
 * @param onSession stores the id of the agent's session
 */
export async function runExternalTurn(
  deps: AgentDeps,
  external: ExternalAgentDeps,
  conversation: TurnConversation,
  onSession: (id: string) => void,
  signal: AbortSignal,
): Promise<TurnOutcome> {
  const { info, transcript } = conversation
  const message = transcript.items().findLast((item) => item.kind === 'user')
  const definition = external.definition(info.agent ?? '')
  const refusal = definition ? refusalFor(definition, external) : removedAgent
  if (!definition || refusal !== undefined || message?.kind !== 'user') {
    transcript.put(noticeItem('error', refusal ?? 'There is no message to answer.', 'settings'))
    return 'endpoint_failed'
  }
  const flood = new AbortController()
  const either = AbortSignal.any([signal, flood.signal])
  const ended = new AbortController()
  const checkpointing = createCheckpointing({
    conversationId: info.id,
    transcript,
    checkpoints: deps.checkpoints,
    signal: either,
  })
  const cards = createAgentCards({
    transcript,
    agent: definition.name,
    root: deps.root(),
    signal: either,
    onTooMuch(text) {
      transcript.put(noticeItem('error', `${definition.name} was stopped. ${text}`, 'retry'))
      flood.abort()
    },
  })
  const terminals = createAgentTerminals(external.jobs)
  const turn = {
    deps,
    external,
    conversation,
    definition,
    message,
    checkpointing,
    cards,
    terminals,
    seenWrites: createSeenWrites(deps.root(), external.currentText),
    signal: either,
    requestSignal: AbortSignal.any([either, ended.signal]),
    running: new Set<Promise<unknown>>(),
  }
  let outcome: TurnOutcome
  try {
    outcome = await promptAgent(turn, onSession)
  } catch (error) {
    if (!isAbort(error) && !either.aborted && !(error instanceof ToolError)) throw error
    outcome = either.aborted ? 'cancelled' : 'endpoint_failed'
    if (!either.aborted) {
      const { message: text, next } = toFailure(error)
      transcript.put(noticeItem('error', `${text}\n${next}`.trim(), 'settings'))
    }
  } finally {
    transcript.note(undefined)
    // Also withdraws approvals that an agent has requested before it died.
    ended.abort()
    await terminals.endAll()
    await Promise.allSettled(turn.running)
  }
  if (flood.signal.aborted && !signal.aborted) outcome = 'endpoint_failed'
  await cards.finish(outcome !== 'done')
  await checkpointing.finish()
  await addTurnReview(deps, transcript, message, true)
  return outcome
}

const removedAgent =
  'The agent of this conversation was removed from the settings. Add it again, or start a new conversation.'

function refusalFor({ name }: AgentDefinition, { allowed }: ExternalAgentDeps): string | undefined {
  return allowed()
    ? undefined
    : `${name} was not started, because you have not trusted this folder: its files could make the agent run programs. Trust the folder ("Restricted" in the status bar), then send the message again.`
}

async function promptAgent(turn: ExternalTurn, onSession: (id: string) => void): Promise<TurnOutcome> {
  const { external, conversation, definition, checkpointing, signal } = turn
  const { info, transcript } = conversation
  transcript.note(`Starting ${definition.name}…`)
  // While the agent starts, because it waits for the checkpoint.
  checkpointing.prepare(0)
  const session = await external.connections.open(info.id, definition, info.agentSession, signal)
  try {
    return await promptSession(turn, session, onSession)
  } finally {
    session.release()
  }
}

async function promptSession(
  turn: ExternalTurn,
  { connection, id, continued }: AgentSession,
  onSession: (id: string) => void,
): Promise<TurnOutcome> {
  const { deps, conversation, definition, message, checkpointing, signal } = turn
  const { info, transcript } = conversation
  if (id !== info.agentSession) onSession(id)
  if (!continued)
    transcript.put(
      noticeItem(
        'info',
        `${definition.name} was restarted and does not know the earlier messages of this conversation.`,
      ),
    )
  // The agent can change files at any time, so the state before is stored first.
  await checkpointing.beforeChange(undefined)
  const reviewed = await deps.review?.()?.begin({ paths: undefined, turn: message.id, program: true })
  transcript.note(`Waiting for ${definition.name}…`)
  try {
    const content = promptContent(message.text, message.attachments ?? [], connection, deps.images)
    return outcomeOf(await connection.prompt(id, content, requestsOf(turn), signal), turn)
  } finally {
    await reviewed?.end([])
  }
}

function outcomeOf(reason: string, { conversation: { transcript }, definition }: ExternalTurn): TurnOutcome {
  switch (reason) {
    case 'cancelled':
      return 'cancelled'
    case 'max_turn_requests':
      return 'turn_limit'
    case 'max_tokens':
      transcript.put(
        noticeItem(
          'warning',
          `${definition.name} stopped because its context window is full. Start a new conversation.`,
        ),
      )
      return 'done'
    case 'refusal':
      transcript.put(
        noticeItem(
          'warning',
          `${definition.name} refused to continue. Change the message, or start a new conversation.`,
        ),
      )
      return 'done'
    default:
      return 'done'
  }
}

/** Returns the message with its attachments in the forms that the agent supports. */
function promptContent(
  text: string,
  attachments: readonly Attachment[],
  { capabilities: { promptCapabilities } }: AgentConnection,
  images: Pick<Images, 'read'>,
): ContentBlock[] {
  const blocks: ContentBlock[] = [{ type: 'text', text }]
  for (const attachment of attachments) {
    if (attachment.kind === 'image') {
      const data = promptCapabilities?.image ? images.read(attachment.id)?.base64 : undefined
      blocks.push(
        data === undefined
          ? { type: 'text', text: `[The image "${attachment.label}" is not shown.]` }
          : { type: 'image', data, mimeType: attachment.mimeType },
      )
    } else if (promptCapabilities?.embeddedContext) {
      blocks.push({
        type: 'resource',
        resource: { uri: `tizona:${encodeURI(attachment.label)}`, text: attachment.text },
      })
    } else {
      blocks.push({ type: 'text', text: `${attachment.label}:\n${attachment.text}` })
    }
  }
  return blocks
}

/** Answers the requests of the agent with calls through the executor and the gate. */
function requestsOf(turn: ExternalTurn): AgentRequests {
  const { cards, terminals, running } = turn
  const tracked = async <T>(request: Promise<T>): Promise<T> => {
    running.add(request)
    try {
      return await request
    } finally {
      running.delete(request)
    }
  }
  return {
    onUpdate: cards.onUpdate,
    async readFile({ path, line, limit }) {
      cards.countRequest()
      const { text } = succeeded(await tracked(callTool(turn, 'read_file', { path }, path)))
      if (typeof line !== 'number' && typeof limit !== 'number') return text
      const first = Math.max((line ?? 1) - 1, 0)
      return text
        .split('\n')
        .slice(first, typeof limit === 'number' ? first + limit : undefined)
        .join('\n')
    },
    async writeFile({ path, content }) {
      cards.countRequest()
      succeeded(await tracked(writeFile(turn, path, content)))
    },
    async askPermission(request) {
      cards.countRequest()
      return tracked(askPermission(turn, request))
    },
    async createTerminal(request) {
      cards.countRequest()
      return terminals.create(request.outputByteLimit ?? undefined, (onJob) =>
        tracked(
          callTool(turn, 'run_command', { command: commandLineOf(request), cwd: request.cwd ?? '.' }, undefined, {
            onJob,
          }),
        ),
      )
    },
    terminalOutput: terminals.output,
    waitForExit: terminals.waitForExit,
    killTerminal: terminals.kill,
    releaseTerminal: terminals.release,
  }
}

/** A command without arguments is a line for the shell, as in other editors. */
function commandLineOf({ command, args = [], env = [] }: CreateTerminalRequest): string {
  // A name cannot be quoted.
  const invalid = env.find(({ name }) => !/^[A-Za-z_]\w*$/.test(name))
  if (invalid) throw new ToolError('invalid_arguments', `"${invalid.name.slice(0, 100)}" is not a name of a variable.`)
  const variables = env.map(({ name, value }) => `${name}=${quoteWord(value)}`)
  const line = args.length === 0 ? command : [command, ...args].map(quoteWord).join(' ')
  return [...variables, line].join(' ')
}

let nextCall = 0

/** Runs a request of the agent as a call, which is shown on its card. */
async function callTool(
  { deps, conversation, message, checkpointing, cards, requestSignal: signal }: ExternalTurn,
  name: string,
  args: Record<string, unknown>,
  path: string | undefined,
  {
    seen = false,
    onJob,
  }: { /** Whether the user has allowed exactly this write. */ seen?: boolean; onJob?: (job: JobInfo) => void } = {},
): Promise<ToolResult> {
  const { item, own } = cards.cardFor(name, args, path)
  const { info } = conversation
  const result = await deps.executor.call({
    // Requests for a call of the agent are shown on its card, like those of a batch.
    callId: own ? item.id : `${item.id}/${(nextCall += 1)}`,
    conversationId: info.id,
    name,
    arguments: args,
    toolset: info.toolset,
    mode: modeOf(conversation.info.mode, seen),
    attended: deps.attended(),
    client: 'agent',
    beforeChange: checkpointing.beforeChange,
    turn: message.id,
    signal,
    onState: (state) => own && cards.put(item.id, { state }),
    onProgress(progress) {
      if (progress.kind !== 'job') return
      cards.put(item.id, { job: progress.job })
      onJob?.(progress.job)
    },
  })
  if (own) cards.put(item.id, { result, state: endState(result), endedAt: Date.now(), approval: undefined })
  // The agent reports the end of its own call.
  else if (result.view.kind !== 'text' || !result.ok) cards.put(item.id, { result })
  return result
}

async function writeFile(turn: ExternalTurn, path: string, content: string): Promise<ToolResult> {
  const seen = await turn.seenWrites.take(path, content, turn.requestSignal)
  return callTool(turn, 'write_file', { path, content }, path, { seen })
}

/**
 * Returns the mode for a call. A write that the user has just allowed needs no second approval; protected places are
 * checked in every mode.
 */
function modeOf(mode: Mode, seen: boolean): Mode {
  return seen && (mode === 'safe' || mode === 'paranoid') ? 'cautious' : mode
}

/** @throws ToolError of a failed call */
function succeeded(result: ToolResult): ToolResult {
  if (result.error) throw new ToolError(result.error.code, result.error.message, result.error.next)
  return result
}

/** Shows a permission request as an approval card, unless mode, rules or grants decide. */
async function askPermission(
  { deps, external, conversation, definition, cards, seenWrites, requestSignal: signal }: ExternalTurn,
  { toolCall, options }: RequestPermissionRequest,
): Promise<RequestPermissionResponse> {
  const call = cards.report(toolCall, true)
  const { item, title, paths, diffs } = call
  const command = commandOf(toolCall.rawInput)
  // Agents also report commands as reads or searches. Without a path, nothing else shows what they do.
  const kind = risks[call.kind] === 'read' && paths.length === 0 && command !== undefined ? 'execute' : call.kind
  const risk = risks[kind]
  const choose = (...kinds: string[]): RequestPermissionResponse => {
    const option = kinds.map((wanted) => options.find((each) => each.kind === wanted)).find(Boolean)
    return { outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' } }
  }
  // Only `report` writes the arguments, always an object.
  const args = JSON.parse(item.arguments) as Record<string, unknown>
  try {
    await external.askPermission(
      {
        callId: item.id,
        conversationId: conversation.info.id,
        mode: conversation.info.mode,
        attended: deps.attended(),
        agent: definition.name,
        title: title === '' ? 'Call' : title,
        risk,
        reads: risk === 'read' ? paths : [],
        writes: risk === 'read' || kind === 'execute' || kind === 'fetch' ? [] : paths,
        ...(kind === 'execute' && { command: command ?? title }),
        // A grant for "this exact call" covers no other file or content.
        arguments: {
          ...args,
          ...(paths.length > 0 && { paths }),
          ...(diffs.length > 0 && { edits: diffs.map(({ path, newText }) => ({ path, newText })) }),
        },
        preview: () => cards.view(call, signal),
        onState: (state) => void cards.put(item.id, { state }),
      },
      signal,
    )
    // Only for a write, the gate has checked these files, and the card has shown what they will contain.
    if (risk === 'write')
      for (const { path, oldText, newText } of diffs) seenWrites.allow(path, { oldText: oldText ?? '', newText })
    cards.put(item.id, { state: 'running', approval: undefined })
    // The gate remembers what the user allowed for the session. The agent must ask each time.
    return choose('allow_once', 'allow_always')
  } catch (error) {
    if (!(error instanceof ToolError) && !isAbort(error)) throw error
    const failure = toFailure(error)
    const result = { ok: false, text: failure.message, view: { kind: 'text' as const }, error: failure, elapsedMs: 0 }
    cards.put(item.id, {
      state: signal.aborted ? 'cancelled' : 'refused',
      approval: undefined,
      endedAt: Date.now(),
      result: { ...result, arguments: args, truncated: false },
    })
    return signal.aborted ? { outcome: { outcome: 'cancelled' } } : choose('reject_once', 'reject_always')
  }
}

/** Returns the command line in the input of a call, as most agents send it. */
function commandOf(rawInput: unknown): string | undefined {
  if (typeof rawInput !== 'object' || rawInput === null || !('command' in rawInput)) return undefined
  const { command } = rawInput
  if (typeof command === 'string') return command
  return Array.isArray(command) ? command.map((word) => quoteWord(String(word))).join(' ') : undefined
}
