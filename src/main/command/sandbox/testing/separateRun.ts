import { execFile } from 'node:child_process'
import { chmod, chown, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { CommandOutcome } from '../../commandTypes.ts'
import type { CommandLimits } from '../cgroupLimits.ts'

const run = promisify(execFile)
/** nobody */
const unprivileged = 65_534

/**
 * Runs a sandboxed command in a separate process, in the new folder `ws` of `base`. If it hangs, killing the process
 * ends the sandbox.
 * @param user of the process; root can become an ordinary user
 */
export async function runSeparately(
  base: string,
  command: string,
  { limits, user, network = false }: { limits?: CommandLimits; user: 'same' | 'ordinary'; network?: boolean },
): Promise<CommandOutcome & { ms: number }> {
  const source = (file: string) => JSON.stringify(pathToFileURL(path.join(import.meta.dirname, '..', file)).href)
  const script = `
    const { createJobs } = await import(${source('../jobs.ts')})
    const { createScanner } = await import(${source('folderScan.ts')})
    const { createSandbox } = await import(${source('sandbox.ts')})
    const { probeSandbox } = await import(${source('sandboxProbe.ts')})
    const limits = ${limits === undefined ? 'undefined' : `() => (${JSON.stringify(limits)})`}
    const base = ${JSON.stringify(base)}
    const jobs = createJobs({ workspaceRoot: base + '/ws', onChanged() {}, onOutput() {}, limits, environment: { PATH: '/usr/bin:/bin', HOME: base + '/home' },
      sandbox: createSandbox({ probe: () => probeSandbox(), workspace: { root: base + '/ws' }, home: base + '/home', userData: base + '/data', enabled: () => true, limits, scanner: createScanner(base + '/ws', { isProtected: () => false, isSecret: () => false }) }) })
    const started = performance.now()
    const outcome = await jobs.run({ run: { command: ${JSON.stringify(command)} }, cwd: base + '/ws', timeoutMs: 30000, sandbox: { sandboxed: true, network: ${network} } }, new AbortController().signal)
    console.log(JSON.stringify({ ...outcome, ms: performance.now() - started }))
    await jobs.dispose()
  `
  for (const name of ['ws', 'home', 'data']) await mkdir(path.join(base, name))
  const other = user === 'ordinary' && process.getuid?.() === 0
  if (other)
    for (const name of ['.', 'ws', 'home', 'data']) await chown(path.join(base, name), unprivileged, unprivileged)
  await chmod(base, 0o755)
  const { stdout } = await run(process.execPath, ['--input-type=module', '--no-warnings', '-e', script], {
    timeout: 60_000,
    killSignal: 'SIGKILL',
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', HOME: path.join(base, 'home') },
    ...(other ? { uid: unprivileged, gid: unprivileged } : {}),
  })
  return JSON.parse(stdout) as CommandOutcome & { ms: number }
}
