import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openBrowser } from '../e2e/support/browser.ts'
import { end, printedAddress } from '../e2e/support/shell.ts'
import { trustFolder } from '../e2e/support/trust.ts'
import { defaultIdleTime } from '../src/main/code/process/restingIndexClient.ts'
import { plural } from '../src/shared/text/plural.ts'
import { startBrowserHost } from './browserHost.ts'
import { processMemory } from './processMemory.ts'
import type { Row } from './row.ts'
import { makeTree } from './tree.ts'

const files = 2_000

/** Measures the memory of the server's processes: with an open window, and after some minutes without use. */
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
    const open = await processMemory(server.pid ?? 0)
    await delay(defaultIdleTime + 10_000)
    const idle = await processMemory(server.pid ?? 0)
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
