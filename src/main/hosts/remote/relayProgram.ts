import { once } from 'node:events'
import { readFileSync, writeSync } from 'node:fs'
import { chmod, rename, symlink, utimes } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '../../base/fileErrors.ts'
import { makeFolder } from '../../base/makeFolder.ts'
import { startDetached } from '../../base/startProcess.ts'
import { findInstallation, userDataFolder } from '../installation.ts'
import { serverAddress } from './serverAddress.ts'

/*
 * Connects its standard streams to the server of this machine, which it starts if none runs. The desktop runs it by
 * ssh, docker or wsl, for one connection.
 *
 *   remote.js relay MARKER   prints MARKER and "relay", then passes bytes on in both directions
 *   remote.js check          prints the id of the build: the program runs on this machine
 */

/** Milliseconds that the server has to start. */
const startTimeout = 30_000

const [, entry = '', command, marker = ''] = process.argv

const buildFolder = (): string => join(findInstallation().resources, '..')

/** Id of the build in the folder that has this program. */
function buildId(): string {
  try {
    return readFileSync(join(buildFolder(), 'BUILD'), 'utf8').trim()
  } catch {
    return `clone-${findInstallation().version}`
  }
}

async function connectTo(address: string): Promise<Socket | null> {
  const socket = connect(address)
  try {
    await once(socket, 'connect')
    return socket
  } catch (error) {
    if (!['ENOENT', 'ECONNREFUSED'].includes(errorCode(error) ?? '')) throw error
    return null
  }
}

/** Connects to the server. Starts it if none runs. @throws Error if it does not start */
async function reachServer(address: string): Promise<Socket> {
  const running = await connectTo(address)
  if (running !== null) return running
  // The server must survive this connection, so it gets a session of its own and no streams.
  const server = startDetached(process.execPath, [entry, 'serve', address], { startedBy: 'tizona', cwd: homedir() })
  let exit: number | null | undefined
  server.once('exit', (code) => (exit = code))
  server.once('error', () => (exit = null))
  server.unref()
  const until = performance.now() + startTimeout
  for (;;) {
    await sleep(40)
    const socket = await connectTo(address)
    if (socket !== null) return socket
    if (exit !== undefined || performance.now() > until)
      throw new Error(
        `The server of Tizona did not start on this machine. The reason is in ${join(userDataFolder(), 'logs', 'tizona.log')}.`,
      )
  }
}

/**
 * Makes the SSH agent that this connection forwards the one of the server: its terminals have the path of a link, which
 * each connection leads to its own agent.
 */
async function linkAgent(address: string): Promise<void> {
  const agent = process.env['SSH_AUTH_SOCK']
  const link = `${address}.agent`
  if (!agent || agent === link) return
  const own = `${link}.${process.pid}`
  await symlink(agent, own)
  await rename(own, link)
  process.env['SSH_AUTH_SOCK'] = link
}

async function relay(): Promise<void> {
  const home = join(homedir(), '.tizona')
  await makeFolder(home)
  await chmod(home, 0o700)
  // The server removes builds that were not used for long.
  await utimes(buildFolder(), new Date(), new Date()).catch(() => undefined)
  const address = serverAddress(home, buildId())
  // Without it, everything else works.
  await linkAgent(address).catch((error: unknown) => process.stderr.write(`${String(error)}\n`))
  const socket = await reachServer(address)
  // For the shell that has started this program (reachHost.ts).
  writeSync(3, 'started')
  process.stdout.write(`${marker}|relay\n`)
  process.stdin.pipe(socket)
  socket.pipe(process.stdout)
  const end = (): void => process.exit(0)
  socket.on('error', end)
  socket.once('close', end)
  process.stdin.once('end', end)
  process.stdin.once('error', end)
  process.stdout.once('error', end)
}

try {
  if (command === 'check') process.stdout.write(`${buildId()}\n`)
  else await relay()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  // Not an installation that is damaged, which ends with other codes (reachHost.ts).
  process.exit(3)
}
