import { ToolError } from '../../../shared/errors.ts'
import type { RemoteHost } from '../../../shared/remote/remote.ts'
import { shellCommand, type RemoteProgram } from './remoteShell.ts'

/** How a host is reached. */
type Place =
  | { kind: 'ssh'; destination: string; port: string | undefined }
  | { kind: 'docker'; container: string }
  | { kind: 'wsl'; distribution: string }

const docker = /^docker:([a-z\d][\w.-]*)$/i
const wsl = /^wsl:(\w[\w .-]*)$/i
/** No part can begin with a dash, which would be an option, or have characters that a `ProxyCommand` would run. */
const ssh = /^(?:ssh:\/\/)?((?:[a-z\d_][\w.+-]*@)?(?:[a-z\d_][\w.-]*|\[[a-f\d:.]+(?:%\w+)?\]))(?::(\d{1,5}))?\/?$/i

function parse(address: string): Place {
  const container = docker.exec(address)?.[1]
  if (container !== undefined) return { kind: 'docker', container }
  const distribution = wsl.exec(address)?.[1]
  if (distribution !== undefined) return { kind: 'wsl', distribution }
  const [, destination, port] = ssh.exec(address) ?? []
  if (destination === undefined)
    throw new ToolError(
      'invalid_arguments',
      `"${address}" is not the name of a host.`,
      'Type user@host, user@host:port, docker:CONTAINER or wsl:DISTRIBUTION.',
    )
  // ssh takes an IPv6 address without brackets.
  return { kind: 'ssh', destination: destination.replaceAll(/[[\]]/g, ''), port }
}

/** Returns the host of an address that the user has typed. @throws ToolError if it is none */
export function hostOf(typed: string): RemoteHost {
  const address = typed.trim()
  const place = parse(address)
  if (place.kind === 'docker') return { address, label: `Container: ${place.container}` }
  if (place.kind === 'wsl') return { address, label: `WSL: ${place.distribution}` }
  return {
    address,
    label: `SSH: ${place.port === undefined ? place.destination : `${place.destination}:${place.port}`}`,
  }
}

/** Whether "Connect to host…" can connect to an entry of the SSH configuration. */
export const isSshAddress = (name: string): boolean => ssh.test(name)

/**
 * Returns the program that runs `shellCommand` on a host.
 * @param environment variables for the prompts of ssh
 */
export function programFor(address: string, environment: Readonly<Record<string, string>>): RemoteProgram {
  const place = parse(address)
  if (place.kind === 'docker')
    return { file: 'docker', args: ['exec', '-i', place.container, '/bin/sh', '-c', shellOnly] }
  if (place.kind === 'wsl')
    return { file: 'wsl.exe', args: ['-d', place.distribution, '--exec', '/bin/sh', '-c', shellOnly] }
  const config = process.env['TIZONA_SSH_CONFIG']
  return {
    file: 'ssh',
    env: { ...process.env, ...environment },
    args: [
      ...(config ? ['-F', config] : []),
      ...(place.port === undefined ? [] : ['-p', place.port]),
      '-T',
      ...sshOptions.flatMap((option) => ['-o', option]),
      '--',
      place.destination,
      shellCommand,
    ],
  }
}

/** The script of `shellCommand`, for programs that need no quotes. */
const shellOnly = 'while IFS= read -r s; do eval "$s"; done'

/** They hold for this connection, and leave jump hosts, agents, keys and `ControlMaster` to the user's configuration. */
const sshOptions = [
  'RemoteCommand=none',
  'ConnectTimeout=20',
  'ServerAliveInterval=5',
  'ServerAliveCountMax=3',
  // A second window of a host cannot bind the ports of `LocalForward` again.
  'ExitOnForwardFailure=no',
]
