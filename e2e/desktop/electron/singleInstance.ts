import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

type Heard = (argv: string[], cwd: string, data: unknown) => void

/** Files that this process removes at its end: its lock and its socket. */
let held: string[] = []

/** Maximum length of a socket's path in bytes that all systems support. */
const maxSocketPath = 100

/**
 * Returns a path beside the lock, so that it is deleted with the folder; in the temporary folder if that is too long.
 */
function socketOf(userData: string): string {
  const beside = join(userData, 'SingletonSocket')
  if (Buffer.byteLength(beside) <= maxSocketPath) return beside
  return join(tmpdir(), `desktop-harness-${createHash('sha256').update(userData).digest('hex').slice(0, 16)}.sock`)
}
const lockOf = (userData: string): string => join(userData, 'SingletonLock')

/**
 * Acquires the lock of a user data folder unless a running process has it.
 * @param hear called with data of later instances
 */
export function holdLock(userData: string, hear: Heard): boolean {
  const lock = lockOf(userData)
  if (holderLives(lock)) return false
  writeFileSync(lock, String(process.pid))
  const socket = socketOf(userData)
  held = [lock, socket]
  rmSync(socket, { force: true })
  const server = createServer((connection) => {
    text(connection)
      .then((message) => {
        const { argv, cwd, data } = JSON.parse(message) as { argv: string[]; cwd: string; data: unknown }
        hear(argv, cwd, data)
      })
      .catch((error: unknown) => console.error('The message of a second instance could not be read:', error))
  })
  server.listen(socket)
  server.unref()
  return true
}

/** Sends the arguments of this process to the process that has the lock. */
export function handOver(userData: string, data: unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    const connection = connect(socketOf(userData), () =>
      connection.end(JSON.stringify({ argv: process.argv, cwd: process.cwd(), data })),
    )
    connection.once('close', () => resolve())
    connection.once('error', reject)
  })
}

export function releaseLock(): void {
  for (const file of held) rmSync(file, { force: true })
  held = []
}

function holderLives(lock: string): boolean {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0)
    return true
  } catch {
    // There is no lock, or its process has ended.
    return false
  }
}
