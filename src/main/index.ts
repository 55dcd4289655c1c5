import './wasmFlags.ts'
import { resolve } from 'node:path'
import { app } from 'electron'
import { createCore } from './core.ts'
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
  // Electron and Chromium take switches of their own; those are not ours to read.
  const { folder } = parseAppArguments(args.filter((arg) => !/^--(?!port|no-open)/.test(arg)))
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
