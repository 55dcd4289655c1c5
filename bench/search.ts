import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rgPath } from '@vscode/ripgrep'
import { callTool, openCore } from './core.ts'
import { sideBySide, type Row } from './row.ts'
import { makeTree } from './tree.ts'

const files = 20_000

/** Compares Tizona's search with plain `rg` on the same tree. */
export async function measure(): Promise<Row[]> {
  const tree = await makeTree(files)
  const { core, close } = await openCore(tree.root)
  try {
    const grep = await sideBySide(
      15,
      () => callTool(core, 'grep_search', { pattern: 'findTheNeedle\\(' }),
      () => rg(tree.root, ['-n', '-e', 'findTheNeedle\\(', '.']),
    )
    const glob = await sideBySide(
      15,
      () => callTool(core, 'glob', { pattern: '**/*.ts' }),
      () => rg(tree.root, ['--files']),
    )
    return [
      {
        question: 'grep_search through the executor against plain rg',
        value: grep.ours / grep.baseline,
        unit: '×',
        goal: 1.05,
        how: `${files} files, 200 matches; medians of 15: ${grep.ours.toFixed(1)} ms against ${grep.baseline.toFixed(1)} ms`,
      },
      {
        question: 'glob against `rg --files`',
        value: glob.ours / glob.baseline,
        unit: '×',
        goal: 1.15,
        how: `${files} files; medians of 15: ${glob.ours.toFixed(1)} ms against ${glob.baseline.toFixed(1)} ms`,
      },
    ]
  } finally {
    await close()
    await tree.remove()
  }
}

async function rg(cwd: string, args: string[]): Promise<void> {
  const child = spawn(rgPath, ['--no-config', ...args], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  child.stdout.resume()
  await once(child, 'close')
}
