import { mkdir, mkdtemp, readFile, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createCgroup, type CommandLimits } from './cgroupLimits.ts'
import { probeSandbox } from './sandboxProbe.ts'
import { runSeparately } from './testing/separateRun.ts'

const probed = await probeSandbox()

let base: string
beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), 'tizona-limits-')))
})
afterEach(() => rm(base, { recursive: true, force: true }))

const runLimited = (command: string, limits: CommandLimits) =>
  runSeparately(base, command, { limits, user: 'ordinary' })

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
