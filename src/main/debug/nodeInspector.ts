import { readlink } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ToolError } from '../../shared/errors.ts'
import { isInspector } from '../base/inspectorPort.ts'
import { listeningSockets, openSockets } from '../base/listeningSockets.ts'

/** Milliseconds for the inspector to listen, and between attempts. */
const openTimeout = 5000
const openInterval = 50

/**
 * Makes a running Node.js process listen for debuggers, unless it does already. js-debug cannot do this itself.
 * @returns the port
 * @throws ToolError `invalid_arguments` if the process is not Node.js; `timeout`
 */
export async function openNodeInspector(processId: number, signal: AbortSignal): Promise<number> {
  if (process.platform !== 'linux')
    throw new ToolError(
      'invalid_arguments',
      'JavaScript processes can be found by their ID on Linux only.',
      'Start the program with node --inspect, and attach to its port.',
    )
  await checkIsNode(processId)
  const open = await inspectorPort(processId)
  if (open !== undefined) return open
  process.kill(processId, 'SIGUSR1')
  for (const end = performance.now() + openTimeout; performance.now() < end;) {
    signal.throwIfAborted()
    const port = await inspectorPort(processId)
    if (port !== undefined) return port
    await sleep(openInterval)
  }
  throw new ToolError(
    'timeout',
    `Process ${processId} did not open a port for debuggers within ${openTimeout / 1000} s.`,
    'Another program may use port 9229. Start the program with node --inspect=0, and attach to its port.',
  )
}

/** The signal that opens the port of Node.js ends other programs. */
async function checkIsNode(processId: number): Promise<void> {
  const file = await readlink(`/proc/${processId}/exe`).catch(() => undefined)
  if (file === undefined)
    throw new ToolError('not_found', `You have no process with the ID ${processId}.`, 'Enter another process ID.')
  const name = path.basename(file)
  if (/^(?:node|nodejs|electron)(?:$|\W)/.test(name)) return
  throw new ToolError(
    'invalid_arguments',
    `Process ${processId} runs ${name}, not Node.js.`,
    'Choose the debugger of its language, or enter another process ID.',
  )
}

async function inspectorPort(processId: number): Promise<number | undefined> {
  for (const port of await portsOf(processId)) if ((await isInspector(port)) === true) return port
  return undefined
}

/** Ports on which the process itself listens. */
async function portsOf(processId: number): Promise<number[]> {
  const [own, sockets] = await Promise.all([
    openSockets(processId).catch(() => new Set<string>()),
    listeningSockets(processId),
  ])
  return sockets.flatMap(({ table, inode, port }) => (table === 'tcp' && own.has(inode) ? [port] : []))
}
