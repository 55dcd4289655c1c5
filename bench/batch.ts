import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { callTool, openCore } from './core.ts'
import { sideBySide, type Row } from './row.ts'

const reads = 16
const rounds = 15
/** Lines per file. Reading takes longer than the overhead of a call, and the result is not truncated. */
const lines = 20_000

/** Compares a batch of 16 reads and 16 searches with the same calls one after another, all through the executor. */
export async function measure(): Promise<Row[]> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'tizona-bench-batch-')))
  const names = Array.from({ length: reads }, (_, index) => `file${index}.txt`)
  await Promise.all(
    names.map((name, index) =>
      writeFile(
        join(root, name),
        Array.from({ length: lines }, (_, line) => `line ${line} of file ${index}: some words to read`).join('\n'),
      ),
    ),
  )
  const { core, close } = await openCore(root)
  try {
    return [
      await compare(
        'reads of 1 MB files',
        names.map((path) => ({ tool: 'read_file_range', arguments: { path, start_line: 9000, end_line: 9040 } })),
      ),
      await compare(
        'searches',
        names.map((path, index) => ({ tool: 'grep_search', arguments: { pattern: `line 1${index}99 of`, path } })),
      ),
    ]
  } finally {
    await close()
    await rm(root, { recursive: true, force: true })
  }

  async function compare(what: string, calls: { tool: string; arguments: Record<string, unknown> }[]): Promise<Row> {
    const { ours, baseline } = await sideBySide(
      rounds,
      () => callTool(core, 'batch', { calls, max_parallel: 16 }),
      async () => {
        for (const call of calls) await callTool(core, call.tool, call.arguments)
      },
    )
    return {
      question: `batch of ${reads} ${what} against the same calls one by one`,
      value: ours / baseline,
      unit: '×',
      goal: 1,
      how: `medians of ${rounds}: ${ours.toFixed(1)} ms against ${baseline.toFixed(1)} ms`,
    }
  }
}
