import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { EventName, Events } from '../../../../shared/bridge/protocol.ts'
import { createSshPrompts } from '../../../core/sshPrompts.ts'
import { hostOf, programFor } from '../remoteAddress.ts'
import { createDesktopModels } from '../../../core/remoteModels/desktopModels.ts'
import { createRemoteCore, type RemoteCore } from '../remoteCore.ts'
import { reachHost } from '../reachHost.ts'

const never = new AbortController().signal

export interface RemoteWindowOptions {
  address: string
  bundles: string
  /** User data folder of the desktop. */
  userData: string
  /** Folder to open there. It is created. */
  folder: string
  environment?: Readonly<Record<string, string>>
}

export interface OpenedRemote {
  core: RemoteCore
  /** All events so far. */
  events: { name: EventName; payload: Events[EventName] }[]
  /** What the connection reported. */
  progress: string[]
  /** Calls a handler of the core. */
  request: <N extends keyof RemoteCore['handlers']>(
    name: N,
    params: Parameters<RemoteCore['handlers'][N]>[0],
  ) => Promise<Awaited<ReturnType<RemoteCore['handlers'][N]>>>
  /** Resolves with the first event, also an earlier one, that fits. */
  event<N extends EventName>(name: N, fits?: (payload: Events[N]) => boolean): Promise<Events[N]>
}

/** Connects to a host like the desktop does, without a window. @param opened receives the core before it connects */
export async function openRemote(
  options: RemoteWindowOptions,
  opened: (core: RemoteCore) => void,
): Promise<OpenedRemote> {
  const host = hostOf(options.address)
  const events: OpenedRemote['events'] = []
  const progress: string[] = []
  const waiting = new Set<() => void>()
  const core = createRemoteCore({
    version: '1',
    host,
    firstEnvironment: options.environment ?? {},
    reach: (environment, signal) =>
      reachHost({
        host,
        program: programFor(host.address, environment),
        bundles: options.bundles,
        signal,
        onProgress: (text) => progress.push(text),
      }),
    createPrompts: (onChanged) => createSshPrompts({ userData: options.userData, onChanged }),
    models: createDesktopModels({ userData: options.userData, discovery: false })(host.address),
    onFolder: () => undefined,
    local: () => ({
      'app.openExternal': () => undefined,
      'window.open': () => undefined,
      'window.focusFolder': () => false,
      'remote.hosts': () => ({ hosts: [], recents: [] }),
      'remote.connect': () => undefined,
      'remote.cancel': () => undefined,
    }),
  })
  opened(core)
  core.subscribe((name, payload) => {
    events.push({ name, payload })
    for (const check of waiting) check()
  })
  await mkdir(join(options.folder), { recursive: true })
  await core.open(options.folder, never)
  return {
    core,
    events,
    progress,
    // The handler of a name takes its parameters.
    request: async (name, params) => (core.handlers[name] as (...given: unknown[]) => never)(params, never),
    event: (name, fits = () => true) =>
      new Promise((resolve) => {
        const check = (): void => {
          // The name ties the payload to the event.
          const found = events.find((each) => each.name === name && fits(each.payload as never))
          if (found === undefined) return
          waiting.delete(check)
          resolve(found.payload as never)
        }
        waiting.add(check)
        check()
      }),
  }
}
