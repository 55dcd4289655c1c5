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
  type ElicitRequestFormParams,
  type ElicitResult,
  type Tool,
  type ToolAnnotations,
} from '@modelcontextprotocol/sdk/types.js'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { outerCallId, type ApprovalDecision, type ApprovalRequest } from '../../../shared/tools/approval.ts'
import type { Mode, ToolsetName, Risk } from '../../../shared/tools/risk.ts'
import type { ToolProgress, ToolEffect, ToolInfo } from '../../../shared/tools/tool.ts'
import { log } from '../../base/log/log.ts'
import type { Core } from '../../core.ts'

export interface ToolServerOptions {
  core: Core
  toolset: ToolsetName
  mode: Mode
  version: string
}

export interface ToolServer {
  server: McpServer['server']
  /** Closes the connection and cancels running calls. Resolves when they have ended. */
  close(): Promise<void>
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** Time limit of an approval in milliseconds: the maximum of a timer, because users may take any time. */
const approvalTimeout = 2 ** 31 - 1

/** Serves the tools of a toolset over the Model Context Protocol. Every call goes through the executor and the gate. */
export function createToolServer({ core, toolset, mode, version }: ToolServerOptions): ToolServer {
  // The low-level server, because the high-level API requires zod schemas; ours are JSON Schema.
  const { server } = new McpServer(
    { name: 'tizona', title: 'Tizona', version },
    { capabilities: { tools: { listChanged: true } } },
  )
  const runningCalls = new Set<Promise<CallToolResult>>()

  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed() }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const call = callTool(params, extra)
    runningCalls.add(call)
    try {
      return await call
    } finally {
      runningCalls.delete(call)
    }
  })

  function listed() {
    return core.executor.describe(toolset).map(toListedTool)
  }

  let sentTools = JSON.stringify(listed())
  const unsubscribe = core.subscribe((name) => {
    if (name !== 'settings.changed') return
    const tools = JSON.stringify(listed())
    if (tools === sentTools) return
    sentTools = tools
    if (server.transport)
      server
        .sendToolListChanged()
        .catch((error: unknown) => log.error('tizona mcp: the client could not be notified of changed tools', error))
  })

  async function callTool(
    { name, arguments: args = {} }: CallToolRequest['params'],
    extra: Extra,
  ): Promise<CallToolResult> {
    const callId = randomUUID()
    const approvals = answerApprovals(core, server, callId, extra)
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
      const failure = await approvals.failure()
      return {
        content: [{ type: 'text', text: result.ok ? result.text : (failure ?? result.text) }],
        isError: !result.ok,
      }
    } finally {
      approvals.stop()
    }
  }

  return {
    server,
    async close() {
      unsubscribe()
      await server.close()
      await Promise.allSettled(runningCalls)
    },
  }
}

/**
 * Forwards the approval requests of one call to the client's user. A batch call can have several.
 * @returns `failure`: resolves with the result text if the user could not be asked; `stop`: stops listening for
 * requests
 */
function answerApprovals(core: Core, server: McpServer['server'], callId: string, extra: Extra) {
  const answers: Promise<string | undefined>[] = []
  const stop = core.subscribe((...event) => {
    const [name, payload] = event
    // TypeScript does not tie the payload to the name here. Only approval requests have `requestedAt`.
    if (name !== 'approval.requested' || payload === null || !('requestedAt' in payload)) return
    if (outerCallId(payload.callId) === callId) answers.push(answerApproval(core, server, payload, extra))
  })
  return { failure: async () => (await Promise.all(answers)).find((text) => text !== undefined), stop }
}

/**
 * Requests approval from the client's user and passes the decision to the gate.
 * @returns the result text if the user could not be asked
 */
async function answerApproval(
  core: Core,
  server: McpServer['server'],
  request: ApprovalRequest,
  { signal, requestId }: Extra,
): Promise<string | undefined> {
  let answer: ApprovalDecision
  let failure: string | undefined
  try {
    const options = { signal, relatedRequestId: requestId, timeout: approvalTimeout }
    answer = toApprovalDecision(await server.elicitInput(approvalForm(request), options))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    answer = { kind: 'refuse', reason }
    // The format of the executor's errors. The user has not refused the call.
    failure = [
      `Error (approval_required): The call was not run, because the client could not ask for approval (${reason}).`,
      'Next step: Ask the user to start the server with a --mode that does not require this approval, or to use a client that supports forms.',
    ].join('\n')
  }
  // The executor has already withdrawn the request of a cancelled call.
  if (signal.aborted) return undefined
  await core.handlers['approvals.decide']({ requestId: request.id, decision: answer }, signal)
  return failure
}

/** Returns a function that reports a call's progress; undefined if the client has not requested progress. */
function progressTo({ _meta, sendNotification, signal }: Extra): ((progress: ToolProgress) => void) | undefined {
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return undefined
  let progress = 0
  return (update) => {
    if (signal.aborted) return
    // The protocol requires an increasing number. The total is unknown.
    progress += 1
    sendNotification({
      method: 'notifications/progress',
      params: { progressToken, progress, message: progressText(update) },
    }).catch((error: unknown) => {
      // The client may disconnect at any time.
      if (!signal.aborted) log.error('tizona mcp: progress could not be sent', error)
    })
  }
}

function progressText(progress: ToolProgress): string {
  switch (progress.kind) {
    case 'text':
      return progress.text
    case 'matches':
      return progress.matches.map(({ path, line, text }) => `${path}:${line}: ${text}`).join('\n')
    case 'job':
      return `${progress.job.command}: ${progress.job.state}`
  }
}

/** Converts an approval request to a form for the client's user, with the complete command or diff. */
function approvalForm(request: ApprovalRequest): ElicitRequestFormParams {
  return {
    mode: 'form',
    message: `${heading(request)}: allow ${request.tool} to run? Risk: ${request.risk}. ${request.reason}\n\n${whatItDoes(request)}`,
    requestedSchema: {
      type: 'object',
      properties: {
        decision: {
          type: 'string',
          title: 'Decision',
          oneOf: [
            { const: 'once', title: 'Allow once' },
            { const: 'refuse', title: 'Refuse' },
          ],
        },
        reason: {
          type: 'string',
          title: 'Reason',
          description: 'Reason for refusing, and what to do instead. It is sent to the model.',
        },
      },
      required: ['decision'],
    },
  }
}

/** Converts the user's choice to a decision. Anything except an explicit approval is a refusal. */
function toApprovalDecision({ action, content }: ElicitResult): ApprovalDecision {
  if (action === 'accept' && content?.['decision'] === 'once') return { kind: 'once' }
  const reason = content?.['reason']
  return { kind: 'refuse', reason: typeof reason === 'string' ? reason : '' }
}

function heading({ title, within }: ApprovalRequest): string {
  return within === undefined ? title : `${title}, part of "${within}"`
}

function whatItDoes({ command, cwd, preview, arguments: args }: ApprovalRequest): string {
  // In a client's terminal, invisible and control characters could hide text.
  if (command !== undefined) return `${visibleText(command)}\n(in ${visibleText(cwd ?? '.')})`
  const diffs = preview?.kind === 'diff' ? preview.files.map(({ diff }) => diff).filter(Boolean) : []
  const notes = preview?.kind === 'diff' && preview.note ? [preview.note] : []
  return visibleText([...notes, ...(diffs.length > 0 ? diffs : [JSON.stringify(args, null, 2)])].join('\n'))
}

/**
 * Tool annotations by risk (ToolAnnotations in the Model Context Protocol 2025-11-25). The protocol calls every tool
 * destructive that changes existing data.
 */
const hints: Readonly<Record<Risk, ToolAnnotations>> = {
  read: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  write: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  // A command can delete files and access the network.
  execute: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  // Not read-only, because a URL can carry data to a server.
  network: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  // Includes DELETE requests.
  destructive: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
}

/** Annotations of tools that need no approval although they move the editor's cursor or end a process. */
const effectHints: Readonly<Record<ToolEffect, ToolAnnotations>> = {
  editor: { readOnlyHint: false },
  process: { readOnlyHint: false, destructiveHint: true },
}

/** Converts a tool to its entry in the protocol's list. Aliases can be called but are not listed. */
function toListedTool({ name, title, description, risk, effect, schema }: ToolInfo): Tool {
  const annotations = { title, ...hints[risk], ...(effect && effectHints[effect]) }
  return { name, title, description, inputSchema: { ...schema, type: 'object' }, annotations }
}
