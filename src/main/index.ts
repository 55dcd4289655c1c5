import './wasmFlags.ts'
import { resolve } from 'node:path'
import { app } from 'electron'
import { createCore } from './core.ts'
import { setLogLevel } from './base/log/log.ts'
import { appUsage, parseAppArguments, UsageError } from './hosts/appArguments.ts'
import { startDesktop } from './hosts/electron/desktop.ts'
import { endOnUnhandled, isCommand, runCommand } from './hosts/headless/commandDispatch.ts'
import { findInstallation } from './hosts/installation.ts'

/** The desktop application's entry. A packaged binary gets its arguments directly, Electron in a clone after the folder. */
const args = process.argv.slice(app.isPackaged ? 1 : 2)

if (isCommand(args[0])) {
  endOnUnhandled()
  // Electron waits for this module before it shows anything, so a command ends without a window or a display.
  process.exit(await runCommand(args))
}
try {
  // Other switches belong to Electron and Chromium. So does `--log-level` with a number.
  const own = args.filter((arg) => !/^--(?!port|no-open|log-level(?!=\d))/.test(arg))
  const { folder, logLevel } = parseAppArguments(own)
  if (logLevel !== undefined) setLogLevel(logLevel)
  const { report } = startDesktop({
    createCore,
    installation: findInstallation(),
    folder: folder === undefined ? undefined : resolve(folder),
  })
  // Without these Electron shows a box with a stack, over whatever the user does.
  process.on('uncaughtException', report)
  process.on('unhandledRejection', report)
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(`${error.message}\n\n${appUsage}`)
  process.exit(2)
}
