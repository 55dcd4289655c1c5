import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Peer, RunPlace } from './peers.ts'

/** A running agent. */
export interface StartedPeer {
  pid: number
  /** Resolves with the end of its error output when it exits. */
  ended: Promise<string>
}

/**
 * Starts an agent in its own environment.
 * @param timeout time limit of the run in milliseconds
 * @param onStart called immediately before the process starts
 */
export async function startPeer(
  peer: Peer,
  place: RunPlace,
  timeout: number,
  onStart?: () => void,
): Promise<StartedPeer> {
  await mkdir(place.home, { recursive: true })
  await peer.prepare?.(place)
  const { args, env } = peer.command(place)
  onStart?.()
  const child = spawn(process.execPath, args, {
    cwd: place.workspace,
    env: {
      PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
      LANG: 'C.UTF-8',
      HOME: place.home,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout,
  })
  const said: Buffer[] = []
  child.stdout.resume()
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk))
  const ended = once(child, 'close').then(() => Buffer.concat(said).toString('utf8').slice(-300))
  return { pid: child.pid ?? 0, ended }
}
