import { app } from 'electron'
import { createCore } from './core.ts'
import { setLogLevel } from './base/log/log.ts'
import { appUsage, parseAppArguments, UsageError } from './hosts/appArguments.ts'
import { startDesktop } from './hosts/electron/desktop.ts'
import { endOnUnhandledError, isCommand, runCommand } from './hosts/headless/commandDispatch.ts'
import { findTargets } from './hosts/fileTarget.ts'
import { openAllElsewhere } from './hosts/openElsewhere.ts'
import { findInstallation } from './hosts/installation.ts'

/** The user's arguments. In a clone, the first argument is the path passed to Electron. */
const args = process.argv.slice(app.isPackaged ? 1 : 2)

if (isCommand(args[0])) {
  endOnUnhandledError()
  // A command needs no display, because Electron opens no window before this module has been evaluated.
  process.exit(await runCommand(args))
}
try {
  // Skip the switches of Electron and Chromium, which include `--log-level` with a number.
  const own = args.filter(
    (arg) => !/^--(?!add|diff|new-window|reuse-window|port|no-open|public-origin|goto|wait|log-level(?!=\d))/.test(arg),
  )
  const { add, wait, reuse, logLevel, ...named } = parseAppArguments(own)
  if (logLevel !== undefined) setLogLevel(logLevel)
  const target = await findTargets(named)
  if (add && (target === undefined || target.file)) throw new UsageError('--add needs a folder.')
  if (wait && target?.file === undefined) throw new UsageError('--wait needs a file.')
  const files = target?.file === undefined ? [] : [target.file, ...(target.others ?? [])]
  if (await openAllElsewhere(files, wait)) process.exit()
  const { report } = startDesktop({
    createCore,
    installation: findInstallation(),
    ...target,
    add,
    reuse,
    wait,
  })
  // Without these listeners Electron shows a dialog with a stack trace.
  process.on('uncaughtException', report)
  process.on('unhandledRejection', report)
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(`${error.message}\n\n${appUsage}`)
  process.exit(2)
}
