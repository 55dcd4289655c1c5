import type { ForkProcess } from '../../base/childProcess.ts'
import { returnIdleMemory } from '../../base/idleMemory.ts'
import { openLogFile } from '../../base/log/logFile.ts'
import { log } from '../../base/log/log.ts'
import { createCore, type Core } from '../../core.ts'
import { createOpenCores } from '../../core/openCores.ts'
import { findInstallation, knownDataFolders, userDataFolder, type Installation } from '../installation.ts'
import { acceptOpenRequests } from '../openRequests.ts'
import { createBrowserCores } from './browserCores.ts'
import { startBrowserHost, type BrowserHost, type BrowserHostOptions } from './browserServer.ts'

/** The core with its log file and, after `listen`, the server for the window. */
export interface BrowserApp {
  readonly installation: Installation
  readonly userData: string
  /** The core that the window shows first. */
  readonly core: Core
  /** Serves the window. @throws like `startBrowserHost` */
  listen(options: Pick<BrowserHostOptions, 'port' | 'publicOrigin'>): Promise<BrowserHost>
  /** Stops everything. Resolves when the log is written. */
  close(): Promise<void>
}

/** Creates the core for the data folder given by the environment. @param fork see `Platform.fork` */
export async function createBrowserApp(fork?: ForkProcess): Promise<BrowserApp> {
  const installation = findInstallation()
  const userData = userDataFolder()
  const logFile = openLogFile(userData)
  log.info(`Tizona ${installation.version}, browser host, Node ${process.version}, ${process.platform} ${process.arch}`)
  let server: BrowserHost | null = null
  const openCores = createOpenCores()
  const cores = await createBrowserCores(
    ({ open, focus, openHidden, closeHidden }) =>
      createCore({
        openCores,
        platform: {
          host: 'browser',
          version: installation.version,
          userData,
          otherDataFolders: knownDataFolders(),
          resources: installation.resources,
          openWindow: open,
          focusFolder: focus,
          openHidden,
          closeHidden,
          ...(fork && { fork }),
        },
      }),
    (core, folder) => server?.show(core, folder),
  )
  const core = cores.first
  const openRequests = await acceptOpenRequests(userData, cores.openFile)
  const stopReturning = returnIdleMemory()
  return {
    installation,
    userData,
    core,
    async listen(options) {
      server = await startBrowserHost({ core, assets: installation.renderer, ...options })
      return server
    },
    async close() {
      stopReturning()
      await Promise.all([server?.close(), cores.dispose()])
      await openRequests.close()
      await logFile.close()
    },
  }
}
