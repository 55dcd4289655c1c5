import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ConversationItem, TurnOutcome } from '../../../shared/agent/conversation.ts'
import { requests, type RequestName, type RequestParams, type RequestResult } from '../../../shared/bridge/protocol.ts'
import type { Endpoint, ModelOptions, Settings } from '../../../shared/settings/settings.ts'
import { createCore, type Core } from '../../core.ts'
import { runTurn } from '../../core/runTurn.ts'
import { inProcessIndex } from '../inProcessIndex.ts'
import type { RealServer } from './realServers.ts'
import { startRecordingProxy, type Exchange, type RecordingProxy } from './recordingProxy.ts'

const never = new AbortController().signal
const endpointId = 'real'

/** A folder that is open in Tizona, whose model is on a real server, behind a proxy that records what is sent. */
export interface RealWorkspace {
  readonly root: string
  readonly core: Core
  readonly choice: { endpointId: string; model: string }
  readonly proxy: RecordingProxy
  request<N extends RequestName>(name: N, params: RequestParams<N>): Promise<RequestResult<N>>
  newConversation(): Promise<string>
  /** Sends a message and waits for the end of its turn. */
  turn(conversation: string, text: string, interrupted?: AbortSignal): Promise<TurnOutcome>
  items(conversation: string): Promise<ConversationItem[]>
  /** Closes Tizona and opens it again with the same user data. */
  restart(): Promise<void>
  close(): Promise<void>
}

export interface RealWorkspaceOptions {
  files?: Readonly<Record<string, string>>
  model?: string
  options?: ModelOptions
  settings?: Partial<Settings>
  endpoint?: Partial<Endpoint>
  /** Default: that of the server. */
  key?: string
}

export async function realWorkspace(server: RealServer, given: RealWorkspaceOptions = {}): Promise<RealWorkspace> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-real-')))
  const [root, userData] = [join(home, 'workspace'), join(home, 'user')]
  await mkdir(root)
  for (const [path, text] of Object.entries(given.files ?? {})) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  const model = given.model ?? server.model
  const choice = { endpointId, model }
  const key = given.key ?? server.key
  const proxy = await startRecordingProxy(server.baseUrl)
  const endpoint: Endpoint = {
    id: endpointId,
    name: 'Real server',
    kind: server.kind,
    baseUrl: proxy.url,
    hasKey: key !== undefined,
    ...given.endpoint,
    ...(given.options && { models: { [model]: given.options } }),
  }
  const open = async () => {
    const opened = await createCore({
      platform: {
        host: 'headless',
        fork: inProcessIndex,
        version: 'test',
        userData,
        resources: join(import.meta.dirname, '..', '..', '..', '..', 'resources'),
      },
      settings: { endpoints: [endpoint], model: choice, mode: 'yolo', temperature: 0, ...given.settings },
      ...(key !== undefined && { keys: { [endpointId]: key } }),
      trustWorkspace: true,
    })
    await opened.openWorkspace(root)
    return opened
  }
  let core = await open()
  const workspace: RealWorkspace = {
    root,
    choice,
    proxy,
    get core() {
      return core
    },
    async request(name, params) {
      // The schema of a request returns the parameters of its handler.
      const handled = requests[name].params.parse(params) as Parameters<(typeof core.handlers)[typeof name]>[0]
      return (await core.handlers[name](handled, never)) as RequestResult<typeof name>
    },
    newConversation: async () => (await workspace.request('conversations.create', {})).info.id,
    turn: (id, text, interrupted = never) => runTurn(core, { id, text, interrupted }),
    items: async (id) => (await workspace.request('conversations.open', { id })).items,
    async restart() {
      await core.dispose()
      core = await open()
    },
    async close() {
      await core.dispose()
      await proxy.close()
      await rm(home, { recursive: true, force: true })
    },
  }
  return workspace
}

/** Sends the body of a recorded chat once more, changed, for one token. @returns the tokens of its prompt */
export async function promptTokens(
  server: RealServer,
  { path, body }: Pick<Exchange, 'path' | 'body'>,
  change: Record<string, unknown> = {},
): Promise<number> {
  const { stream_options: _options, ...rest } = body
  const one = server.kind === 'ollama' ? { options: { ...Object(body['options']), num_predict: 1 } } : { max_tokens: 1 }
  const response = await fetch(`${server.baseUrl}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(server.key !== undefined && { authorization: `Bearer ${server.key}` }),
    },
    body: JSON.stringify({ ...rest, ...change, stream: false, ...one }),
  })
  // Both APIs report it in this form.
  const answer = (await response.json()) as { usage?: { prompt_tokens: number }; prompt_eval_count?: number }
  const tokens = answer.usage?.prompt_tokens ?? answer.prompt_eval_count
  if (tokens === undefined) throw new Error(`No count of the prompt: ${JSON.stringify(answer)}`)
  return tokens
}
