import { listeningSockets } from '../../base/listeningSockets.ts'
import type { CommandSandbox, SandboxDenial } from '../../../shared/commands/sandbox.ts'

/** Output of a sandboxed command that failed. */
export interface FailedCommand {
  output: string
  sandbox: CommandSandbox
  /** Paths named in the output that exist but are hidden in the sandbox. */
  hidden: readonly string[]
}

/** Only the end of long output is checked, in UTF-16 units. */
const maxChecked = 64 * 1024

const startFailure = /^bwrap: (.{1,300})/m
const readOnly = /read-only file ?system|\bEROFS\b|os error 30\b/i
/** A folder that contains a mount cannot be moved or removed. */
const mounted = /\bEBUSY\b|(?:device or resource|resource) busy|os error 16\b/i
const elevated = /no new privileges|must be setuid root|effective uid is not 0|sudo: .{0,80}nosuid/i
const namespaces = /no usable sandbox!|creating new namespace failed|unshare(?: failed)?: operation not permitted/i
const service =
  /cannot connect to the docker daemon|failed to connect to (?:the )?(?:system |session )?bus|could not connect to (?:the )?display|cannot open display/i
const network = new RegExp(
  [
    'could not resolve (?:host|proxy)',
    'temporary failure in name resolution',
    'name or service not known',
    'getaddrinfo',
    'EAI_AGAIN|ENETUNREACH|ENOTFOUND',
    'network is unreachable',
    'no such host',
    'failed to lookup address',
    'dns error',
    'couldn.t connect to server',
    'NewConnectionError',
    'nodename nor servname',
    'no address associated with hostname',
    'unable to access .{0,200}(?:could not resolve|failed to connect)',
  ].join('|'),
  'i',
)
const refused = /ECONNREFUSED|connection refused/i

/**
 * Returns what the sandbox blocked if that made a command fail. Commands control their output, so this only offers to
 * run them again, which needs approval.
 */
export function recognizeDenial({ output, sandbox, hidden }: FailedCommand): SandboxDenial | undefined {
  if (!sandbox.sandboxed) return undefined
  const text = output.slice(-maxChecked)
  const start = startFailure.exec(text)?.[1]
  if (start !== undefined)
    return { kind: 'start', message: `The sandbox could not be started: ${start.trim()}`, retry: 'outside' }
  if (!sandbox.network && network.test(text))
    return { kind: 'network', message: 'The sandbox has no network, which the command needs.', retry: 'network' }
  if (!sandbox.network && refused.test(text)) {
    const message = 'The sandbox has no network, so the command cannot reach servers on this machine.'
    return { kind: 'network', message, retry: 'network' }
  }
  if (readOnly.test(text)) {
    const message = 'The sandbox allows changes only in the workspace, except in its protected paths.'
    return { kind: 'files', message, retry: 'outside' }
  }
  if (mounted.test(text)) {
    const message = 'The sandbox does not allow the command to move or remove folders with protected or secret files.'
    return { kind: 'files', message, retry: 'outside' }
  }
  if (hidden.length > 0)
    return { kind: 'files', message: `The sandbox hides ${hidden.slice(0, 3).join(', ')}.`, retry: 'outside' }
  if (elevated.test(text))
    return {
      kind: 'files',
      message: 'The sandbox does not allow the command to become another user.',
      retry: 'outside',
    }
  if (namespaces.test(text))
    return {
      kind: 'files',
      message: 'The sandbox does not allow the command to create its own sandbox. Start browsers with --no-sandbox.',
      retry: 'outside',
    }
  if (service.test(text))
    return { kind: 'files', message: 'The sandbox hides the services on this machine.', retry: 'outside' }
  return undefined
}

/** Returns up to 20 absolute paths that the output reports as missing or forbidden. */
export function missingPaths(output: string): string[] {
  const found = new Set<string>()
  for (const line of output.slice(-maxChecked).split('\n')) {
    if (!/no such file|ENOENT|not found|cannot (?:open|access|find)|does not exist/i.test(line)) continue
    // Limited, because a line can be long.
    for (const [, file] of line.slice(0, 2000).matchAll(/(?:^|[\s'"`(=:])(\/[^\s'"`:,;()]{1,500})/g))
      if (file !== undefined && found.size < 20) found.add(file)
  }
  return [...found]
}

/** Returns the TCP ports on which processes in a process's network namespace listen. Linux only. */
export async function listeningPorts(pid: number): Promise<number[]> {
  const ports = (await listeningSockets(pid)).map(({ port }) => port)
  return [...new Set(ports)].toSorted((a, b) => a - b)
}
