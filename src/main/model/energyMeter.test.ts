import { chmod, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { writeTree } from '../tools/testing/toolContext.ts'
import { createEnergyMeter } from './energyMeter.ts'

// Counters and programs of machines that have them, as files.

let folder: string
beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'tizona-energy-')))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const counter = (name: string, value: number) => ({
  name: `${name}\n`,
  energy_uj: `${value}\n`,
  max_energy_range_uj: '262143328850\n',
})

async function writeZones(zones: Record<string, ReturnType<typeof counter>>): Promise<void> {
  await writeTree(
    folder,
    Object.fromEntries(
      Object.entries(zones).flatMap(([zone, files]) =>
        Object.entries(files).map(([file, text]) => [`powercap/${zone}/${file}`, text]),
      ),
    ),
  )
}

const meter = (more: Partial<NonNullable<Parameters<typeof createEnergyMeter>[0]>> = {}) =>
  createEnergyMeter({ powercap: path.join(folder, 'powercap'), environment: { PATH: '' }, ...more })

it('adds up processors and memory, without parts of processors, and only while it is resumed', async () => {
  const zones = (joules: number) => ({
    'intel-rapl:0': counter('package-0', joules * 1e6),
    'intel-rapl:0:0': counter('core', joules * 9e6),
    'intel-rapl:0:1': counter('dram', joules * 1e5),
    'intel-rapl:1': counter('package-1', joules * 1e6),
    'intel-rapl:2': counter('psys', joules * 9e6),
  })
  await writeZones(zones(100))
  const energy = meter()
  await energy.resume()
  await energy.pause()
  await writeZones(zones(200))
  await energy.resume()
  await writeZones(zones(1200))
  await energy.pause()
  await writeZones(zones(9000))
  const found = await energy.close()
  expect(found?.of).toEqual(['processor'])
  // 1,000 J of each processor and 100 J of memory.
  expect(found?.wattHours).toBeCloseTo(2100 / 3600, 6)
})

it('goes on when a counter overflows', async () => {
  await writeZones({ 'intel-rapl:0': counter('package-0', 262_143_000_000) })
  const energy = meter()
  await energy.resume()
  await writeZones({ 'intel-rapl:0': counter('package-0', 359_671_150) })
  expect((await energy.close())?.wattHours).toBeCloseTo(360 / 3600, 6)
})

it('measures graphics cards by their power', async () => {
  // Two cards, one of which does not tell.
  const program = path.join(folder, 'nvidia-smi')
  await writeFile(program, '#!/bin/sh\nwhile :; do echo "0, 300.00"; echo "1, [N/A]"; /bin/sleep 0.02; done\n')
  await chmod(program, 0o755)
  let time = 0
  const now = vi.fn(() => time)
  const energy = meter({ environment: { PATH: folder }, now })
  await energy.resume()
  // What it drew until the first sample counts too.
  time += 12_000
  now.mockClear()
  // Each sample asks for the time.
  await vi.waitFor(() => expect(now).toHaveBeenCalled())
  await energy.pause()
  await energy.resume()
  time += 12_000
  await energy.pause()
  expect(await energy.close()).toEqual({ wattHours: 2, of: ['graphics'] })
})

it('tells nothing where the machine cannot tell, or may not', async () => {
  const without = meter()
  await without.resume()
  expect(await without.close()).toBeUndefined()
  await writeTree(folder, { 'powercap/intel-rapl:0/name': 'package-0\n' })
  const unreadable = meter()
  await unreadable.resume()
  expect(await unreadable.close()).toBeUndefined()
})
