import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { userDataFolder } from '../installation.ts'

/** Maximum length of a socket's path in bytes on Linux. */
const maxSocketPath = 107

/**
 * Returns the path of the server's socket. Machines that share a home folder have different ones, and so have versions
 * and data folders.
 *
 * @param home folder that only the user can enter
 * @param build id of the build that serves
 * @throws Error if the path would be too long for a socket
 */
export function serverAddress(home: string, build: string): string {
  const id = createHash('sha256').update(`${hostname()}\0${build}\0${userDataFolder()}`).digest('hex').slice(0, 12)
  const address = join(home, `${id}.sock`)
  // Room for the suffix while the server starts.
  if (Buffer.byteLength(address) + 20 > maxSocketPath)
    throw new Error(`The path ${address} is too long for a socket. The home folder needs a shorter path.`)
  return address
}
