import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createCore } from '../src/main/core.ts'
import { median, sideBySide, type Row } from './row.ts'
import { makeTree } from './tree.ts'

const run = promisify(execFile)
const files = 100_000
const changed = 1000
const never = new AbortController().signal

/** Compares the status of the git view with plain `git status` in a large repository. */
export async function measure(): Promise<Row[]> {
  const tree = await makeTree(files)
  const userData = await mkdtemp(join(tmpdir(), 'tizona-bench-user-'))
  const git = (...args: string[]) => run('git', args, { cwd: tree.root, maxBuffer: 64 * 1024 * 1024 })
  const core = await createCore({
    platform: { host: 'headless', version: 'bench', userData, resources: join(import.meta.dirname, '..', 'resources') },
    trustWorkspace: true,
  })
  try {
    await git('init', '-q')
    await git('-c', 'core.looseCompression=0', 'add', '-A')
    await git('-c', 'user.name=Ana', '-c', 'user.email=ana@example.org', 'commit', '-q', '-m', 'first')
    const { stdout } = await git('ls-files')
    for (const file of stdout.split('\n').slice(0, changed)) await writeFile(join(tree.root, file), 'changed\n')
    await core.openWorkspace(tree.root)
    const status = async () => core.handlers['git.status']({ repository: tree.root, refresh: true }, never)
    const { counts } = await status()
    if (counts.changes !== changed) throw new Error(`${counts.changes} changes instead of ${changed}`)
    const cpu: number[] = []
    const measured = async () => {
      const before = process.cpuUsage()
      await status()
      const { user, system } = process.cpuUsage(before)
      cpu.push((user + system) / 1000)
    }
    const { ours, baseline } = await sideBySide(7, measured, () =>
      git('status', '--porcelain=v2', '-z', '--branch', '--untracked-files=all'),
    )
    return [
      {
        question: 'status of 100,000 files in the git view against plain `git status`',
        value: ours / baseline,
        unit: '×',
        goal: 1.3,
        how: `${changed} changed; medians of 7: ${ours.toFixed(0)} ms against ${baseline.toFixed(0)} ms; ${median(cpu).toFixed(0)} ms of CPU in the main process`,
      },
    ]
  } finally {
    await core.dispose()
    await tree.remove()
    await rm(userData, { recursive: true, force: true })
  }
}
