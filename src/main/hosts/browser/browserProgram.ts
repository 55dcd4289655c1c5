import { createInterface } from 'node:readline'
import { isAbort, toFailure } from '../../../shared/errors.ts'
import { log, setLogLevel } from '../../base/log/log.ts'
import { appUsage, parseAppArguments, UsageError, type AppArguments } from '../appArguments.ts'
import { findChromium } from '../../base/findChromium.ts'
import { hasDisplay, openWindow } from './openWindow.ts'
import type { OpenedFileTarget } from '../../core/openedFiles.ts'
import { findTargets } from '../fileTarget.ts'
import { openAllElsewhere } from '../openElsewhere.ts'
import { createBrowserApp, type BrowserApp } from './browserApp.ts'
import type { BrowserHost } from './browserServer.ts'
import { onShutdown } from '../shutdown.ts'

let isStopping = false

/**
 * The browser host: serves the window on 127.0.0.1 and prints its address. Exit codes: 0 stopped, 1 could not start or
 * the tab of `--wait` was not closed, 2 invalid command line.
 */
async function main(): Promise<void> {
  if (process.argv.slice(2).some((word) => word === '--help' || word === '-h')) {
    console.log(appUsage)
    return
  }
  const args = parseAppArguments(process.argv.slice(2))
  const target = await findTargets(args)
  const file = target?.file
  if (args.add) throw new UsageError('--add needs the desktop application. Add the folder in the window instead.')
  if (args.wait && file === undefined) throw new UsageError('--wait needs a file.')
  const files = file === undefined ? [] : [file, ...(target?.others ?? [])]
  if (await openAllElsewhere(files, args.wait)) return
  const folder = target?.folder
  if (args.logLevel !== undefined) setLogLevel(args.logLevel)
  const app = await createBrowserApp()
  onShutdown(() => {
    isStopping = true
    return app.close()
  })
  // Both wait for the disk. Nobody connects before the address is printed.
  const [server] = await Promise.all([listen(app, args), folder !== undefined && app.core.openWorkspace(folder)])

  console.log(`Tizona ${app.installation.version}${folder === undefined ? '' : ` · ${folder}`}`)
  await present(server, args, app.userData)
  if (files.length > 0) void showFiles(app, files, args.wait)
  createInterface({ input: process.stdin, terminal: false }).on('line', () => printAddress(server))
}

/**
 * Shows the files of the command line. With `--wait`, ends when their tabs are closed. Ends with exit code 1 in all other
 * cases, so that a program that waits does not use an unfinished text.
 */
async function showFiles(app: BrowserApp, files: readonly OpenedFileTarget[], wait: boolean): Promise<void> {
  let isDone = !wait
  process.once('exit', () => {
    if (!isDone) process.exitCode = 1
  })
  try {
    const closed: Promise<void>[] = []
    for (const file of files) {
      const opened = await app.core.openFile({ ...file, outside: true })
      if (opened) closed.push(opened.closed)
      else log.error(`${file.path} could not be opened, because it is not in the open folder.`)
    }
    if (wait && closed.length === files.length) {
      await Promise.all(closed)
      isDone = true
    }
  } catch (error) {
    if (!isAbort(error)) log.error(`${files.map(({ path }) => path).join(', ')} could not be opened`, error)
  }
  // Through the signal's handler, which saves the state first. A second signal would not wait for that.
  if (wait && !isStopping) process.kill(process.pid, 'SIGTERM')
}

async function listen(app: BrowserApp, { port, publicOrigin }: AppArguments): Promise<BrowserHost> {
  try {
    return await app.listen({ port, publicOrigin })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EADDRINUSE')
      throw new StartError(
        `Port ${port} is in use by another program.`,
        'Choose another port with --port, or omit --port to use a free one.',
        error,
      )
    if (code === 'EACCES')
      throw new StartError(`Port ${port} needs administrator rights.`, 'Choose a port above 1023 with --port.', error)
    if (code === 'ENOENT') throw new StartError('The window has not been built.', 'Run npm run build.', error)
    throw error
  }
}

async function present(server: BrowserHost, { open, publicOrigin }: AppArguments, userData: string): Promise<void> {
  const browser = open && publicOrigin === undefined && hasDisplay() ? findChromium() : null
  if (browser === null) return printAddress(server)
  const problem = await openWindow(browser, server.address(), userData)
  if (problem === null)
    console.log('Opened in its own window. Press Enter to print an address for another browser, or Ctrl+C to stop.')
  else {
    console.log(`No window could be opened (${browser}: ${problem}).`)
    printAddress(server)
  }
}

function printAddress(server: BrowserHost): void {
  console.log(`Open ${server.address()}`)
  console.log('The address works once, within ten minutes. Press Enter for a new one, or Ctrl+C to stop.')
}

/** A failed start that the user can fix. The message includes a hint. */
class StartError extends Error {
  constructor(message: string, hint: string, cause: unknown) {
    super(`${message} ${hint}`, { cause })
  }
}

try {
  await main()
} catch (error) {
  if (error instanceof UsageError) {
    console.error(`${error.message}\n\n${appUsage}`)
    process.exit(2)
  }
  const failure = toFailure(error)
  if (error instanceof StartError) console.error(error.message)
  else if (failure.code === 'internal') log.error('Tizona could not start', error)
  else console.error(`${failure.message} ${failure.next}`)
  process.exit(1)
}
