import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { openBrowser } from '../e2e/support/browser.ts'
import { end, printedAddress } from '../e2e/support/shell.ts'
import { trustFolder } from '../e2e/support/trust.ts'
import { startBrowserHost } from './browserHost.ts'
import { median, type Row } from './row.ts'
import { openAndMeasure, percentile, typeAndMeasure } from './typing/keys.ts'

/** Even, so that each notebook comes first equally often. */
const rounds = 4
const keys = 30
/** Characters of the outputs. */
const outputSize = 10_000_000

/** Notebooks with the same cells. `beside`: the outputs are those of the next cell, `own`: of the cell itself. */
const names = ['plain', 'beside', 'own'] as const
type Name = (typeof names)[number]

/** Measures keys typed into a cell of a notebook with 10 MB of outputs, compared with the same one without. */
export async function measure(): Promise<Row[]> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-bench-notebook-')))
  const workspace = join(home, 'workspace')
  const userData = join(home, 'user')
  await mkdir(workspace)
  await trustFolder(userData, workspace)
  for (const name of names) await writeFile(join(workspace, `${name}.ipynb`), notebookText(name))
  const browser = await openBrowser()
  const times: Record<Name, number[][]> = { plain: [], beside: [], own: [] }
  try {
    for (let round = 0; round < rounds; round++) {
      const server = startBrowserHost(workspace, userData)
      try {
        const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
        const page = await context.newPage()
        await page.goto(await printedAddress(server))
        await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor()
        for (const name of round % 2 === 0 ? names : names.toReversed()) times[name].push(await typeInto(page, name))
        await context.close()
      } finally {
        await end(server)
      }
    }
  } finally {
    await browser.close()
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
  return (['beside', 'own'] as const).map((name) => {
    const [ours, plain] = [times[name], times.plain].map((each) => median(each.map((round) => median(round))))
    const late = percentile(times[name].flat(), 0.95)
    return {
      question: `key to paint in a cell of a notebook with 10 MB of outputs ${name === 'own' ? 'in this cell' : 'in the next cell'}, against the same without outputs`,
      value: (ours ?? Number.NaN) / (plain ?? Number.NaN),
      unit: '×',
      goal: 1.3,
      how: `medians of ${rounds} rounds of ${keys} keys: ${ours?.toFixed(1)} ms against ${plain?.toFixed(1)} ms; 95 % of the keys within ${late.toFixed(0)} ms, against ${percentile(times.plain.flat(), 0.95).toFixed(0)} ms`,
    }
  })
}

async function typeInto(page: Page, name: Name): Promise<number[]> {
  await openAndMeasure(page, `${name}.ipynb`, `value_0_of_${name}`)
  await page.locator('.notebook-cell .view-line').first().click()
  await page.keyboard.press('Control+End')
  // The first change sends the whole text to main once.
  await page.keyboard.type(' #')
  await page.waitForTimeout(3000)
  return (await typeAndMeasure(page, keys)).toPaint
}

/** A notebook of 20 code cells. Its outputs are half text and half pictures. */
function notebookText(name: Name): string {
  const line = 'epoch 12, loss 0.0312, accuracy 0.9871\n'
  const text = Array.from({ length: outputSize / 2 / line.length }, () => line)
  const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk'.repeat(outputSize / 2 / 10 / 64)
  const outputs = [
    { name: 'stdout', output_type: 'stream', text },
    ...Array.from({ length: 10 }, () => ({
      data: { 'image/png': picture, 'text/plain': '<Figure>' },
      metadata: {},
      output_type: 'display_data',
    })),
  ]
  const cells = Array.from({ length: 20 }, (_, index) => ({
    cell_type: 'code',
    execution_count: 1,
    id: `c${index}`,
    metadata: {},
    outputs: index === { plain: -1, beside: 1, own: 0 }[name] ? outputs : [],
    source: [`value_${index}_of_${name} = ${index}`],
  }))
  return JSON.stringify(
    { cells, metadata: { language_info: { name: 'python' } }, nbformat: 4, nbformat_minor: 5 },
    null,
    1,
  )
}
