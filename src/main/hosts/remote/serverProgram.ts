import { dirname } from 'node:path'
import { createCore } from '../../core.ts'
import { createOpenCores } from '../../core/openCores.ts'
import { returnIdleMemory } from '../../base/idleMemory.ts'
import { errorCode } from '../../base/fileErrors.ts'
import { log } from '../../base/log/log.ts'
import { openLogFile } from '../../base/log/logFile.ts'
import { findInstallation, knownDataFolders, userDataFolder } from '../installation.ts'
import { onShutdown } from '../shutdown.ts'
import { startRemoteServer } from './remoteServer.ts'
import { removeUnusedBuilds } from './unusedBuilds.ts'

/** The server on a remote machine: `remote.js serve ADDRESS`. Ends by itself when no window has used it for a while. */
const [, , , address = ''] = process.argv
const installation = findInstallation()
const userData = userDataFolder()
const logFile = openLogFile(userData)
const openCores = createOpenCores()

try {
  const server = await startRemoteServer({
    address,
    // For tests, which leave no process behind.
    ...(process.env['TIZONA_SERVER_IDLE_MS'] && { idle: Number(process.env['TIZONA_SERVER_IDLE_MS']) }),
    createCore: (openWindow, desktopModels) =>
      createCore({
        openCores,
        platform: {
          host: 'browser',
          version: installation.version,
          userData,
          otherDataFolders: knownDataFolders(),
          resources: installation.resources,
          openWindow,
          desktopModels,
        },
      }),
    onIdle: () => process.exit(0),
  })
  log.info(`Tizona ${installation.version}, remote host, Node ${process.version}, ${process.platform} ${process.arch}`)
  returnIdleMemory()
  removeUnusedBuilds(dirname(installation.resources)).catch((error: unknown) =>
    log.warn('Older servers could not be removed', error),
  )
  onShutdown(async () => {
    await server.close()
    await logFile.close()
  })
} catch (error) {
  // Another relay has started one at the same time.
  if (errorCode(error) !== 'EADDRINUSE') log.error('The server could not start', error)
  await logFile.close()
  process.exit(1)
}
