import { randomUUID } from 'node:crypto'
import { ToolError, toFailure, type Failure } from '../../../shared/errors.ts'
import type { GitCredentialRequest } from '../../../shared/git/git.ts'
import {
  requests,
  type EventName,
  type Events,
  type RequestName,
  type RequestResult,
} from '../../../shared/bridge/protocol.ts'
import type { AppState, WorkspaceInfo } from '../../../shared/bridge/appState.ts'
import type { EditorRequestName, EditorRequests } from '../../../shared/editor/editorRequests.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { raceTimeout } from '../../../shared/async/raceTimeout.ts'
import type { RemoteConnection as ConnectionState, RemoteHost, RemoteStatus } from '../../../shared/remote/remote.ts'
import { log } from '../../base/log/log.ts'
import type { Core, WindowLink } from '../../core.ts'
import type { Handlers } from '../../core/coreContract.ts'
import type { SshPrompts } from '../../core/sshPrompts.ts'
import {
  desktopEvents,
  hostCommandSchema,
  hostMessageSchema,
  hostPromptsSchema,
  openedFolderSchema,
  type ControlToHost,
  type ControlToWindow,
} from './remoteProtocol.ts'
import type { HostModels } from '../../core/remoteModels/desktopModels.ts'
import { connected, createRemoteConnection, type RemoteConnectionOptions } from './remoteConnection.ts'
import { createRemoteEndpoints } from './remoteEndpoints.ts'

/** A core on another machine. Requests go there, and its events come from there. */
export interface RemoteCore extends Core {
  readonly host: RemoteHost
  /** Connects for the first time, and opens a folder if one is given. */
  open(folder: string | undefined, signal: AbortSignal): Promise<void>
  /** Connects in the background, with prompts in the window, then opens a folder. */
  begin(folder: string): void
  /** Root of the open folder. */
  folder(): string | undefined
  /** Sends an event to the window. */
  emit<N extends EventName>(name: N, payload: Events[N]): void
}

export interface RemoteCoreOptions {
  host: RemoteHost
  /** Version of this application. */
  version: string
  /**
   * Opens a stream to the host.
   *
   * @param environment variables with which ssh prompts in the window
   * @param onStep called when the attempt makes progress
   */
  reach(
    environment: Readonly<Record<string, string>>,
    signal: AbortSignal,
    onStep: () => void,
  ): ReturnType<RemoteConnectionOptions['reach']>
  /** Variables for the first connection, when there is no window yet. */
  firstEnvironment: Readonly<Record<string, string>>
  /** Prompts of ssh while it connects again. */
  createPrompts(onChanged: (open: GitCredentialRequest[]) => void): SshPrompts
  /** Handles requests that concern this machine, not the host. */
  local(
    prompts: SshPrompts,
  ): Pick<
    Handlers,
    'app.openExternal' | 'window.open' | 'window.focusFolder' | 'remote.hosts' | 'remote.connect' | 'remote.cancel'
  >
  /** The model servers of this computer. */
  models: HostModels
  /** Called with the open folder after each change. */
  onFolder(folder: string | undefined): void
}

type UnsavedTexts = RequestResult<'buffers.list'>

interface PendingRequest {
  /** Whether the host may open a window for it. */
  opensWindow: boolean
  resolve(result: unknown): void
  reject(error: Error): void
}

/** Milliseconds to wait until the host knows that the window was closed. */
const closeTimeout = 3000

/** Milliseconds without progress after which an attempt to connect again ends, such as one over a dead `ControlMaster`. */
const stepTimeout = 90_000

/** Milliseconds that closing a window waits for a host whose line may be dead without anybody having noticed. */
const closingTime = 2000

/** Returns the answer of a host; undefined if it fails, which the window shows, or takes too long. */
const briefly = (answer: Promise<unknown>): Promise<unknown> =>
  raceTimeout(
    answer.catch(() => undefined),
    closingTime,
  )

const connectionLost = (host: RemoteHost): ToolError =>
  new ToolError('io_error', `${host.label} was reconnected, but this request was lost with the server.`, 'Try again.')

// oxlint-disable-next-line eslint/max-lines-per-function -- A split would hide the state that requests, events and reconnections share.
export function createRemoteCore({
  host,
  version,
  reach,
  firstEnvironment,
  createPrompts,
  local,
  models,
  onFolder,
}: RemoteCoreOptions): RemoteCore {
  const pending = new Map<number, PendingRequest>()
  const listeners = new Set<(name: EventName, payload: never) => void>()
  let nextId = 1
  let link: WindowLink | null = null
  let working = false
  let root: string | undefined
  let state: ConnectionState = connected
  let hostPrompts: GitCredentialRequest[] = []
  const prompts = createPrompts(showPrompts)
  const leaving = new AbortController()

  function emit<N extends EventName>(name: N, payload: Events[N]): void {
    link?.emit(name, payload)
    // The signature ties the payload to the name.
    for (const listener of listeners) listener(name, payload as never)
  }

  /** Shows the prompts of this machine's ssh before those of the host's git. */
  function showPrompts(): void {
    emit('git.credentialsChanged', [...prompts.pending(), ...hostPrompts])
  }

  /** The window names the host that asks, because the answer goes there. */
  function promptsOfHost(received: unknown): GitCredentialRequest[] {
    return hostPromptsSchema.parse(received).map((each) => ({ ...each, machine: host.label }))
  }

  function changeFolder(folder: string | undefined): void {
    root = folder
    onFolder(folder)
  }

  function receiveEvent(name: EventName, payload: unknown): void {
    if (name === 'git.credentialsChanged') {
      hostPrompts = promptsOfHost(payload)
      return showPrompts()
    }
    if (name === 'endpoints.changed') return endpoints.receive(payload)
    if (name === 'workspace.changed') changeFolder(openedFolderSchema.parse(payload)?.root)
    // The host's core has one window, which is this one.
    if (desktopEvents.has(name)) return
    if (name === 'command' && !hostCommandSchema.safeParse(payload).success) return
    emit(name, payload as Events[typeof name])
  }

  const endpoints = createRemoteEndpoints({
    models,
    request,
    send: (message) => connection.send(message),
    show: (statuses) => emit('endpoints.changed', statuses),
    leaving: leaving.signal,
  })

  async function answer(id: number, method: EditorRequestName, params: unknown): Promise<void> {
    try {
      if (link === null) throw new ToolError('no_window', 'The window is not ready yet.', 'Try again in a moment.')
      // The host ties the parameters to the method, and the window checks the method.
      const result = await link.ask(method, params as EditorRequests[typeof method]['params'], leaving.signal)
      connection.send({ kind: 'answer', id, ok: true, result })
    } catch (error) {
      connection.send({ kind: 'answer', id, ok: false, error: toFailure(error) })
    }
  }

  /** @throws ZodError for a message that no server of this build sends */
  function deliver(received: unknown): void {
    const message = hostMessageSchema.parse(received)
    if (message.kind === 'response') {
      const request = pending.get(message.id)
      pending.delete(message.id)
      if (message.ok) request?.resolve(message.result)
      else request?.reject(toError(message.error))
      // The window has no listener for a name that does not exist.
    } else if (message.kind === 'event') receiveEvent(message.name as EventName, message.payload)
    // The window checks the method.
    else if (message.kind === 'ask') void answer(message.id, message.method as EditorRequestName, message.params)
    else if (message.kind === 'model') endpoints.acceptRequest(message)
    else obey(message)
  }

  /** Tells those that wait for the end of the work. */
  function changeWorking(now: boolean): void {
    if (working === now) return
    working = now
    emit('remote.changed', remoteStatus())
  }

  function obey(control: ControlToWindow): void {
    if (control.name === 'working') changeWorking(control.working)
    else {
      // Only the user opens windows, one by each request of this window.
      const request = [...pending.values()].find(({ opensWindow }) => opensWindow)
      if (request === undefined) return
      request.opensWindow = false
      void openWindow(control.folder ?? undefined)
    }
  }

  async function openWindow(folder: string | undefined): Promise<void> {
    try {
      await own['window.open']({ path: folder }, leaving.signal)
    } catch (error) {
      log.error('A window of a host could not be opened', error)
    }
  }

  function fail(): void {
    const lost = [...pending.values()]
    pending.clear()
    for (const { reject } of lost) reject(connectionLost(host))
  }

  /** Opens a stream again. Its prompts appear in the window. */
  async function reachAgain(signal: AbortSignal): ReturnType<RemoteConnectionOptions['reach']> {
    const operation = randomUUID()
    const limit = new AbortController()
    let steppedAt = performance.now()
    const onStep = (): void => void (steppedAt = performance.now())
    const timer = setInterval(() => {
      // The user may take their time.
      if (prompts.pending().length > 0) onStep()
      else if (performance.now() - steppedAt > stepTimeout)
        limit.abort(new ToolError('timeout', `${host.label} did not answer.`, 'Check the network.'))
    }, 1000)
    try {
      return await reach(await prompts.open(operation), AbortSignal.any([signal, limit.signal]), onStep)
    } finally {
      clearInterval(timer)
      prompts.close(operation)
    }
  }

  let isOpen = false
  /** The folder to open after the first connection of a window that is shown before it. */
  let opening: string | undefined
  const remoteStatus = (): RemoteStatus => ({ host, ...state, ...(opening !== undefined && { opening }) })

  async function openFirst(folder: string): Promise<void> {
    try {
      await endpoints.sendAllowed()
      await request('workspace.open', { path: folder }, leaving.signal)
    } catch (error) {
      const { message, next } = toFailure(error)
      emit('notice', { level: 'error', message: `${folder} could not be opened. ${message}`, detail: next })
    }
    emit('app.reconnected', { restarted: false })
    emit('remote.changed', remoteStatus())
  }

  const connection = createRemoteConnection({
    reach: (signal) => (isOpen ? reachAgain(signal) : reach(firstEnvironment, signal, () => undefined)),
    deliver,
    onWorking: changeWorking,
    onState(next) {
      state = next
      emit('remote.changed', remoteStatus())
      if (next.connection !== 'connected' || opening === undefined) return
      const folder = opening
      opening = undefined
      void openFirst(folder)
    },
    onGap(kind) {
      fail()
      endpoints.cancelRequests()
      void resume(kind).catch((error: unknown) => {
        emit('notice', {
          level: 'error',
          message: `The folder on ${host.label} could not be opened again.`,
          detail: toFailure(error).message,
        })
      })
    },
  })

  /** Loads the state of the window again. */
  async function resume(kind: 'new' | 'known'): Promise<void> {
    if (kind === 'new') {
      hostPrompts = []
      emit('notice', {
        level: 'warning',
        message: `The server on ${host.label} was restarted.`,
        detail: 'Terminals and turns that ran there have ended. Unsaved text is kept.',
      })
    }
    // Before the folder is opened, whose conversations may use them.
    await endpoints.sendAllowed(true)
    if (kind === 'new' && root !== undefined) await request('workspace.open', { path: root }, leaving.signal)
    emit('app.reconnected', { restarted: kind === 'new' })
  }

  function request(name: RequestName, params: unknown, signal: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const id = nextId++
      const onAbort = (): void => settle(() => reject(signal.reason))
      const settle = (act: () => void): void => {
        pending.delete(id)
        signal.removeEventListener('abort', onAbort)
        act()
      }
      signal.addEventListener('abort', onAbort, { once: true })
      pending.set(id, {
        opensWindow: name === 'sessions.open',
        resolve: (result) => settle(() => resolve(result)),
        reject: (error) => settle(() => reject(error)),
      })
      try {
        connection.send({ kind: 'request', id, method: name, params })
      } catch (error) {
        settle(() => reject(error))
      }
    })
  }

  /** The last state that the host has told. */
  let knownState: AppState | undefined
  const own: Partial<Handlers> & ReturnType<RemoteCoreOptions['local']> = {
    ...local(prompts),
    async 'app.state'(params, signal) {
      if (opening !== undefined) return { ...stateBefore(version), remote: remoteStatus() }
      // A window that is loaded again without a connection shows what it knows, and that it has none.
      if (knownState === undefined || connection.isConnected())
        knownState = (await request('app.state', params, signal)) as AppState
      return { ...knownState, shell: 'electron', remote: remoteStatus() }
    },
    async 'git.credentialRequests'(params, signal) {
      hostPrompts = promptsOfHost(await request('git.credentialRequests', params, signal))
      return [...prompts.pending(), ...hostPrompts]
    },
    async 'git.answerCredential'(params, signal) {
      if (prompts.pending().some(({ id }) => id === params.id)) prompts.answer(params.id, params.answer)
      else await request('git.answerCredential', params, signal)
    },
    // Both are asked when the window closes, which must not wait for the host.
    async 'buffers.list'(params, signal) {
      // Nothing was typed.
      if (opening !== undefined) return []
      if (connection.isConnected()) {
        const answered = await briefly(request('buffers.list', params, signal))
        if (answered !== undefined) return answered as UnsavedTexts
      }
      // What the host has received stays there until the folder is opened again.
      return connection.hasUnconfirmed() ? [{ path: `Text for ${host.label}`, dirty: true, text: null }] : []
    },
    async 'buffers.discard'(params, signal) {
      if (connection.isConnected()) await briefly(request('buffers.discard', params, signal))
    },
    'remote.reconnect': () => connection.retry(),
    ...endpoints.handlers,
  }

  const forwarded = Object.fromEntries(
    // The keys of `requests` are its names.
    (Object.keys(requests) as RequestName[]).map((name) => [
      name,
      (params: unknown, signal: AbortSignal) => request(name, params, signal),
    ]),
    // TypeScript does not tie the entries of `Object.fromEntries` to their names.
  ) as unknown as Handlers
  const handlers: Handlers = { ...forwarded, ...own }

  const elsewhere = (): never => {
    throw new ToolError('refused', `This runs on ${host.label}.`, 'Use it there.')
  }
  return {
    host,
    handlers,
    emit,
    folder: () => root,
    get executor(): never {
      return elsewhere()
    },
    get sessions(): never {
      return elsewhere()
    },
    checkpoints: elsewhere,
    async open(folder, signal) {
      await connection.open(signal)
      isOpen = true
      // Before the folder is opened, whose conversations may use them.
      await endpoints.sendAllowed()
      if (folder !== undefined) await request('workspace.open', { path: folder }, signal)
    },
    begin(folder) {
      isOpen = true
      opening = folder
      root = folder
      state = { connection: 'reconnecting', attempt: 1, problem: null }
      connection.begin()
    },
    attach(next) {
      link?.emit('app.detached', { reason: 'This window was loaded again.' })
      link = next
      return () => {
        if (link === next) link = null
      }
    },
    subscribe(listener) {
      // The listener is generic in the name; the map of events ties both.
      const entry = listener as (name: EventName, payload: never) => void
      listeners.add(entry)
      return () => listeners.delete(entry)
    },
    openFile: () => Promise.resolve(null),
    openWorkspace: async (path) => (await request('workspace.open', { path }, leaving.signal)) as WorkspaceInfo,
    prepareModel: () => undefined,
    toolsReady: () => Promise.resolve([]),
    // A lost connection is not opened again by itself, so nobody learns when the work has ended.
    isWorking: () => working && state.connection !== 'lost',
    isTrying: () => false,
    async dispose() {
      leaving.abort(new DOMException('The window was closed.', 'AbortError'))
      endpoints.dispose()
      connection.send({ kind: 'control', name: 'end' } satisfies ControlToHost)
      await connection.close(closeTimeout)
      await prompts.dispose()
    },
  }
}

/** What a window shows before the first answer of its host. */
function stateBefore(version: string): Omit<AppState, 'remote'> {
  return {
    version,
    shell: 'electron',
    platform: 'linux',
    home: '',
    workspace: null,
    recents: [],
    hostFeatures: { revealFile: false, trash: false },
    settings: settingsSchema.parse({}),
    keybindings: [],
    conversation: null,
    approvals: [],
    jobs: [],
    sandbox: null,
  }
}

function toError({ code, message, next, reason, detail }: Failure): ToolError {
  return new ToolError(code, message, next, { reason, detail })
}
