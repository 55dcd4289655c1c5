import { randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { isAbort, ToolError } from '../../../shared/errors.ts'
import type { RemoteHost } from '../../../shared/remote/remote.ts'
import { HostEnded, startRemoteShell, type RemoteProgram, type RemoteShell } from './remoteShell.ts'
import { bundleFor, type ServerBundle } from './serverBundles.ts'

export interface ReachHostOptions {
  host: RemoteHost
  program: RemoteProgram
  /** Folder of the bundles of this installation. */
  bundles: string
  /** Ends the attempt. */
  signal: AbortSignal
  /** Called with what takes long. */
  onProgress?(text: string): void
}

/**
 * Connects to the server of Tizona on a host. Brings it there if the host does not have it, and starts it if it does
 * not run. The host needs a POSIX shell, `tar`, `gzip` and a program for SHA-256, and no network.
 *
 * @returns the stream to the server
 * @throws ToolError that names what is missing
 */
export async function reachHost(options: ReachHostOptions): Promise<Duplex> {
  const { host, program, signal, bundles } = options
  const shell = startRemoteShell(program, signal)
  try {
    const [, system = '', machine = '', library = '', home = ''] = await shell.run(probeScript)
    if (home === '')
      throw new ToolError('not_found', `The user has no home folder on ${host.label}.`, 'Create one, or set HOME.')
    const bundle = await bundleFor(bundles, host.label, { system, machine, library })
    const [, installed] = await shell.run(findScript(bundle.build))
    if (installed !== 'yes') await install(shell, bundle, options)
    return await startRelay(shell, bundle, options)
  } catch (error) {
    shell.end()
    throw connectFailure(host, error)
  }
}

/** Passes bytes on to the server. Installs it again once if it cannot start, because files of it may be missing. */
async function startRelay(shell: RemoteShell, bundle: ServerBundle, options: ReachHostOptions): Promise<Duplex> {
  for (let isRepaired = false; ; isRepaired = true) {
    const [, code] = await shell.run(relayScript)
    if (code === undefined) return shell.takeOver()
    if (isRepaired || code === ownFailure || Number(code) >= killed)
      throw new ToolError(
        'io_error',
        `The server of Tizona on ${options.host.label} could not start: ${lastLine(shell.errorText())}`,
        'Free memory and disk space there, then connect again.',
        { detail: shell.errorText() },
      )
    await shell.run(`mv "$F" "$S/.part-${randomBytes(6).toString('hex')}"; printf '%s|moved\\n' "$M"`)
    await install(shell, bundle, options)
  }
}

/** Exit code of the relay for failures that a new installation would not mend. */
const ownFailure = '3'
/** Exit codes of a relay that a signal has ended begin here. Other windows may run from its files, so they stay. */
const killed = 128

const probeScript = [
  `L=$(getconf GNU_LIBC_VERSION 2>/dev/null; ldd --version 2>&1 | head -n 1; ls /lib/ld-musl-* 2>/dev/null);`,
  `L=$(printf '%s' "$L" | tr '|\\n' '  ');`,
  `[ -d "$HOME" ] || HOME=;`,
  `printf '%s|probe|%s|%s|%s|%s\\n' "$M" "$(uname -s)" "$(uname -m)" "$L" "$HOME"`,
].join(' ')

const findScript = (build: string): string =>
  [
    `S="$HOME/.tizona/server"; F="$S/${build}";`,
    `if [ -x "$F/bin/node" ]; then printf '%s|installed|yes\\n' "$M"; else printf '%s|installed|no\\n' "$M"; fi`,
  ].join(' ')

/**
 * Answers with the exit code if the program does not start. Once it has started, which it reports on file descriptor 3,
 * the shell ends with it however it ends: what follows on its input are messages, which are no script.
 */
const relayScript = [
  `{ U=$("$F/bin/node" "$F/out/main/remote.js" relay "$M" 3>&1 >&4 4>&-); R=$?; } 4>&1;`,
  `[ -z "$U" ] || exit; printf '%s|relay|%s\\n' "$M" $R`,
].join(' ')

/**
 * Receives the archive, checks it, unpacks it and runs its program once. Only then it gets its name, so that a cut
 * leaves nothing that could be taken for the server, unless another window was faster. Ends the shell after a failure: bytes of the archive may follow,
 * which are no script.
 */
function installScript({ build, size, sha256 }: ServerBundle): string {
  const part = `.part-${randomBytes(6).toString('hex')}`
  return [
    `umask 077; T="$S/${part}"; R=write;`,
    `if mkdir -p "$T" && head -c ${size} > "$T/bundle"; then`,
    `H=$({ sha256sum "$T/bundle" || shasum -a 256 "$T/bundle" || openssl dgst -sha256 -r "$T/bundle"; } 2>/dev/null | cut -c 1-64);`,
    `if [ -z "$H" ]; then R=unchecked; elif [ "$H" != ${sha256} ]; then R=damaged;`,
    `elif mkdir "$T/files" && tar -xzof "$T/bundle" -C "$T/files"; then`,
    `B=$("$T/files/bin/node" "$T/files/out/main/remote.js" check 2>&1 | tail -n 1 | tr '|' ' ');`,
    `if [ "$B" != ${build} ]; then R="broken|$B"; elif mv -T "$T/files" "$F" 2>/dev/null || [ -x "$F/bin/node" ]; then R=installed; fi;`,
    `else R=unpack; fi; fi;`,
    `rm -rf "$T"; find "$S" -maxdepth 1 -name '.part-*' -mmin +600 -exec rm -rf {} + 2>/dev/null;`,
    `printf '%s|%s\\n' "$M" "$R"; [ "$R" = installed ] || exit 1`,
  ].join(' ')
}

async function install(shell: RemoteShell, bundle: ServerBundle, options: ReachHostOptions): Promise<void> {
  const { host, onProgress } = options
  const megabytes = (bytes: number): number => Math.round(bytes / 1_000_000)
  let sent = 0
  let shown = -1
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      yield* bundle.read()
    } catch (error) {
      throw damagedBundle(bundle, error)
    }
  }
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of read()) {
      yield chunk
      sent += chunk.length
      if (megabytes(sent) === shown) continue
      shown = megabytes(sent)
      onProgress?.(`Copying the server to ${host.label}: ${shown} of ${megabytes(bundle.size)} MB`)
    }
    // The host waits for the rest.
    if (sent !== bundle.size) throw damagedBundle(bundle)
    onProgress?.(`Installing the server on ${host.label}`)
  }
  const [result = '', detail = ''] = await shell.run(installScript(bundle), counted())
  if (result === 'installed') return
  const reason = lastLine(shell.errorText())
  throw installFailure(host, result, detail || reason)
}

function damagedBundle({ path, size }: ServerBundle, cause?: unknown): ToolError {
  return new ToolError(
    'io_error',
    `The server of this installation is damaged: ${path} does not have the expected size (${size}).`,
    'Install Tizona again. In a clone, run: node scripts/serverBundle.mjs',
    { cause },
  )
}

function installFailure({ label }: RemoteHost, result: string, detail: string): ToolError {
  const because = detail === '' ? '' : `: ${detail}`
  if (/no space left|disk quota/i.test(detail))
    return new ToolError(
      'no_space',
      `The server of Tizona could not be copied to ${label}, because its disk is full.`,
      'Free about 400 MB in the home folder there, then connect again.',
    )
  switch (result) {
    case 'damaged':
      return new ToolError(
        'io_error',
        `The server of Tizona arrived damaged on ${label}.`,
        'Nothing was installed. Connect again.',
      )
    case 'unchecked':
      return new ToolError(
        'not_found',
        `${label} has none of the programs sha256sum, shasum and openssl, so the server could not be checked.`,
        'Install one of them there.',
      )
    case 'broken':
      return new ToolError(
        'io_error',
        `The server of Tizona does not run on ${label}${because}`,
        'The home folder may forbid programs (noexec), or a library may be missing.',
      )
    case 'unpack':
      return new ToolError(
        'io_error',
        `The server of Tizona could not be unpacked on ${label}${because}`,
        'The host needs tar and gzip, and about 400 MB in the home folder.',
      )
    default:
      return new ToolError(
        'io_error',
        `The server of Tizona could not be written on ${label}${because}`,
        'Check that you can write to ~/.tizona there.',
      )
  }
}

const lastLine = (text: string): string =>
  text
    .split('\n')
    .findLast((line) => line.trim() !== '')
    ?.trim() ?? ''

/** What ssh, docker and wsl report, and what the user can do about it. */
const knownProblems: readonly [RegExp, string][] = [
  [
    /host key verification failed|host identification has changed/i,
    'Check the key of the host. If it is right, remove the old one from known_hosts with ssh-keygen -R.',
  ],
  [/permission denied/i, 'Check the user name, and that your key is in the agent or named in the SSH configuration.'],
  [/could not resolve|name or service not known/i, 'Check the name of the host.'],
  [/connection refused/i, 'Check that an SSH server runs there, and its port.'],
  [/timed out|no route|unreachable/i, 'Check the network, and that the host is running.'],
  [/no such container|is not running/i, 'Start the container.'],
  [/no distribution/i, 'Run wsl.exe --list to see the names.'],
]

/** Converts an error to one that says what the user can do. */
function connectFailure({ label }: RemoteHost, error: unknown): unknown {
  if (!(error instanceof HostEnded) || isAbort(error)) return error
  const text = error.message
  const reason = lastLine(text)
  const next = knownProblems.find(([pattern]) => pattern.test(text))?.[1]
  return new ToolError(
    'network_error',
    reason === '' ? `${label} ended the connection without a reason.` : `${label} could not be reached: ${reason}`,
    next ?? 'Check that you can connect with the same name in a terminal.',
    { detail: text },
  )
}
