import './wasmFlags.ts'
import { resolve } from 'node:path'
import { app } from 'electron'
import { createCore } from './core.ts'
import { setLogLevel } from './base/log/log.ts'
import { appUsage, parseAppArguments, UsageError } from './hosts/appArguments.ts'
import { startDesktop } from './hosts/electron/desktop.ts'
import { endOnUnhandled, isCommand, runCommand } from './hosts/headless/commandDispatch.ts'
import { findInstallation } from './hosts/installation.ts'

/** Entry of the desktop application. In a clone, Electron's own argument comes first. */
const args = process.argv.slice(app.isPackaged ? 1 : 2)

if (isCommand(args[0])) {
  endOnUnhandled()
  // Electron opens no window before this module has been evaluated, so a command needs no display.
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
  // Otherwise Electron shows its own error dialog with a stack.
  process.on('uncaughtException', report)
  process.on('unhandledRejection', report)
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(`${error.message}\n\n${appUsage}`)
  process.exit(2)
}
