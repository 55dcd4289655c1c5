import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { findProgramByName } from '../../../base/programSearch.ts'

const sshd = findProgramByName('sshd', `${process.env['PATH']}:/usr/sbin`)
/** A program that these tests need and this machine does not have. */
export const missingSshProgram =
  sshd === undefined
    ? 'sshd'
    : ['ssh', 'ssh-keygen'].find((name) => findProgramByName(name, process.env['PATH'] ?? '') === undefined)

/** An OpenSSH server on loopback with keys and a home folder of its own. */
export interface SshServer {
  /** Configuration for ssh, with the hosts `box` and those of `addHost`. */
  config: string
  /** Home folder of the user on the host. */
  home: string
  folder: string
  /** Id of the process that listens. */
  pid: number | undefined
  /** Adds a host with further lines of ssh_config. */
  addHost(name: string, lines: readonly string[]): Promise<void>
  /** Breaks all connections, as a network does. */
  cut(): void
  /** Adds a host behind a `ProxyCommand` that holds every chunk this many milliseconds, in each direction. */
  addSlowHost(name: string, milliseconds: number): Promise<void>
  /** Loses all bytes while true, as after a suspend. Connections stay open. */
  freeze(frozen: boolean): void
  /** Refuses new connections while true. */
  isDown: boolean
  /** Number of connections so far. */
  connections(): number
  stop(): Promise<void>
}

/** @param passphrase of the user's key; none: the key is not protected */
export async function startSshServer(passphrase = ''): Promise<SshServer> {
  const folder = await mkdtemp(join(tmpdir(), 'tizona-ssh-'))
  const home = join(folder, 'home')
  await mkdir(home)
  const key = (name: string, secret: string) =>
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', secret, '-f', join(folder, name)])
  key('host_key', '')
  key('user_key', passphrase)
  execFileSync('cp', [join(folder, 'user_key.pub'), join(folder, 'authorized_keys')])
  const shell = join(folder, 'shell')
  // What sshd does with the user's own login shell, which belongs to the machine.
  await writeFile(
    shell,
    '#!/bin/sh\n[ -z "$TIZONA_NOISE" ] || eval "$TIZONA_NOISE"\nexec "${TIZONA_SHELL:-/bin/sh}" -c "$SSH_ORIGINAL_COMMAND"\n',
  )
  await chmod(shell, 0o755)
  const port = await freePort()
  await writeFile(
    join(folder, 'sshd_config'),
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${folder}/host_key`,
      `PidFile ${folder}/sshd.pid`,
      `AuthorizedKeysFile ${folder}/authorized_keys`,
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin yes',
      'MaxStartups 100',
      'AcceptEnv TIZONA_*',
      `SetEnv HOME=${home} TIZONA_USER_DATA=${home}/data TIZONA_SERVER_IDLE_MS=4000`,
      `ForceCommand ${shell}`,
    ].join('\n'),
  )
  if (sshd === undefined) throw new Error('sshd is missing.')
  await mkdir('/run/sshd', { recursive: true }).catch(() => undefined)
  const child = spawn(sshd, ['-D', '-e', '-f', join(folder, 'sshd_config')], { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  const listening = new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      log += String(chunk)
      if (log.includes('Server listening')) resolve()
    })
    child.once('exit', () => reject(new Error(`sshd ended: ${log}`)))
  })
  await listening
  const line = await startLine(port)
  const config = join(folder, 'config')
  const known = join(folder, 'known_hosts')
  const [type = '', value = ''] = execFileSync('ssh-keygen', ['-y', '-f', join(folder, 'host_key')], {
    encoding: 'utf8',
  }).split(' ')
  await writeFile(known, `[127.0.0.1]:${line.port} ${type} ${value}\n`)
  const hosts: string[] = []
  const server: SshServer = {
    config,
    home,
    folder,
    pid: child.pid,
    async addHost(name, lines) {
      const defaults = [
        'HostName 127.0.0.1',
        `Port ${line.port}`,
        `User ${userInfo().username}`,
        ...(lines.some((each) => each.startsWith('IdentityFile')) ? [] : [`IdentityFile ${folder}/user_key`]),
        'IdentitiesOnly yes',
        'IdentityAgent none',
        `UserKnownHostsFile ${known}`,
        'GlobalKnownHostsFile /dev/null',
      ]
      hosts.push([`Host ${name}`, ...lines, ...defaults].join('\n  '))
      await writeFile(config, `${hosts.join('\n')}\n`)
    },
    cut: line.cut,
    async addSlowHost(name, milliseconds) {
      const proxy = join(folder, 'slow.mjs')
      await writeFile(proxy, slowProxy)
      await server.addHost(name, [`ProxyCommand ${process.execPath} ${proxy} %h %p ${milliseconds}`])
    },
    freeze: line.setFrozen,
    get isDown() {
      return line.isDown()
    },
    set isDown(down) {
      line.setDown(down)
    },
    connections: line.connections,
    async stop() {
      line.stop()
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  await server.addHost('box', [])
  return server
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}

/** Passes bytes on after a pause. */
const slowProxy = `import { connect } from 'node:net'
const [, , host, port, pause] = process.argv
const socket = connect(Number(port), host)
socket.setNoDelay(true)
const hold = (from, into) => {
  from.on('data', (chunk) => setTimeout(() => into.write(chunk), Number(pause)))
  from.on('close', () => setTimeout(() => process.exit(), Number(pause)))
  from.on('error', () => process.exit(1))
}
hold(process.stdin, socket)
hold(socket, process.stdout)
`

/** A network between ssh and sshd, which the test cuts and freezes. */
async function startLine(to: number) {
  const sockets = new Set<Socket>()
  let down = false
  let frozen = false
  let connections = 0
  const pass = (from: Socket, into: Socket): void => {
    from.on('data', (chunk: Buffer) => frozen || into.write(chunk))
    from.on('end', () => into.end())
    from.on('error', () => into.destroy())
    from.on('close', () => into.destroy())
  }
  const server = createServer((client) => {
    if (down) return void client.resetAndDestroy()
    connections += 1
    const upstream = connect(to, '127.0.0.1')
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true)
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    }
    pass(client, upstream)
    pass(upstream, client)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (): void => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    setFrozen: (isFrozen: boolean) => (frozen = isFrozen),
    isDown: () => down,
    setDown: (isDown: boolean) => (down = isDown),
    connections: () => connections,
    stop() {
      cut()
      server.close()
    },
  }
}
