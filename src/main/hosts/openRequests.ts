import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, readdir, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { isAbsolute, join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { raceTimeout } from '../../shared/async/raceTimeout.ts'
import { isAbort, toFailure } from '../../shared/errors.ts'
import { errorCode } from '../base/fileErrors.ts'
import { makeFolder } from '../base/makeFolder.ts'
import { log } from '../base/log/log.ts'
import type { OpenedFileTarget } from '../core/openedFiles.ts'

/**
 * Lets `tizona FILE` open a file in a running Tizona. Each process of a window listens on a socket in the user data
 * folder, which only the user can access. A connection sends one line, the request, and receives up to three: that it was
 * received, whether the file was opened, and that its tab was closed.
 */
const requestSchema = z.object({
  path: z.string().max(4096).refine(isAbsolute, 'The path is not absolute.'),
  line: z.number().int().positive().optional(),
  column: z.number().int().positive().optional(),
  compareWith: z.string().max(4096).refine(isAbsolute, 'The path is not absolute.').optional(),
  newWindow: z.boolean().optional(),
  /** Whether to show the file, or open its folder, if no window has the folder. */
  adopt: z.boolean(),
})
const answerSchema = z.object({
  state: z.enum(['received', 'opened', 'refused', 'failed', 'closed']),
  message: z.string().optional(),
})
type Answer = z.output<typeof answerSchema>

/** See `createOpenedFiles`. @returns null if no window of this process has the folder */
export type OpenFile = (target: OpenedFileTarget, adopt: boolean) => Promise<{ closed: Promise<void> } | null>

/** Maximum length of a socket's path in bytes on Linux and macOS. */
const maxSocketPath = 100
const maxRequest = 16_384
/** Milliseconds to wait for a request, or for the message that it was received. */
const firstLineTimeout = 3000
/** Milliseconds to wait for clients to end their connections. */
const endTimeout = 500

/**
 * Accepts requests to open files. Without a socket, as on Windows, `tizona FILE` starts another process, and the desktop
 * host passes the file to the process that runs.
 */
export async function acceptOpenRequests(userData: string, open: OpenFile): Promise<{ close(): Promise<void> }> {
  // Processes of two containers can have the same id.
  const address = join(userData, 'windows', `${process.pid}-${randomBytes(4).toString('hex')}.sock`)
  const nothing = { close: () => Promise.resolve() }
  if (process.platform === 'win32' || Buffer.byteLength(address) > maxSocketPath) return nothing
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    // A client that was ended by the user.
    socket.on('error', () => socket.destroy())
    void answer(socket, open)
  })
  try {
    await makeFolder(join(userData, 'windows'))
    await chmod(join(userData, 'windows'), 0o700)
    server.listen(address)
    await once(server, 'listening')
  } catch (error) {
    log.warn(`Other processes cannot open files in this one: ${toFailure(error).message}`)
    return nothing
  }
  server.unref()
  return {
    async close() {
      for (const socket of sockets) socket.end()
      const ended = once(server, 'close')
      server.close()
      const timer = setTimeout(() => {
        for (const socket of sockets) socket.destroy()
      }, endTimeout)
      await ended
      clearTimeout(timer)
    },
  }
}

async function answer(socket: Socket, open: OpenFile): Promise<void> {
  const send = (sent: Answer) => socket.writable && socket.write(`${JSON.stringify(sent)}\n`)
  try {
    const line = await raceTimeout(firstLine(socket), firstLineTimeout)
    if (line === undefined) return void socket.destroy()
    const { adopt, ...target } = requestSchema.parse(JSON.parse(line))
    if (!(await confirm(socket))) return
    const opened = await open(target, adopt)
    if (opened === null) send({ state: 'refused' })
    else {
      send({ state: 'opened' })
      await opened.closed
      send({ state: 'closed' })
    }
  } catch (error) {
    // The window ended. The client notices that the connection ends.
    if (!isAbort(error)) send({ state: 'failed', message: toFailure(error).message })
  }
  socket.end()
}

/** Sends that a request was received. @returns false if the client no longer waits, because another process opens it */
function confirm(socket: Socket): Promise<boolean> {
  if (!socket.writable) return Promise.resolve(false)
  const line = `${JSON.stringify({ state: 'received' } satisfies Answer)}\n`
  return new Promise((resolve) => socket.write(line, (error) => resolve(!error)))
}

async function firstLine(socket: Socket): Promise<string> {
  let text = ''
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    text += chunk.toString('utf8')
    const end = text.indexOf('\n')
    if (end >= 0) return text.slice(0, end)
    if (text.length > maxRequest) break
  }
  throw new Error('The request has no end.')
}

/** How a request to other processes ended. */
export type OpenOutcome = 'notOpen' | 'opened' | 'closed' | 'lost'

/**
 * Asks running processes to open a file: first the one whose folder contains it, then one that opens its folder.
 * @param wait whether to wait until the tab is closed
 * @returns `notOpen` if no process opened it, `lost` if the process ended before the tab was closed
 * @throws Error if a window could not show the file
 */
export async function openInRunning(userData: string, target: OpenedFileTarget, wait: boolean): Promise<OpenOutcome> {
  const files = await readdir(join(userData, 'windows')).catch(() => [])
  let names = files.filter((each) => each.endsWith('.sock'))
  for (const adopt of [false, true]) {
    const refusing: string[] = []
    for (const name of names) {
      const outcome = await ask(join(userData, 'windows', name), { ...target, adopt }, wait)
      if (outcome === 'refused') refusing.push(name)
      else if (outcome !== 'notOpen') return outcome
    }
    // The others have ended or do not respond.
    names = refusing
  }
  return 'notOpen'
}

async function ask(
  address: string,
  request: z.input<typeof requestSchema>,
  wait: boolean,
): Promise<OpenOutcome | 'refused'> {
  const socket = connect(address)
  try {
    await once(socket, 'connect')
  } catch (error) {
    // The process was killed. After another error, for example too many connections, it may still run.
    if (['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'].includes(errorCode(error) ?? '')) await rm(address, { force: true })
    return 'notOpen'
  }
  socket.on('error', () => socket.destroy())
  socket.write(`${JSON.stringify(request)}\n`)
  const lines = createInterface({ input: socket })
  socket.once('close', () => lines.close())
  // A stopped process accepts connections, but does not respond.
  const timer = setTimeout(() => socket.destroy(), firstLineTimeout)
  let opened = false
  try {
    for await (const line of lines) {
      clearTimeout(timer)
      const { state, message } = answerSchema.parse(JSON.parse(line))
      if (state === 'failed') throw new Error(message)
      if (state === 'received') continue
      opened = state === 'opened'
      if (!opened || !wait) return state
    }
    return opened ? 'lost' : 'notOpen'
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
}
