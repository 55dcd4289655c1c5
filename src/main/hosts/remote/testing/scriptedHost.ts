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
  add: elsewhere,
  test: elsewhere,
  access: elsewhere,
}

/**
 * A window's core whose host is played by the test: it sends what the test says, and answers nothing by itself.
 * @param options.reach for all connections but the first
 */
export async function openScriptedHost(options: { reach?: RemoteCoreOptions['reach']; models?: HostModels } = {}) {
  const events: { name: EventName; payload: unknown }[] = []
  const received: unknown[] = []
  const opened: (string | undefined)[] = []
  const folders: (string | undefined)[] = []
  let far: Duplex | null = null
  let line: Duplex | null = null
  let sent = 0
  let lines = 0
  const core = createRemoteCore({
    host: hostOf('box'),
    firstEnvironment: {},
    async reach(environment, signal, onStep) {
      if (lines > 0 && options.reach) return options.reach(environment, signal, onStep)
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
  await core.open(undefined, new AbortController().signal)
  return {
    core,
    events,
    received,
    opened,
    folders,
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
