import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { callTool, openCore } from './core.ts'
import { median, time, type Row } from './row.ts'
import { makeTree } from './tree.ts'

/**
 * Compares a read through the executor (parsing, gate, containment, encoding, truncation) with a plain read of the same
 * file.
 */
export async function measure(): Promise<Row[]> {
  const tree = await makeTree(200)
  const { core, close } = await openCore(tree.root)
  const path = 'package0/module0/file0.ts'
  try {
    const ours: number[] = []
    const plain: number[] = []
    for (let round = 0; round < 500; round++) {
      ours.push(await time(() => callTool(core, 'read_file', { path })))
      plain.push(await time(() => readFile(join(tree.root, path), 'utf8')))
    }
    const overhead = median(ours) - median(plain)
    return [
      {
        question: 'executor overhead of a read_file',
        value: overhead,
        unit: 'ms',
        goal: 1,
        how: `medians of 500: ${median(ours).toFixed(3)} ms against ${median(plain).toFixed(3)} ms for fs.readFile`,
      },
    ]
  } finally {
    await close()
    await tree.remove()
  }
}
