import { duplexPair, type Duplex } from 'node:stream'
import type { EventName } from '../../../../shared/bridge/protocol.ts'
import type { SshPrompts } from '../../../core/sshPrompts.ts'
import { decodePayload, frameParts, readFrames } from '../frames.ts'
import { hostOf } from '../remoteAddress.ts'
import type { HostModels } from '../../../core/remoteModels/desktopModels.ts'
import { createRemoteCore, type RemoteCoreOptions } from '../remoteCore.ts'

const prompts: SshPrompts = {
  open: () => Promise.resolve({}),
  accepted: () => undefined,
  close: () => undefined,
  pending: () => [],
  answer: () => undefined,
  dispose: () => Promise.resolve(),
}

const elsewhere = () => Promise.reject(new Error('This computer has no models.'))
const noModels: HostModels = {
  allowed: () => Promise.resolve([]),
  offers: () => Promise.resolve([]),
  allow: elsewhere,
  forbid: () => Promise.resolve(),
  onForbidden: () => () => undefined,
  add: elsewhere,
  test: elsewhere,
  access: elsewhere,
}

interface ScriptedHostOptions {
  /** For all connections but the first. */
  reach?: RemoteCoreOptions['reach']
  /** For the first connection. */
  first?: RemoteCoreOptions['reach']
  models?: HostModels
  /** Folder of a window that is shown before it is connected. */
  begin?: string
}

/**
 * A window's core whose host is played by the test: it sends what the test says, and answers nothing by itself.
 */
export async function openScriptedHost(options: ScriptedHostOptions = {}) {
  const events: { name: EventName; payload: unknown }[] = []
  const received: unknown[] = []
  const opened: (string | undefined)[] = []
  const folders: (string | undefined)[] = []
  let far: Duplex | null = null
  let line: Duplex | null = null
  let sent = 0
  let lines = 0
  function connect(): Duplex {
    const [near, stream] = duplexPair()
    stream.on('error', () => undefined)
    far = stream
    line = near
    lines += 1
    const state = lines === 1 ? 'new' : 'known'
    readFrames(stream, (frame) => {
      if (frame.kind === 'text') {
        const message = decodePayload(frame)
        received.push(message)
        // The window is closed.
        if (JSON.stringify(message).includes('"control"')) near.destroy()
      }
      if (frame.kind !== 'hello') return
      const welcome = { state, position: { received: received.length, first: 1 }, working: false }
      for (const part of frameParts('welcome', 0, Buffer.from(JSON.stringify(welcome)))) stream.write(part)
    })
    return near
  }
  const core = createRemoteCore({
    version: '1',
    host: hostOf('box'),
    firstEnvironment: {},
    reach(environment, signal, onStep) {
      const other = lines > 0 ? options.reach : options.first
      return other ? other(environment, signal, onStep) : Promise.resolve(connect())
    },
    createPrompts: () => prompts,
    models: options.models ?? noModels,
    onFolder: (folder) => folders.push(folder),
    local: () => ({
      'app.openExternal': () => undefined,
      'window.open': ({ path }) => void opened.push(path),
      'window.focusFolder': () => false,
      'remote.hosts': () => ({ hosts: [], recents: [] }),
      'remote.connect': () => undefined,
      'remote.cancel': () => undefined,
    }),
  })
  core.subscribe((name, payload) => events.push({ name, payload }))
  if (options.begin === undefined) await core.open(undefined, new AbortController().signal)
  else core.begin(options.begin)
  return {
    core,
    events,
    received,
    opened,
    folders,
    /** Opens a line, for `first`. */
    connect,
    /** Breaks the connection. */
    cut: () => void line?.destroy(),
    /** Number of connections so far. */
    lines: () => lines,
    /** Sends any value as a message of the host. */
    send(message: unknown): void {
      for (const part of frameParts('text', ++sent, Buffer.from(JSON.stringify(message)))) far?.write(part)
    },
  }
}
