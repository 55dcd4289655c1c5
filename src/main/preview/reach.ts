import { ToolError } from '../../shared/errors.ts'
import { isInspector } from '../base/inspectorPort.ts'
import type { FolderPorts } from './folderPorts.ts'

export interface ReachDeps {
  /** Ports of the servers of the folder. */
  ports(): Promise<FolderPorts>
  /** Returns a public address of a host. @throws ToolError address_refused if one of its addresses is not public */
  publicAddress(url: URL, signal: AbortSignal): Promise<string>
}

/** Decides where a page may connect. */
export interface Reach {
  /**
   * Allows the host of an address that the user has approved, instead of the one before.
   * @throws ToolError address_refused
   */
  approve(url: URL, signal: AbortSignal): Promise<void>
  /** Allows no other host than this machine, and looks for servers again. */
  forget(): void
  /** Like `forget`, if the main frame of the page goes to an address of another host than the approved one. */
  leave(url: URL): void
  /** Whether a host beyond this machine is allowed. */
  isOpen(): boolean
  /** @param handler called with the host and port that are no longer allowed */
  onRevoked(handler: (target: string) => void): void
  /** Returns the address to connect to. @throws ToolError address_refused */
  allow(host: string, port: number, signal: AbortSignal): Promise<string>
}

/** Milliseconds for which a list of ports is used again, and if it does not have the port. */
const portsMs = 1000
const missMs = 300

const loopbackName = /^(?:localhost|[\w.-]{1,253}\.localhost|127(?:\.\d{1,3}){3}|::1)$/i

export const hostOf = ({ hostname }: URL): string => hostname.replaceAll(/^\[|\]$/g, '')
export const portOf = ({ protocol, port }: URL): number =>
  Number(port || (protocol === 'https:' || protocol === 'wss:' ? 443 : 80))

/** Host and port of an address. */
const targetOf = (url: URL): string => `${hostOf(url)}:${portOf(url)}`

/** Whether an address names this machine. */
export const isLoopback = (url: URL): boolean => loopbackName.test(hostOf(url))

export function createReach(deps: ReachDeps): Reach {
  let approved: string | undefined
  let revoked: (target: string) => void = () => undefined
  let known: { at: number; ports: FolderPorts } | undefined
  let scanning: Promise<FolderPorts> | undefined
  /** Whether programs at ports let others evaluate code in them. */
  const inspectors = new Map<number, boolean>()

  async function portsNow(port: number): Promise<FolderPorts> {
    const age = known === undefined ? Infinity : performance.now() - known.at
    // A page could ask for thousands of ports.
    if (known && age <= (known.ports.has(port) ? portsMs : missMs)) return known.ports
    scanning ??= deps.ports()
    try {
      known = { at: performance.now(), ports: await scanning }
    } finally {
      scanning = undefined
    }
    for (const each of inspectors.keys()) if (!known.ports.has(each)) inspectors.delete(each)
    return known.ports
  }

  async function ownServer(port: number): Promise<string> {
    const address = (await portsNow(port)).get(port)
    if (address === undefined)
      throw new ToolError(
        'address_refused',
        `No program in this folder listens on port ${port}.`,
        'Start the server first, outside the sandbox if the sandbox has no network. Its working directory must be in the folder.',
      )
    const isOpen = inspectors.get(port) ?? (await isInspector(port, address === '::1' ? '[::1]' : address))
    if (isOpen !== undefined) inspectors.set(port, isOpen)
    if (isOpen === true)
      throw new ToolError(
        'address_refused',
        `The program on port ${port} waits for a debugger, which could run any code in it.`,
        'Use the debug tools.',
      )
    return address
  }

  const publicAddress = async (host: string, port: number, signal: AbortSignal): Promise<string> =>
    deps.publicAddress(new URL(`http://${host.includes(':') ? `[${host}]` : host}:${port}`), signal)

  function setApproved(target: string | undefined): void {
    const before = approved
    approved = target
    if (before !== undefined && before !== target) revoked(before)
  }

  function forget(): void {
    setApproved(undefined)
    known = undefined
  }

  return {
    async approve(url, signal) {
      await publicAddress(hostOf(url), portOf(url), signal)
      setApproved(targetOf(url))
    },
    forget,
    leave(url) {
      if (approved !== undefined && approved !== targetOf(url)) forget()
    },
    isOpen: () => approved !== undefined,
    onRevoked(handler) {
      revoked = handler
    },
    async allow(host, port, signal) {
      if (loopbackName.test(host)) return ownServer(port)
      const checkApproved = (): void => {
        if (approved === `${host}:${port}`) return
        throw new ToolError(
          'address_refused',
          `The user has not allowed ${host}.`,
          'If the page needs it, open an address of that host with browser_open, which requires approval.',
        )
      }
      checkApproved()
      const address = await publicAddress(host, port, signal)
      // It may have been revoked meanwhile.
      checkApproved()
      return address
    },
  }
}
