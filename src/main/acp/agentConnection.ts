import { asSentence } from '../base/asSentence.ts'
import { once } from 'node:events'
import { methods, PROTOCOL_VERSION, RequestError, client, type Stream } from '@agentclientprotocol/sdk'
import type { z } from 'zod'
import type { AgentDefinition } from '../../shared/agent/agents.ts'
import { ToolError, toFailure } from '../../shared/errors.ts'
import { createServerLog } from '../base/serverLog.ts'
import { createAgentStream } from './agentStream.ts'
import {
  checkResponse,
  initializeResponse,
  newSessionResponse,
  promptResponse,
  type AgentConnection,
  type AgentConnectionOptions,
  type AgentRequests,
  type AgentTimeouts,
} from './agentTypes.ts'
import { raceTimeout } from '../../shared/async/raceTimeout.ts'

const defaultTimeouts: AgentTimeouts = { start: 120_000, cancel: 5000 }

/** Maximum milliseconds between the end of standard output and the exit. */
const exitDelay = 1000

/** Maximum characters of an agent's error message. */
const maxReason = 1000

/** Maximum characters of a login method's name. */
const maxLogin = 100

/** Number of lines of standard error to include in an error message. */
const shownLogLines = 5

/** Starts an agent and connects to it. @throws ToolError if it cannot be started or uses another version */
// oxlint-disable-next-line eslint/max-lines-per-function -- One state: the process and its connection, which fail together.
export async function openAgentConnection(
  options: AgentConnectionOptions,
  signal: AbortSignal,
): Promise<AgentConnection> {
  const { definition, cwd, folders, start, version, timeouts = defaultTimeouts } = options
  const { name, command, args, sandbox } = definition
  const log = createServerLog()
  const program = await start(
    { program: command, args, cwd, env: filled(definition.env), folders, access: sandbox ? 'network' : 'outside' },
    signal,
  )
  const { child } = program
  const exited = Promise.withResolvers<void>()
  let problem: string | undefined
  let current: AgentRequests | undefined
  child.stderr.on('data', (chunk: Buffer) => log.write(chunk))
  child.on('error', (error) => log.add(error.message))
  child.once('exit', (code, ended) => {
    problem ??= ended === null ? `It exited with code ${code}.` : `It was ended by ${ended}.`
    void program.release()
    exited.resolve()
  })
  const { stream, beginTurn } = createAgentStream(child, log, (message) => {
    problem = message
    void close()
  })

  let info: z.output<typeof initializeResponse> | undefined
  const connection = serveAgent(stream, { current: () => current, name: () => info?.agentInfo?.name })
  const { agent } = connection

  let closing: Promise<void> | undefined
  function close(): Promise<void> {
    closing ??= (async () => {
      child.stdin.end()
      connection.close()
      await program.end()
    })()
    return closing
  }

  function failure(failed: string, error: unknown): ToolError {
    const why = asSentence(problem ?? reasonOf(error))
    const lines = log.lines().slice(-shownLogLines)
    const said = lines.length === 0 ? '' : `\n${lines.join('\n')}`
    return new ToolError(
      'server_error',
      `${failed} ${why}${said}`,
      'Check its command in the settings, or run it in a terminal.',
    )
  }

  /** Determines why the connection ended. Waits for the exit, because standard output ends before. */
  async function awaitReason(): Promise<void> {
    if (problem !== undefined || closing !== undefined || !connection.signal.aborted) return
    await raceTimeout(once(child, 'exit'), exitDelay).catch(() => undefined)
    problem ??= 'It closed its standard output.'
    await close()
  }

  /** Waits for the response to a request during the start. @param failed sentence at the start of an error */
  async function within<T>(failed: string, request: Promise<T>): Promise<T> {
    const limit = AbortSignal.timeout(timeouts.start)
    const either = AbortSignal.any([signal, limit])
    const { promise: stopped, reject } = Promise.withResolvers<never>()
    const stop = (): void => reject(either.reason)
    either.addEventListener('abort', stop, { once: true })
    try {
      return await Promise.race([request, stopped])
    } catch (error) {
      request.catch(() => undefined)
      signal.throwIfAborted()
      await awaitReason()
      if (limit.aborted) problem ??= `It did not respond within ${timeouts.start / 1000} seconds.`
      throw failure(failed, error)
    } finally {
      either.removeEventListener('abort', stop)
    }
  }

  async function initialize(): Promise<z.output<typeof initializeResponse>> {
    const answer = await within(
      `${name} could not be started.`,
      agent
        .request(methods.agent.initialize, {
          protocolVersion: PROTOCOL_VERSION,
          clientInfo: { name: 'tizona', title: 'Tizona', version },
          clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
        })
        .then((value) => checkResponse(initializeResponse, methods.agent.initialize, value)),
    )
    if (answer.protocolVersion === PROTOCOL_VERSION) return answer
    problem = `It uses version ${answer.protocolVersion} of the Agent Client Protocol, but Tizona uses version ${PROTOCOL_VERSION}.`
    throw failure(`${name} cannot be used.`, undefined)
  }

  try {
    info = await initialize()
  } catch (error) {
    await close()
    throw error
  }
  const { agentCapabilities: capabilities, authMethods } = info

  return {
    capabilities,
    sandbox: program.sandbox,
    ended: exited.promise,
    isOpen: () => closing === undefined && child.exitCode === null && child.signalCode === null,
    async openSession(earlier, opening) {
      opening.throwIfAborted()
      const request = { cwd, mcpServers: [] }
      if (earlier !== undefined && (capabilities.sessionCapabilities?.resume || capabilities.loadSession)) {
        const params = { ...request, sessionId: earlier }
        try {
          await within(
            `${name} could not continue the conversation.`,
            capabilities.sessionCapabilities?.resume
              ? agent.request(methods.agent.session.resume, params).then(() => undefined)
              : agent.request(methods.agent.session.load, params).then(() => undefined),
          )
          return { id: earlier, continued: true }
        } catch (error) {
          // The agent may have deleted the session.
          if (opening.aborted || problem !== undefined) throw error
        }
      }
      try {
        const { sessionId } = await within(
          `${name} could not start a session.`,
          agent
            .request(methods.agent.session.new, request)
            .then((answer) => checkResponse(newSessionResponse, methods.agent.session.new, answer)),
        )
        return { id: sessionId, continued: earlier === undefined }
      } catch (error) {
        const login = (authMethods ?? []).map((method) => method.name.slice(0, maxLogin).toWellFormed()).join(', ')
        if (login === '' || opening.aborted || problem !== undefined) throw error
        throw new ToolError(
          'server_error',
          `${toFailure(error).message}\nIt may need a login (${login}).`,
          'Run the agent in a terminal and log in there, then send the message again.',
        )
      }
    },
    async prompt(session, content, requests, turn) {
      turn.throwIfAborted()
      beginTurn()
      current = requests
      let timer: NodeJS.Timeout | undefined
      const cancel = (): void => {
        // Refuses later requests of the agent, and ignores later updates.
        current = undefined
        agent.notify(methods.agent.session.cancel, { sessionId: session }).catch(() => undefined)
        timer = setTimeout(() => void close(), timeouts.cancel)
      }
      turn.addEventListener('abort', cancel, { once: true })
      try {
        const answer = await agent.request(methods.agent.session.prompt, { sessionId: session, prompt: content })
        const { stopReason } = checkResponse(promptResponse, methods.agent.session.prompt, answer)
        return turn.aborted ? 'cancelled' : stopReason
      } catch (error) {
        if (turn.aborted) return 'cancelled'
        await awaitReason()
        throw failure(`${name} stopped.`, error)
      } finally {
        clearTimeout(timer)
        turn.removeEventListener('abort', cancel)
        current = undefined
      }
    },
    close,
  }
}

/** Replaces `${env:NAME}` with variables of this process. */
function filled(env: AgentDefinition['env']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{env:([A-Za-z_]\w*)\}/g, (_, other: string) => process.env[other] ?? ''),
    ]),
  )
}

function reasonOf(error: unknown): string {
  return fullReasonOf(error).slice(0, maxReason)
}

function fullReasonOf(error: unknown): string {
  if (!(error instanceof RequestError)) return error instanceof Error ? error.message : String(error)
  const details = typeof error.data === 'object' && error.data !== null && 'details' in error.data && error.data.details
  if (!details) return error.message
  return `${error.message} ${typeof details === 'string' ? details : JSON.stringify(details)}`
}

/**
 * Agents whose library loses error codes. They cannot tell a missing file from an unreadable one and would never create
 * a file, so a missing file is reported as empty.
 */
const withoutErrorCodes = ['gemini-cli']

/**
 * Connects to an agent and passes its requests to the running turn. Refuses permission requests outside a turn.
 * @param current handles requests; undefined outside a turn
 * @param name the agent's own name, once it is known
 */
function serveAgent(
  stream: Stream,
  { current, name }: { current(): AgentRequests | undefined; name(): string | undefined },
) {
  /** Refuses requests outside a turn, including those after its cancellation. */
  const during = (): AgentRequests => {
    const requests = current()
    if (!requests) throw RequestError.invalidRequest(undefined, 'No turn is running.')
    return requests
  }
  return client({ name: 'tizona' })
    .onNotification(methods.client.session.update, ({ params }) => current()?.onUpdate(params.update))
    .onRequest(methods.client.fs.readTextFile, ({ params }) =>
      answered(async () => ({
        content: await during()
          .readFile(params)
          .catch((error: unknown) => {
            if (isMissingFile(error) && withoutErrorCodes.includes(name() ?? '')) return ''
            throw error
          }),
      })),
    )
    .onRequest(methods.client.fs.writeTextFile, ({ params }) =>
      answered(async () => {
        await during().writeFile(params)
        return {}
      }),
    )
    .onRequest(
      methods.client.session.requestPermission,
      ({ params }) => current()?.askPermission(params) ?? { outcome: { outcome: 'cancelled' as const } },
    )
    .onRequest(methods.client.terminal.create, ({ params }) =>
      answered(async () => ({ terminalId: await during().createTerminal(params) })),
    )
    .onRequest(methods.client.terminal.output, ({ params }) =>
      answered(async () => during().terminalOutput(params.terminalId)),
    )
    .onRequest(methods.client.terminal.waitForExit, ({ params }) =>
      answered(() => during().waitForExit(params.terminalId)),
    )
    .onRequest(methods.client.terminal.kill, ({ params }) =>
      answered(async () => {
        await during().killTerminal(params.terminalId)
        return {}
      }),
    )
    .onRequest(methods.client.terminal.release, ({ params }) =>
      answered(async () => {
        await current()?.releaseTerminal(params.terminalId)
        return {}
      }),
    )
    .connect(stream)
}

/** Sends an expected failure to the agent, with its next step. */
async function answered<T>(handle: () => Promise<T>): Promise<T> {
  try {
    return await handle()
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    const code = isMissingFile(error) ? -32002 : -32603
    throw new RequestError(code, `${error.message} ${error.next}`.trim(), { code: error.code })
  }
}

function isMissingFile(error: unknown): boolean {
  return error instanceof ToolError && error.code === 'not_found'
}
