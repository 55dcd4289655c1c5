import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChildProcess } from 'node:child_process'
import type { Duplex } from 'node:stream'
import type { ConnectOverCDPTransport } from 'playwright-core'
import { raceTimeout } from '../../shared/async/raceTimeout.ts'
import { hostResolverRules } from '../base/findChromium.ts'
import { errorCode } from '../base/fileErrors.ts'
import { startWithMessagePipes } from '../base/startProcess.ts'
import { safeSearchPath, searchPathOf } from '../base/programSearch.ts'
import type { PageHost } from './pageHost.ts'

/** Maximum characters of a message, e.g. a snapshot. The browser is ended beyond that. */
const maxMessage = 20 * 1024 * 1024
const graceMs = 2000
const maxPrinted = 2000

/**
 * Starts a Chromium without a window and with an empty profile, controlled through pipes that no other process can
 * reach. All its requests go through the proxy, loopback included.
 * @param proxyPort port of the proxy on 127.0.0.1
 * @throws ToolError io_error
 */
export async function startBrowser(program: string, proxyPort: number): Promise<PageHost> {
  await removeLeftProfiles()
  const profile = await mkdtemp(join(tmpdir(), `tizona-browser-${process.pid}-`))
  const child = startWithMessagePipes(program, [...browserArguments(profile, proxyPort, isRoot())], {
    startedBy: 'tizona',
    // Its group ends with it. Chromium is often started by a script.
    detached: true,
    env: { ...process.env, PATH: safeSearchPath(searchPathOf(process.env)) },
  })
  // The third and fourth pipe exist, because `startWithMessagePipes` opens them.
  const [toBrowser, fromBrowser] = [child.stdio[3] as Duplex, child.stdio[4] as Duplex]
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  child.once('exit', () => resolve())
  child.once('error', () => resolve())
  for (const stream of [toBrowser, fromBrowser, child.stderr]) stream?.on('error', () => undefined)
  let printed = ''
  child.stderr?.on('data', (chunk: Buffer) => (printed = (printed + chunk.toString()).slice(-maxPrinted)))

  const transport: ConnectOverCDPTransport = {
    send: (message) => void toBrowser.write(`${JSON.stringify(message)}\0`),
    close: () => void end(),
  }
  readMessages(fromBrowser, {
    onMessage: (message) => transport.onmessage?.(message),
    onBroken: () => void end(),
  })
  void ended.then(() => transport.onclose?.('The browser has ended.'))

  let ending: Promise<void> | undefined
  const end = (): Promise<void> => {
    ending ??= (async () => {
      // Chromium ends when its pipe closes.
      toBrowser.end()
      await raceTimeout(ended, graceMs)
      killGroup(child)
      await ended
      // Its last files may appear meanwhile. What stays is in the system's folder for temporary files.
      await rm(profile, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined)
    })()
    return ending
  }
  return { transport, ended, end, lastLine: () => printed.trim().split('\n').at(-1) ?? '' }
}

/** Deletes the profiles of processes that were killed, which may contain cookies. Their browsers ended with them. */
async function removeLeftProfiles(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = /^tizona-browser-(\d{1,10})-/.exec(name)?.[1]
    if (pid === undefined || isRunning(Number(pid))) continue
    // That of another user stays.
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined)
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) !== 'ESRCH'
  }
}

const isRoot = (): boolean => process.getuid?.() === 0

/** Whether Chromium can run: as root only without its sandbox, as tests do in a container. */
export const mayRunBrowser = (): boolean => !isRoot() || process.env['TIZONA_ALLOW_ROOT'] === '1'

const browserArguments = (profile: string, proxyPort: number, withoutSandbox: boolean): readonly string[] => [
  '--headless=new',
  '--remote-debugging-pipe',
  `--user-data-dir=${profile}`,
  `--proxy-server=http://127.0.0.1:${proxyPort}`,
  // Otherwise requests to loopback addresses would not use the proxy.
  '--proxy-bypass-list=<-loopback>',
  `--host-resolver-rules=${hostResolverRules}`,
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  // Its earlier name. Chromium ignores the one that it does not know.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-extensions',
  '--disable-default-apps',
  '--disable-features=Translate,MediaRouter,OptimizationHints,AutofillServerCommunication',
  '--deny-permission-prompts',
  '--no-first-run',
  '--no-default-browser-check',
  '--password-store=basic',
  '--use-mock-keychain',
  '--mute-audio',
  ...(withoutSandbox ? ['--no-sandbox'] : []),
  'about:blank',
]

/** Ends what is left of the browser and the script that started it. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill()
    else process.kill(-child.pid, 'SIGKILL')
  } catch {
    // All of it has ended.
  }
}

/** Reads JSON messages that end with a zero byte. Stops at one that is broken or too long. */
function readMessages(
  stream: NodeJS.ReadableStream,
  { onMessage, onBroken }: { onMessage(message: object): void; onBroken(): void },
): void {
  let parts: Buffer[] = []
  let size = 0
  const receive = (chunk: Buffer): void => {
    let start = 0
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      const text = Buffer.concat([...parts, chunk.subarray(start, end)]).toString()
      parts = []
      size = 0
      start = end + 1
      const message: unknown = JSON.parse(text)
      if (typeof message === 'object' && message !== null) onMessage(message)
    }
    const rest = chunk.subarray(start)
    parts.push(rest)
    size += rest.length
    if (size > maxMessage) throw new Error('The message is too long.')
  }
  stream.on('data', (chunk: Buffer) => {
    try {
      receive(chunk)
    } catch {
      parts = []
      stream.removeAllListeners('data')
      onBroken()
    }
  })
}
