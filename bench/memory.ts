import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openBrowser } from '../e2e/support/browser.ts'
import { end, printedAddress } from '../e2e/support/shell.ts'
import { trustFolder } from '../e2e/support/trust.ts'
import { defaultIdleTime } from '../src/main/code/process/restingIndexClient.ts'
import { plural } from '../src/shared/plural.ts'
import { startBrowserHost } from './browserHost.ts'
import type { Row } from './row.ts'
import { makeTree } from './tree.ts'

const files = 2_000

/** Memory of the server's processes: with an open window, and when nobody has used the window for some minutes. */
export async function measure(): Promise<Row[]> {
  const tree = await makeTree(files)
  const userData = await mkdtemp(join(tmpdir(), 'tizona-bench-user-'))
  await trustFolder(userData, tree.root)
  const browser = await openBrowser()
  const server = startBrowserHost(tree.root, userData)
  try {
    const page = await browser.newPage()
    await page.goto(await printedAddress(server))
    await page.getByRole('treeitem').first().waitFor()
    // Reading 2,000 files takes some seconds.
    await delay(30_000)
    const open = await memory(server.pid ?? 0)
    await delay(defaultIdleTime + 10_000)
    const idle = await memory(server.pid ?? 0)
    return [
      row('memory of the server with an open window', open),
      { ...row(`the same, ${defaultIdleTime / 60_000} minutes later`, idle), goal: 150 },
    ]
  } finally {
    await browser.close()
    await end(server)
    await tree.remove()
    await rm(userData, { recursive: true, force: true, maxRetries: 5 })
  }
}

function row(question: string, sizes: readonly number[]): Row {
  return {
    question,
    value: sizes.reduce((sum, size) => sum + size, 0),
    unit: 'MB',
    how: `proportional set size of ${plural(sizes.length, 'process', 'processes')}: ${sizes.map((size) => size.toFixed(0)).join(', ')} MB; ${files.toLocaleString('en')} files; \`npm run bench -- memory\``,
  }
}

/** Returns the proportional set size of a process and of each process below it, in MB (Linux). */
async function memory(root: number): Promise<number[]> {
  const parents = new Map<number, number>()
  for (const name of await readdir('/proc')) {
    const stat = /^\d+$/.test(name) ? await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '') : ''
    // The name in parentheses can contain spaces. The parent is the second field after it.
    if (stat !== '') parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
  }
  const tree = [root]
  for (const pid of tree) for (const [child, parent] of parents) if (parent === pid) tree.push(child)
  return Promise.all(
    tree.map(async (pid) => {
      const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
      return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]) / 1024
    }),
  )
}
