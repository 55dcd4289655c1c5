import { randomUUID } from 'node:crypto'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type CallToolRequest,
  type CallToolResult,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js'
import { outerCallId, type ApprovalDecision, type ApprovalRequest } from '../../../shared/approval.ts'
import type { Mode, ToolsetName } from '../../../shared/risk.ts'
import type { ToolProgress } from '../../../shared/tool.ts'
import type { Core } from '../../core.ts'
import { decision, question } from './approvalQuestion.ts'
import { listedTool } from './toolList.ts'
import { log } from '../../base/log/log.ts'

export interface ToolServerOptions {
  core: Core
  toolset: ToolsetName
  mode: Mode
  version: string
}

export interface ToolServer {
  server: McpServer['server']
  /** Closes the connection and cancels running calls; resolves when they have ended. */
  close(): Promise<void>
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** Users may take any time to answer: the maximum of a timer, in milliseconds. */
const answerMs = 2 ** 31 - 1

/** Serves the tools of a toolset over the Model Context Protocol. Every call goes through the executor and the gate. */
export function createToolServer({ core, toolset, mode, version }: ToolServerOptions): ToolServer {
  // The low-level server: the high-level API needs zod schemas, but ours are JSON Schema, and the executor parses arguments.
  const { server } = new McpServer(
    { name: 'tizona', title: 'Tizona', version },
    { capabilities: { tools: { listChanged: true } } },
  )
  const underWay = new Set<Promise<CallToolResult>>()

  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed() }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const call = callTool(params, extra)
    underWay.add(call)
    try {
      return await call
    } finally {
      underWay.delete(call)
    }
  })

  function listed() {
    return core.executor.describe(toolset).map(listedTool)
  }

  /** Notifies a connected client when the list of tools has changed. */
  let known = JSON.stringify(listed())
  const unfollow = core.subscribe((name) => {
    if (name !== 'settings.changed') return
    const now = JSON.stringify(listed())
    if (now === known) return
    known = now
    if (server.transport)
      server
        .sendToolListChanged()
        .catch((error: unknown) => log.error('tizona mcp: the client was not informed about changed tools', error))
  })

  async function callTool(
    { name, arguments: args = {} }: CallToolRequest['params'],
    extra: Extra,
  ): Promise<CallToolResult> {
    const callId = randomUUID()
    // More than one where the call is made of others.
    const asked: Promise<string | undefined>[] = []
    const unsubscribe = core.subscribe((...event) => {
      const [eventName, payload] = event
      // The tuple loses the tie between name and payload; only a request tells when it was made.
      if (
        eventName !== 'approval.requested' ||
        payload === null ||
        !('requestedAt' in payload) ||
        outerCallId(payload.callId) !== callId
      )
        return
      asked.push(ask(payload, extra))
    })
    try {
      const result = await core.executor.call({
        callId,
        name,
        toolset,
        mode,
        arguments: args,
        attended: server.getClientCapabilities()?.elicitation?.form !== undefined,
        client: 'mcp',
        signal: extra.signal,
        onProgress: progressTo(extra),
      })
      const notAsked = (await Promise.all(asked)).find((text) => text !== undefined)
      return {
        content: [{ type: 'text', text: result.ok ? result.text : (notAsked ?? result.text) }],
        isError: !result.ok,
      }
    } finally {
      unsubscribe()
    }
  }

  /** Asks the client's user for approval and passes the answer to the gate. @returns the text of the result if that failed */
  async function ask(request: ApprovalRequest, { signal, requestId }: Extra): Promise<string | undefined> {
    let answer: ApprovalDecision
    let notAsked: string | undefined
    try {
      answer = decision(
        await server.elicitInput(question(request), { signal, relatedRequestId: requestId, timeout: answerMs }),
      )
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      answer = { kind: 'refuse', reason: why }
      // Not a refusal of the user. Same wording as failures of the executor.
      notAsked = [
        `Error (approval_required): The call was not run, because the client could not ask for approval (${why}).`,
        'Next step: Ask the user to start the server with a --mode that does not require this approval, or to use a client that supports forms.',
      ].join('\n')
    }
    // A cancelled call has already withdrawn its request.
    if (signal.aborted) return undefined
    await core.handlers['approvals.decide']({ requestId: request.id, decision: answer }, signal)
    return notAsked
  }

  return {
    server,
    async close() {
      unfollow()
      await server.close()
      await Promise.allSettled(underWay)
    },
  }
}

/** Sends the progress of a call if the client sent a progress token. */
function progressTo({ _meta, sendNotification, signal }: Extra): ((progress: ToolProgress) => void) | undefined {
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return undefined
  let progress = 0
  return (given) => {
    if (signal.aborted) return
    // The total is unknown; the number only has to increase.
    progress += 1
    sendNotification({
      method: 'notifications/progress',
      params: { progressToken, progress, message: inWords(given) },
    }).catch((error: unknown) => {
      // The client may disconnect at any time.
      if (!signal.aborted) log.error('tizona mcp: progress was not sent', error)
    })
  }
}

function inWords(progress: ToolProgress): string {
  switch (progress.kind) {
    case 'text':
      return progress.text
    case 'matches':
      return progress.matches.map(({ path, line, text }) => `${path}:${line}: ${text}`).join('\n')
    case 'job':
      return `${progress.job.command}: ${progress.job.state}`
  }
}
