import {
  agent,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type AgentApp,
  type ClientCapabilities,
  type SessionConfigOption,
  type SessionModeState,
} from '@agentclientprotocol/sdk'
import { ToolError } from '../../../shared/errors.ts'
import { modeTexts } from '../../../shared/tools/modeTexts.ts'
import { modes, type Mode } from '../../../shared/tools/risk.ts'
import { log } from '../../base/log/log.ts'
import { sendCommands, sendUpdate } from './sessionUpdates.ts'
import { configIds } from './configOptions.ts'
import { createOpenSessions, type OpenSessionsOptions, type Session } from './openSessions.ts'
import { runPrompt } from './promptTurn.ts'

export interface AcpAgentOptions extends OpenSessionsOptions {
  version: string
}

export interface AcpAgent {
  app: AgentApp
  /** Ends all turns and closes all folders. */
  close(): Promise<void>
}

/** Serves Tizona's agent over the Agent Client Protocol. Every call goes through the executor and the gate. */
export function createAcpAgent({ version, ...options }: AcpAgentOptions): AcpAgent {
  const sessions = createOpenSessions(options)
  let client: ClientCapabilities = {}

  const app = agent({ name: 'tizona' })
    .onRequest(methods.agent.initialize, ({ params }) => {
      client = params.clientCapabilities ?? {}
      return {
        // The client closes the connection if it does not support this version.
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: 'tizona', title: 'Tizona', version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, embeddedContext: true },
          sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
        },
        authMethods: [],
      }
    })
    .onRequest(methods.agent.authenticate, () => ({}))
    .onRequest(
      methods.agent.session.new,
      answered(async ({ params, client: peer }) => {
        refuseExtras(params)
        const session = await sessions.create(params.cwd, peer, client)
        await sendCommands(session.folder.core, peer, session.id)
        return { sessionId: session.id, ...settingsOf(session) }
      }),
    )
    .onRequest(
      methods.agent.session.load,
      answered(async ({ params, client: peer }) => {
        refuseExtras(params)
        const [session, { items }] = await sessions.open(params.cwd, params.sessionId, peer, client)
        for (const update of session.updates.history(items)) sendUpdate(peer, session.id, update)
        await sendCommands(session.folder.core, peer, session.id)
        return settingsOf(session)
      }),
    )
    .onRequest(
      methods.agent.session.resume,
      answered(async ({ params, client: peer }) => {
        refuseExtras(params)
        const [session] = await sessions.open(params.cwd, params.sessionId, peer, client)
        await sendCommands(session.folder.core, peer, session.id)
        return settingsOf(session)
      }),
    )
    .onRequest(
      methods.agent.session.list,
      answered(async ({ params }) => ({ sessions: await sessions.list(params.cwd ?? undefined) })),
    )
    .onRequest(
      methods.agent.session.setMode,
      answered(async ({ params: { sessionId, modeId } }) => {
        await setMode(sessions.find(sessionId), modeId)
        return {}
      }),
    )
    .onRequest(
      methods.agent.session.setConfigOption,
      answered(async ({ params: { sessionId, configId, value } }) => {
        const session = sessions.find(sessionId)
        if (configId === configIds.mode) await setMode(session, value)
        else if (configId === configIds.place) await sessions.place(session, value)
        else throw RequestError.invalidParams({ configId }, `Unknown option. Options: ${ownOptions}.`)
        return { configOptions: session.settings.options() }
      }),
    )
    .onRequest(
      methods.agent.session.prompt,
      answered(async ({ params, signal }) =>
        runPrompt(sessions.find(params.sessionId), params, signal, () => sessions.fixPlace(params.sessionId)),
      ),
    )
    .onNotification(methods.agent.session.cancel, ({ params }) => sessions.cancel(params.sessionId))
    .onRequest(
      methods.agent.session.close,
      answered(async ({ params }) => {
        await sessions.close(params.sessionId)
        return {}
      }),
    )
    .onRequest(
      methods.agent.session.delete,
      answered(async ({ params }) => {
        await sessions.delete(params.sessionId)
        return {}
      }),
    )
  return { app, close: sessions.closeAll }
}

const ownOptions = Object.values(configIds).join(', ')

/** Returns what the client shows of a session's settings: as options, and as modes for older clients. */
function settingsOf({ settings }: Session): { modes: SessionModeState; configOptions: SessionConfigOption[] } {
  return { modes: modeState(settings.mode()), configOptions: settings.options() }
}

/** @throws RequestError for an unknown mode */
async function setMode({ folder, id }: Session, modeId: unknown): Promise<void> {
  const mode = modes.find((name) => name === modeId)
  if (mode === undefined) throw RequestError.invalidParams({ modeId }, `Unknown mode. Modes: ${modes.join(', ')}.`)
  await folder.core.handlers['conversations.update']({ id, mode }, new AbortController().signal)
}

function modeState(currentModeId: Mode): SessionModeState {
  const availableModes = modes.map((id) => ({ id, name: modeTexts[id].label, description: modeTexts[id].detail }))
  return { currentModeId, availableModes }
}

/** @throws RequestError for a session with several folders */
function refuseExtras({
  additionalDirectories = [],
  mcpServers = [],
}: {
  additionalDirectories?: string[]
  mcpServers?: { name: string }[]
}): void {
  if (additionalDirectories.length > 0)
    throw RequestError.invalidParams({ additionalDirectories }, 'Sessions with several folders are not supported.')
  if (mcpServers.length > 0)
    log.warn(
      `tizona acp: MCP servers of the client are not used: ${mcpServers.map(({ name }) => name).join(', ')}. Add them in Tizona's settings.`,
    )
}

/** Converts expected failures of the core to protocol errors with their next step. */
function answered<Context, Result>(handler: (context: Context) => Promise<Result>) {
  return async (context: Context): Promise<Result> => {
    try {
      return await handler(context)
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      throw new RequestError(-32603, `${error.message} ${error.next}`.trim(), { code: error.code })
    }
  }
}
