import { ToolError } from '../../shared/errors.ts'
import type { FolderPorts } from './folderPorts.ts'

export interface ReachDeps {
  /** Ports of the servers of the folder. */
  ports(): Promise<FolderPorts>
  /** Returns a public address of a host. @throws ToolError address_refused if one of its addresses is not public */
  publicAddress(url: URL, signal: AbortSignal): Promise<string>
}

/** Decides where a page may connect. */
export interface Reach {
  /** Allows a host with its port, because the user has approved it. */
  approve(url: URL): void
  /** Returns the address to connect to. @throws ToolError address_refused */
  allow(host: string, port: number, signal: AbortSignal): Promise<string>
}

/** Milliseconds for which a list of ports is used again. */
const portsMs = 1000

const loopbackName = /^(?:localhost|[\w.-]{1,253}\.localhost|127(?:\.\d{1,3}){3}|::1)$/i

export const hostOf = ({ hostname }: URL): string => hostname.replaceAll(/^\[|\]$/g, '')
export const portOf = ({ protocol, port }: URL): number =>
  Number(port || (protocol === 'https:' || protocol === 'wss:' ? 443 : 80))

/** Whether an address names this machine. */
export const isLoopback = (url: URL): boolean => loopbackName.test(hostOf(url))

export function createReach(deps: ReachDeps): Reach {
  const approved = new Set<string>()
  let known: { at: number; ports: FolderPorts } | undefined

  async function portsNow(port: number): Promise<FolderPorts> {
    if (!known?.ports.has(port) || performance.now() - known.at > portsMs)
      known = { at: performance.now(), ports: await deps.ports() }
    return known.ports
  }

  return {
    approve: (url) => void approved.add(`${hostOf(url)}:${portOf(url)}`),
    async allow(host, port, signal) {
      if (loopbackName.test(host)) {
        const address = (await portsNow(port)).get(port)
        if (address !== undefined) return address
        throw new ToolError(
          'address_refused',
          `No program of this folder listens at port ${port}.`,
          'Start the server of the folder first, outside the sandbox if it has no network. Its working directory must be in the folder.',
        )
      }
      if (!approved.has(`${host}:${port}`))
        throw new ToolError(
          'address_refused',
          `The user has not allowed ${host}.`,
          'If the page needs it, open an address of that host with browser_open, which asks the user.',
        )
      return deps.publicAddress(new URL(`http://${host.includes(':') ? `[${host}]` : host}:${port}`), signal)
    },
  }
}
