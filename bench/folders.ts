import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createCore, type Core } from '../src/main/core.ts'
import { time, type Row } from './row.ts'
import { makeTree } from './tree.ts'

const never = new AbortController().signal

/** Opening a large folder in a windowed host, and its first checkpoint. */
export async function measure(): Promise<Row[]> {
  return [...(await opening(100_000)), ...(await firstCheckpoint(20_000))]
}

async function opening(files: number): Promise<Row[]> {
  return withCore(files, async (core, root) => {
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const open = await time(async () => {
      await core.openWorkspace(root)
      await core.handlers['files.list']({ path: '.' }, never)
    })
    const overflow = Promise.withResolvers<void>()
    core.subscribe((name) => {
      if (name === 'files.changed') overflow.resolve()
    })
    const watched = await time(() => overflow.promise)
    return [
      {
        question: 'a folder of 100,000 files is open and its top level listed',
        value: open / 1000,
        unit: 's',
        goal: 3,
        how: `browser host without a window; every change is watched ${(watched / 1000).toFixed(1)} s later`,
      },
      {
        question: 'longest delay of the main thread until 100,000 files are watched',
        value: delay.max / 1e6,
        unit: 'ms',
        how: 'monitorEventLoopDelay',
      },
    ]
  })
}

async function firstCheckpoint(files: number): Promise<Row[]> {
  return withCore(files, async (core, root) => {
    await core.openWorkspace(root)
    const { pending } = core.checkpoints()
    const first = pending.begin({ reason: 'bench' }, () => undefined, never)
    const edit = await time(() => pending.beforeChange(['package0/module0/file0.ts']))
    const command = edit + (await time(() => pending.beforeChange(undefined)))
    await first
    return [
      {
        question: 'wait of an edit before the first checkpoint of 20,000 files',
        value: edit / 1000,
        unit: 's',
        how: 'its file is stored first',
      },
      {
        question: 'wait of a command before the first checkpoint of 20,000 files',
        value: command / 1000,
        unit: 's',
        how: 'without the head start that a message gives',
      },
    ]
  })
}

async function withCore(files: number, act: (core: Core, root: string) => Promise<Row[]>): Promise<Row[]> {
  const tree = await makeTree(files)
  const userData = await mkdtemp(join(tmpdir(), 'tizona-bench-user-'))
  const core = await createCore({
    platform: { host: 'browser', version: 'bench', userData, resources: join(import.meta.dirname, '..', 'resources') },
  })
  try {
    return await act(core, tree.root)
  } finally {
    await core.dispose()
    await tree.remove()
    await rm(userData, { recursive: true, force: true })
  }
}
