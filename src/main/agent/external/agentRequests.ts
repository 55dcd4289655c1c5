import { ToolError } from '../../../shared/errors.ts'
import type { Mode } from '../../../shared/tools/risk.ts'
import type { ToolResult } from '../../../shared/tools/tool.ts'
import type { JobInfo } from '../../../shared/commands/jobs.ts'
import type { AgentRequests, CreateTerminalRequest } from '../../acp/agentTypes.ts'
import { quoteWord } from '../../base/quoteWord.ts'
import { endState } from '../conversation/items.ts'
import type { ExternalTurn } from './externalTurnState.ts'
import { answerPermissionRequest } from './permissionRequests.ts'
import { argumentsForCard } from './returnedTexts.ts'

/** Answers the requests of the agent with calls through the executor and the gate. */
export function createAgentRequests(turn: ExternalTurn): AgentRequests {
  const { cards, terminals, texts, running } = turn
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
      const lines = { ...(typeof line === 'number' && { line }), ...(typeof limit === 'number' && { limit }) }
      const { text } = succeeded(await tracked(callTool(turn, 'read_file', { path, ...lines }, path)))
      texts.count(text)
      return text
    },
    async writeFile({ path, content }) {
      cards.countRequest()
      succeeded(await tracked(writeFile(turn, path, content)))
    },
    async askPermission(request) {
      cards.countRequest()
      return tracked(answerPermissionRequest(turn, request))
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

/** A command without arguments is a shell command line, as in other editors. */
function commandLineOf({ command, args = [], env = [] }: CreateTerminalRequest): string {
  // Names of variables cannot be quoted.
  const invalid = env.find(({ name }) => !/^[A-Za-z_]\w*$/.test(name))
  if (invalid)
    throw new ToolError(
      'invalid_arguments',
      `"${invalid.name.slice(0, 100)}" is not a valid environment variable name.`,
    )
  const variables = env.map(({ name, value }) => `${name}=${quoteWord(value)}`)
  const line = args.length === 0 ? command : [command, ...args].map(quoteWord).join(' ')
  return [...variables, line].join(' ')
}

let nextCall = 0

/** Runs a request of the agent as a call and shows it on a card. */
async function callTool(
  { deps, conversation, message, checkpointing, cards, texts, requestSignal: signal }: ExternalTurn,
  name: string,
  args: Record<string, unknown>,
  path: string | undefined,
  {
    seen = false,
    onJob,
  }: { /** Whether the user has allowed exactly this write. */ seen?: boolean; onJob?: (job: JobInfo) => void } = {},
): Promise<ToolResult> {
  const { item, own } = cards.cardFor(name, argumentsForCard(args), path)
  const { info } = conversation
  const result = await deps.executor.call({
    // Approval requests appear on the card of the agent's call, as for a batch.
    callId: own ? item.id : `${item.id}/${(nextCall += 1)}`,
    conversationId: info.id,
    name,
    arguments: args,
    toolset: info.toolset,
    mode: modeOf(info.mode, seen),
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
  const kept = { result: texts.kept(result) }
  if (own) cards.put(item.id, { ...kept, state: endState(result), endedAt: Date.now(), approval: undefined })
  // The agent reports when its own call ends.
  else if (result.view.kind !== 'text' || !result.ok) cards.put(item.id, kept)
  return result
}

async function writeFile(turn: ExternalTurn, path: string, content: string): Promise<ToolResult> {
  const seen = await turn.seenWrites.take(path, content, turn.requestSignal)
  return callTool(turn, 'write_file', { path, content }, path, { seen })
}

/**
 * Returns the mode for a call. A write that the user has just allowed needs no second approval; protected paths are
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
