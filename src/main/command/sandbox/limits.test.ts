import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, readFile, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createCgroup } from './cgroupLimits.ts'
import { probeSandbox } from './sandboxProbe.ts'

const run = promisify(execFile)
const probed = await probeSandbox()
/** nobody */
const unprivileged = 65_534

let base: string
beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), 'tizona-limits-')))
})
afterEach(() => rm(base, { recursive: true, force: true }))

/**
 * Runs a command in a separate process, as an unprivileged user if possible. If it hangs, killing the process ends the
 * sandbox.
 */
async function runLimited(
  command: string,
  limits: { processes: number; memory: number },
): Promise<{ job: unknown; ms: number }> {
  const source = (file: string) => JSON.stringify(pathToFileURL(path.join(import.meta.dirname, file)).href)
  const script = `
    const { createJobs } = await import(${source('../jobs.ts')})
    const { createScanner } = await import(${source('folderScan.ts')})
    const { createSandbox } = await import(${source('sandbox.ts')})
    const { probeSandbox } = await import(${source('sandboxProbe.ts')})
    const limits = () => (${JSON.stringify(limits)})
    const base = ${JSON.stringify(base)}
    const jobs = createJobs({ workspaceRoot: base + '/ws', onChanged() {}, onOutput() {}, limits, environment: { PATH: '/usr/bin:/bin', HOME: base + '/home' },
      sandbox: createSandbox({ probe: () => probeSandbox(), workspaceRoot: base + '/ws', home: base + '/home', userData: base + '/data', enabled: () => true, limits, scanner: createScanner(base + '/ws', { isProtected: () => false, isSecret: () => false }) }) })
    const started = performance.now()
    const { job } = await jobs.run({ run: { command: ${JSON.stringify(command)} }, cwd: base + '/ws', timeoutMs: 30000 }, new AbortController().signal)
    console.log(JSON.stringify({ job, ms: performance.now() - started }))
    await jobs.dispose()
  `
  for (const name of ['ws', 'home', 'data']) await mkdir(path.join(base, name))
  const isRoot = process.getuid?.() === 0
  if (isRoot)
    for (const name of ['.', 'ws', 'home', 'data']) await chown(path.join(base, name), unprivileged, unprivileged)
  await chmod(base, 0o755)
  const { stdout } = await run(process.execPath, ['--input-type=module', '--no-warnings', '-e', script], {
    timeout: 60_000,
    killSignal: 'SIGKILL',
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', HOME: path.join(base, 'home') },
    ...(isRoot ? { uid: unprivileged, gid: unprivileged } : {}),
  })
  return JSON.parse(stdout) as { job: unknown; ms: number }
}

it('a fork bomb ends, and nothing of it remains', async ({ skip }) => {
  if (probed.program === undefined || process.platform !== 'linux') skip('no sandbox on this machine')
  const name = `bomb${process.pid}`
  const { job } = await runLimited(`${name}() { ${name} | ${name} & }; ${name}; sleep 25`, {
    processes: 64,
    memory: 2 ** 40,
  })
  expect(job).toMatchObject({ state: 'killed', endedBy: 'processes', sandbox: { sandboxed: true } })
  await expect.poll(() => withArgument(name)).toBe(0)
})

it('a command that uses too much memory ends', async ({ skip }) => {
  if (probed.program === undefined || process.platform !== 'linux') skip('no sandbox on this machine')
  const { job } = await runLimited('/usr/bin/python3 -c "import time; a = bytearray(400 * 2 ** 20); time.sleep(25)"', {
    processes: 64,
    memory: 100 * 2 ** 20,
  })
  expect(job).toMatchObject({ state: 'killed', endedBy: 'memory' })
})

it('a cgroup gets the limits if one can be created, and is removed', async () => {
  const slice = path.join(base, 'user', 'app.slice')
  await mkdir(path.join(slice, 'tizona.scope'), { recursive: true })
  await writeFile(path.join(slice, 'cgroup.subtree_control'), 'cpu memory pids\n')
  const own = path.join(base, 'own')
  await writeFile(own, '1:name=systemd:/\n0::/user/app.slice/tizona.scope\n')
  const group = await createCgroup({ processes: 100, memory: 5000 }, base, own)
  const folder = path.dirname(group?.file ?? '')
  expect(path.dirname(folder)).toBe(slice)
  expect(await readFile(path.join(folder, 'pids.max'), 'utf8')).toBe('400')
  expect(await readFile(path.join(folder, 'memory.max'), 'utf8')).toBe('5000')
  // The files of a real cgroup do not keep it from being removed.
  for (const file of await readdir(folder)) await rm(path.join(folder, file))
  await group?.remove()
  expect((await readdir(slice)).toSorted()).toEqual(['cgroup.subtree_control', 'tizona.scope'])
})

it('no cgroup is created if its limits would have no effect', async () => {
  await mkdir(path.join(base, 'user'))
  await writeFile(path.join(base, 'user', 'cgroup.subtree_control'), 'cpu\n')
  await writeFile(path.join(base, 'own'), '0::/user/tizona.scope\n')
  expect(await createCgroup({ processes: 1, memory: 1 }, base, path.join(base, 'own'))).toBeUndefined()
})

/** Number of processes with a text in their command line, excluding this one. */
async function withArgument(text: string): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return lines.filter((line) => line.includes(text)).length
}
