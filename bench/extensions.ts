import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { openBrowser } from '../e2e/support/browser.ts'
import { end, printedAddress } from '../e2e/support/shell.ts'
import { trustFolder } from '../e2e/support/trust.ts'
import { openFile, runPalette } from '../e2e/support/window.ts'
import { packZip } from '../src/main/testing/packZip.ts'
import { startBrowserHost } from './browserHost.ts'
import { longestFrameOf } from './pageFrames.ts'
import { median, type Row } from './row.ts'

const rounds = 5
const rules = 2000
const grammarBytes = 200_000
const lines = 10_000

/**
 * Measures the longest frame while a file with a large grammar is opened, typed in and scrolled, and while a theme with
 * many rules is applied, each against the same without the extension.
 */
export async function measure(): Promise<Row[]> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-bench-extensions-')))
  const workspace = join(home, 'workspace')
  const userData = join(home, 'user')
  await mkdir(workspace)
  await mkdir(userData)
  await trustFolder(userData, workspace)
  const text = Array.from(
    { length: lines },
    (_, line) => `word${line % 3000} "text" = word${line % 7}(${line})\n`,
  ).join('')
  for (let round = 0; round < rounds; round++)
    for (const kind of ['large', 'txt']) await writeFile(join(workspace, `file${round}.${kind}`), text)
  await writeFile(join(userData, 'settings.json'), JSON.stringify({ theme: 'dark' }))
  const browser = await openBrowser()
  const server = startBrowserHost(workspace, userData)
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(await printedAddress(server))
    await page.getByRole('treeitem', { name: 'file0.large' }).waitFor()
    await install(page)
    // Loads the editor and the worker.
    await edit(page, 'file0.large', true)
    const colored: number[] = []
    const plain: number[] = []
    for (let round = 1; round < rounds; round++) {
      colored.push(await longestFrameOf(page, () => edit(page, `file${round}.large`, true)))
      plain.push(await longestFrameOf(page, () => edit(page, `file${round}.txt`, false)))
    }
    const large: number[] = []
    const own: number[] = []
    for (let round = 0; round < rounds; round++) {
      large.push(await longestFrameOf(page, () => chooseTheme(page, 'Large theme')))
      own.push(await longestFrameOf(page, () => chooseTheme(page, 'Light')))
    }
    const row = (question: string, ours: number[], baseline: number[], what: string): Row => ({
      question,
      value: median(ours) / median(baseline),
      unit: '×',
      goal: 1.25,
      how: `medians of the longest frame in ${ours.length} rounds: ${median(ours).toFixed(1)} ms against ${median(baseline).toFixed(1)} ms; ${what}; software rendering`,
    })
    return [
      row(
        'longest frame while a file of 10,000 lines is opened, typed in and scrolled with a grammar of 200 KB and a theme of 2,000 rules, against the same without colors',
        colored,
        plain,
        'a .txt file with the same text',
      ),
      row(
        'longest frame while a theme of 2,000 rules is applied, against the theme Light',
        large,
        own,
        'from the picker until the window has its color, with the file open',
      ),
    ]
  } finally {
    await browser.close()
    await end(server)
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Packs an extension with a theme of many rules in 300 colors, and a grammar of many keywords. */
function extension(): Buffer {
  const color = (index: number) => `#${((index % 300) * 50_000 + 0x404040).toString(16).padStart(6, '0').slice(-6)}`
  const tokenColors = Array.from({ length: rules }, (_, index) => ({
    scope: `keyword.w${index}.large, meta.m${index % 50} string.quoted.w${index}`,
    settings: { foreground: color(index) },
  }))
  const patterns: object[] = []
  for (let size = 0, index = 0; size < grammarBytes; index++) {
    const pattern = { match: String.raw`\bword${index}\b(?=\s*["=(])`, name: `keyword.w${index % rules}.large` }
    size += JSON.stringify(pattern).length + 1
    patterns.push(pattern)
  }
  patterns.push(
    { begin: '"', end: '"', name: 'string.quoted.w1' },
    { match: String.raw`\d+`, name: 'constant.numeric' },
  )
  const files = {
    'package.json': {
      name: 'large',
      contributes: {
        languages: [{ id: 'large', extensions: ['.large'] }],
        grammars: [{ language: 'large', scopeName: 'source.large', path: 'grammar.json' }],
        themes: [{ label: 'Large theme', uiTheme: 'vs-dark', path: 'theme.json' }],
      },
    },
    'grammar.json': { scopeName: 'source.large', patterns },
    'theme.json': { colors: { 'editor.background': '#101018', 'editor.foreground': '#dddddd' }, tokenColors },
  }
  return Buffer.from(
    packZip(
      Object.fromEntries(Object.entries(files).map(([name, file]) => [`extension/${name}`, JSON.stringify(file)])),
    ),
  )
}

async function install(page: Page): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await runPalette(page, 'Install extension from VSIX')
  await (await chooser).setFiles({ name: 'large.vsix', mimeType: 'application/zip', buffer: extension() })
  await page.getByText('Installed large.').waitFor()
  await chooseTheme(page, 'Large theme')
}

/** Opens a file, types in it and scrolls to its end. @param colored whether to wait for the grammar's colors */
async function edit(page: Page, name: string, colored: boolean): Promise<void> {
  await openFile(page, name)
  const word = page.locator('.view-line span[class^="mtk"]', { hasText: /^word0$/ })
  if (colored) await word.first().waitFor({ timeout: 120_000 })
  await page.locator('.monaco-editor .view-lines').first().click()
  await page.keyboard.type(' some words "in" quotes ')
  for (let presses = 0; presses < 30; presses++) await page.keyboard.press('PageDown')
  await page.keyboard.press('Control+End')
  await page.waitForTimeout(500)
}

async function chooseTheme(page: Page, label: string): Promise<void> {
  await runPalette(page, 'Color theme')
  await page.getByRole('dialog', { name: 'Color theme' }).waitFor()
  await page.keyboard.type(label)
  await page.keyboard.press('Enter')
  await page.waitForTimeout(700)
}
