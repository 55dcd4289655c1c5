import { access, constants, readFile } from 'node:fs/promises'
import type { SandboxState } from '../../../shared/commands/sandbox.ts'
import { runProgram } from '../../base/startProcess.ts'
import { bubblewrapArguments } from './bubblewrapArguments.ts'
import { systemMounts } from './systemFolders.ts'

/** Locations of the program. PATH is not searched, because a folder on it can belong to a workspace. */
const bubblewrapPlaces = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap', '/run/current-system/sw/bin/bwrap']
const seatbeltProgram = '/usr/bin/sandbox-exec'
/** Starting a process takes milliseconds, or seconds on a busy machine. */
const timeout = 20_000

export interface SandboxProgram {
  state: SandboxState
  /** Absolute path, if the sandbox is available. */
  program?: string
}

/** Checks whether commands can be sandboxed on this machine by starting a program in a sandbox. Never rejects. */
export async function probeSandbox(platform: NodeJS.Platform = process.platform): Promise<SandboxProgram> {
  if (platform === 'linux') return probeBubblewrap()
  if (platform === 'darwin') return probeSeatbelt()
  if (platform === 'win32') {
    return unavailable(
      'Tizona has no sandbox on Windows',
      'Run Tizona in WSL 2, where commands are sandboxed with bubblewrap.',
    )
  }
  return unavailable(`Tizona has no sandbox on ${platform}`, '')
}

async function probeBubblewrap(): Promise<SandboxProgram> {
  const program = await firstExecutable(bubblewrapPlaces)
  if (program === undefined) {
    const hint = 'Install it, for example with sudo apt install bubblewrap, then restart Tizona.'
    return unavailable('bubblewrap is not installed', hint)
  }
  try {
    const layout = { mounts: await systemMounts(false), network: false, cwd: '/' }
    await runProgram(program, [...bubblewrapArguments(layout), '--', '/bin/sh', '-c', ':'], { timeout })
    return { state: { kind: 'available', program: 'bubblewrap' }, program }
  } catch (error) {
    const text = error instanceof Error ? ('stderr' in error && String(error.stderr)) || error.message : String(error)
    const restricted = await readFile('/proc/sys/kernel/apparmor_restrict_unprivileged_userns', 'utf8').catch(() => '0')
    return { state: bubblewrapProblem(text, restricted.trim() === '1') }
  }
}

async function probeSeatbelt(): Promise<SandboxProgram> {
  try {
    await runProgram(seatbeltProgram, ['-p', '(version 1)(allow default)', '/usr/bin/true'], { timeout })
    return { state: { kind: 'available', program: 'sandbox-exec' }, program: seatbeltProgram }
  } catch (error) {
    return unavailable(`sandbox-exec does not start: ${error instanceof Error ? error.message : String(error)}`, '')
  }
}

/** Explains why bubblewrap does not start. @param appArmor whether AppArmor restricts user namespaces */
export function bubblewrapProblem(output: string, appArmor: boolean): SandboxState {
  const line = (/^bwrap: (.*)$/m.exec(output)?.[1] ?? output.split('\n')[0] ?? '').slice(0, 300)
  if (appArmor && /permission denied|not permitted/i.test(line)) {
    const hint =
      'Install the AppArmor profile of bubblewrap (package apparmor-profiles, file bwrap-userns-restrict), then restart Tizona.'
    return problem('AppArmor forbids user namespaces', hint)
  }
  if (/proc/i.test(line) && /mount|not permitted/i.test(line)) {
    const hint = 'The container that Tizona runs in may isolate commands sufficiently. Otherwise run Tizona outside it.'
    return problem('this container does not allow mounting /proc', hint)
  }
  if (/namespace|uid map|setting up|not permitted|loopback|no permissions/i.test(line)) {
    const hint =
      'Allow user namespaces: sysctl kernel.unprivileged_userns_clone=1 and user.max_user_namespaces above 0. A container needs a seccomp profile that allows them.'
    return problem('this machine or container forbids user namespaces', hint)
  }
  return problem(`bubblewrap does not start: ${line}`, '')
}

function problem(reason: string, hint: string): SandboxState {
  return { kind: 'unavailable', reason, hint }
}

function unavailable(reason: string, hint: string): SandboxProgram {
  return { state: problem(reason, hint) }
}

async function firstExecutable(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) {
    const found = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (found) return file
  }
  return undefined
}
