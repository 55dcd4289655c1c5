import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { KnownHosts, RemoteHost } from '../../../shared/remote/remote.ts'
import type { Keyring, RemoteHosts } from '../../appServices/platform.ts'
import { createRemoteRecents } from '../../core/remoteRecents.ts'
import { createSshPrompts } from '../../core/sshPrompts.ts'
import { createRemoteHandlers } from '../../handlers/remoteHandlers.ts'
import { createDesktopModels } from '../../core/remoteModels/desktopModels.ts'
import { hostOf, isSshAddress, programFor } from '../remote/remoteAddress.ts'
import { createRemoteCore, type RemoteCore } from '../remote/remoteCore.ts'
import { reachHost } from '../remote/reachHost.ts'
import { sshConfigHosts } from '../remote/sshConfig.ts'
import type { AppWindows } from './appWindows.ts'

interface RemoteWindowsOptions {
  userData: string
  /** Folder of the servers for other machines (scripts/serverBundle.mjs). */
  bundles: string
  windows(): Pick<AppWindows, 'openRemote' | 'focus'>
  openExternal(url: string): Promise<void>
  keyring(): Promise<Keyring | undefined>
  version: string
}

type ConnectTarget = Parameters<RemoteHosts['connect']>[0]

/** Opens windows that work on other machines, by ssh, docker or wsl. */
export function createRemoteWindows({
  userData,
  bundles,
  windows,
  openExternal,
  keyring,
  version,
}: RemoteWindowsOptions): RemoteHosts & {
  /** Opens the window of a folder again, which connects by itself and prompts. */
  reopen(place: { address: string; folder: string }): Promise<void>
} {
  const modelsFor = createDesktopModels({ userData, keyring })
  const recents = createRemoteRecents(join(userData, 'remote-folders.json'))

  async function list(): Promise<KnownHosts> {
    const [names, stored] = await Promise.all([sshConfigHosts(), recents.list()])
    return {
      hosts: names.filter(isSshAddress).map(hostOf),
      recents: stored.flatMap(({ address, folder }) => {
        try {
          return [{ host: hostOf(address), folder }]
        } catch {
          // Written by another version.
          return []
        }
      }),
    }
  }

  function createCoreOn(
    host: RemoteHost,
    environment: ConnectTarget['environment'],
    onProgress: ConnectTarget['onProgress'],
  ): RemoteCore {
    const { address } = host
    const core: RemoteCore = createRemoteCore({
      host,
      version,
      firstEnvironment: environment,
      reach: (variables, ended, onStep) =>
        reachHost({
          host,
          program: programFor(host.address, variables),
          bundles,
          signal: ended,
          onProgress(text) {
            onStep()
            onProgress(text)
          },
        }),
      createPrompts: (onChanged) => createSshPrompts({ userData, onChanged }),
      models: modelsFor(host.address),
      onFolder(opened) {
        if (opened !== undefined) recents.add({ address: host.address, folder: opened })
      },
      local: (prompts) => ({
        ...createRemoteHandlers({
          platform: { remoteHosts: { connect, list } },
          credentials: prompts,
          onProgress: (progress) => core.emit('remote.progress', progress),
        }),
        'app.openExternal': ({ url }) => openExternal(url),
        async 'window.open'({ path }, asked) {
          const operation = randomUUID()
          try {
            // In this window, because the new one is shown only once it is connected.
            const environmentOfNew = await prompts.open(operation)
            const onText = (text: string): void => core.emit('remote.progress', { operation, text })
            await connect({ address, folder: path, environment: environmentOfNew, signal: asked, onProgress: onText })
          } finally {
            prompts.close(operation)
          }
        },
        'window.focusFolder': () => false,
      }),
    })
    return core
  }

  /** Connects, then shows the window. Until then, prompts and failures are shown in the window that connects. */
  async function connect({ address, folder, environment, signal, onProgress }: ConnectTarget): Promise<void> {
    const host = hostOf(address)
    if (folder !== undefined && (await windows().focus(folder, host.address))) return
    const core = createCoreOn(host, environment, onProgress)
    try {
      await core.open(folder, signal)
      await windows().openRemote(host.address, core.folder(), core)
    } catch (error) {
      await core.dispose()
      throw error
    }
  }

  return {
    connect,
    async reopen({ address, folder }) {
      const host = hostOf(address)
      const core = createCoreOn(host, {}, () => undefined)
      core.begin(folder)
      await windows().openRemote(host.address, folder, core)
    },
    list,
  }
}
