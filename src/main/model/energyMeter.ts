import { readdir } from 'node:fs/promises'
import path from 'node:path'
import type { Energy } from '../../shared/agent/conversation.ts'
import { Sequencer } from '../../shared/async/sequencer.ts'
import { createBoundedLines } from '../base/boundedLines.ts'
import { log } from '../base/log/log.ts'
import { findProgramByName, searchPathOf } from '../base/programSearch.ts'
import { readSmallFile } from '../base/smallFile.ts'
import { startProcess } from '../base/startProcess.ts'

/**
 * Measures the energy of this machine while a model works: of its processors by RAPL counters, which only root may read
 * since Linux 5.10, and of its graphics cards by `nvidia-smi`. Counts all that runs meanwhile.
 */
export interface EnergyMeter {
  /** Counts from now on. Resolves once this is certain; nobody has to wait for it. */
  resume(): Promise<void>
  /** Stops counting until `resume`. */
  pause(): Promise<void>
  /** Ends the meter. @returns what was counted; undefined if the machine cannot tell */
  close(): Promise<Energy | undefined>
}

/** Something that can tell its energy. */
interface Source {
  of: Energy['of'][number]
  /** Joules since its start. Undefined: unknown. */
  read(): Promise<number | undefined>
  close(): void
}

interface EnergyMeterOptions {
  /** Folder of the RAPL counters. */
  powercap?: string
  environment?: NodeJS.ProcessEnv
  /** Time in milliseconds. */
  now?(): number
}

/** Milliseconds between two readings of counters, which overflow: in 40 minutes at 100 W. */
const readingInterval = 60_000
/** Milliseconds between two measurements of graphics cards. */
const sampleInterval = 1000
const joulesPerWattHour = 3600
/** Maximum bytes of a line of `nvidia-smi`. */
const maxLine = 1000

export function createEnergyMeter({
  powercap = '/sys/class/powercap',
  environment = process.env,
  now = () => performance.now(),
}: EnergyMeterOptions = {}): EnergyMeter {
  let sources: Promise<Source[]> | undefined
  const counted = new Map<Source, number>()
  /** Readings at the last `resume`. */
  let from: Promise<(readonly [Source, number | undefined])[]> | undefined
  const readAll = async () => {
    // Only with the first request, because asking wakes a graphics card.
    const found = await (sources ??= openSources(powercap, environment, now))
    return Promise.all(found.map(async (source) => [source, await source.read()] as const))
  }
  /** Keeps the order of the readings. */
  let adding = Promise.resolve()

  async function pause(): Promise<void> {
    const started = from
    if (started === undefined) return
    from = undefined
    const ended = readAll()
    adding = adding.then(async () => {
      const before = new Map(await started)
      for (const [source, joules] of await ended) {
        // Undefined before the first measurement.
        const first = before.get(source) ?? 0
        if (joules !== undefined) counted.set(source, (counted.get(source) ?? 0) + joules - first)
      }
    })
    await adding
  }

  return {
    async resume() {
      await (from ??= readAll())
    },
    pause,
    async close() {
      await pause()
      await adding
      for (const source of (await sources) ?? []) source.close()
      if (counted.size === 0) return undefined
      const joules = [...counted.values()].reduce((sum, each) => sum + each, 0)
      return { wattHours: joules / joulesPerWattHour, of: [...new Set([...counted.keys()].map(({ of }) => of))] }
    },
  }
}

async function openSources(powercap: string, environment: NodeJS.ProcessEnv, now: () => number): Promise<Source[]> {
  const counters = await openCounters(powercap)
  try {
    const graphics = openGraphics(environment, now)
    return [...counters, ...(graphics ? [graphics] : [])]
  } catch (error) {
    log.warn('nvidia-smi could not be started', error)
    return counters
  }
}

/** Opens the counters of whole processors and of their memory, which is not part of them. */
async function openCounters(powercap: string): Promise<Source[]> {
  const zones = (await readdir(powercap).catch(() => [])).filter((name) => /^intel-rapl:\d+(?::\d+)?$/.test(name))
  const opened = await Promise.all(
    zones.map(async (zone) => {
      const folder = path.join(powercap, zone)
      const name = (await readSmallFile(path.join(folder, 'name')))?.trim() ?? ''
      return name.startsWith('package') || name === 'dram' ? openCounter(folder) : undefined
    }),
  )
  return opened.filter((source) => source !== undefined)
}

async function openCounter(folder: string): Promise<Source | undefined> {
  const microjoules = async (name: string): Promise<number | undefined> => {
    const text = await readSmallFile(path.join(folder, name))
    return text === null || !/^\d+\s*$/.test(text) ? undefined : Number(text)
  }
  let last = await microjoules('energy_uj')
  const range = await microjoules('max_energy_range_uj')
  if (last === undefined || range === undefined) return undefined
  let total = 0
  const readings = new Sequencer()
  const read = () =>
    readings.queue(async () => {
      const value = await microjoules('energy_uj')
      if (value !== undefined && last !== undefined && range !== undefined) {
        total += value < last ? value + range - last : value - last
        last = value
      }
      return total / 1e6
    })
  const timer = setInterval(() => void read(), readingInterval)
  timer.unref()
  return { of: 'processor', read, close: () => clearInterval(timer) }
}

/** Measures the power of NVIDIA's cards again and again. Energy is power by time. */
function openGraphics(environment: NodeJS.ProcessEnv, now: () => number): Source | undefined {
  const program = findProgramByName('nvidia-smi', searchPathOf(environment))
  if (program === undefined) return undefined
  const query = ['--query-gpu=index,power.draw', '--format=csv,noheader,nounits', `--loop-ms=${sampleInterval}`]
  const opened = now()
  const child = startProcess(program, query, { startedBy: 'tizona', env: environment })
  const cards = new Map<string, { watts: number; at: number; joules: number }>()
  child.on('error', (error) => log.warn('nvidia-smi could not be started', error))
  child.stderr.resume()
  const lines = createBoundedLines(maxLine)
  child.stdout.on('data', (chunk: Buffer) => {
    for (const line of lines.push(chunk)) if (line instanceof Buffer) addSample(line.toString())
  })

  function addSample(line: string): void {
    // Other cards have "[N/A]".
    const [, index, watts] = /^(\d{1,4}), (\d{1,6}(?:\.\d{1,6})?)\r?$/.exec(line) ?? []
    if (index === undefined) return
    const at = now()
    const before = cards.get(index)
    // The card did before its first measurement what that says.
    const { watts: drawn, at: from, joules: earlier } = before ?? { watts: Number(watts), at: opened, joules: 0 }
    const joules = earlier + (drawn * (at - from)) / 1000
    cards.set(index, { watts: Number(watts), at, joules })
  }

  return {
    of: 'graphics',
    read: () => {
      const at = now()
      const joules = [...cards.values()].map((card) => card.joules + (card.watts * (at - card.at)) / 1000)
      return Promise.resolve(joules.length === 0 ? undefined : joules.reduce((sum, each) => sum + each, 0))
    },
    close: () => void child.kill(),
  }
}
