import { openBrowser } from '../e2e/support/browser.ts'
import { picture } from '../e2e/support/pictures.ts'
import type { Page } from 'playwright'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { median, time, type Row } from './row.ts'

const rounds = 5

/** Measures opening terminals in the browser host, from the keystroke until the shell's prompt is painted. */
export async function measure(): Promise<Row[]> {
  const first: number[] = []
  const later: number[] = []
  const shells: number[] = []
  const browser = await openBrowser()
  try {
    const setting = {
      files: { 'a.txt': 'a\n' },
      scenario: { name: 'terminal-bench', turns: [] },
      settings: {},
      viewport: { width: 1440, height: 900 },
    }
    for (let round = 0; round < rounds; round++)
      await picture(browser, 'dark', setting, async (page) => {
        await page.getByRole('treeitem').first().waitFor()
        // A user does not open a terminal in the first seconds, while the window loads the rest.
        await page.waitForTimeout(6000)
        first.push(await openTerminal(page))
        await page.waitForTimeout(1000)
        later.push(await openTerminal(page))
        shells.push(await time(bareShell))
      })
  } finally {
    await browser.close()
  }
  const list = (values: readonly number[]) => values.map((value) => value.toFixed(0)).join(', ')
  const how = (values: readonly number[]) => `median of ${rounds}: ${list(values)} ms; \`npm run bench -- terminal\``
  return [
    {
      question: 'opening the first terminal, from the key to the painted prompt',
      value: median(first),
      unit: 'ms',
      goal: 300,
      how: how(first),
    },
    {
      question: 'opening a second terminal, from the key to the painted prompt',
      value: median(later),
      unit: 'ms',
      goal: 300,
      how: how(later),
    },
    {
      question: 'opening the first terminal, against an interactive shell that ends at once',
      value: median(first) / median(shells),
      unit: '×',
      how: `${list(shells)} ms for \`bash -i -c exit\``,
    },
  ]
}

async function openTerminal(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const hosts = () => document.querySelectorAll('.job-terminal')
    const before = new Set(document.querySelectorAll('.xterm-rows'))
    const start = performance.now()
    const key = { key: '~', code: 'Backquote', ctrlKey: true, shiftKey: true, bubbles: true, cancelable: true }
    document.body.dispatchEvent(new KeyboardEvent('keydown', key))
    const painted = () =>
      [...document.querySelectorAll('.xterm-rows')].some(
        (rows) => !before.has(rows) && (rows.textContent ?? '').trim() !== '',
      )
    while (!painted() || hosts().length === 0) {
      if (performance.now() - start > 10_000) throw new Error('No prompt was painted within 10 s.')
      await new Promise(requestAnimationFrame)
    }
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
    return performance.now() - start
  })
}

async function bareShell(): Promise<void> {
  await once(spawn('bash', ['-i', '-c', 'exit'], { stdio: 'ignore' }), 'close')
}
