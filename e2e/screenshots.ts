import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright'
import { agentPictures } from './agentPictures.ts'
import { cardPictures } from './cardPictures.ts'
import { completionPictures } from './completionPictures.ts'
import { debugPictures } from './debugPictures.ts'
import { editorPictures } from './editorPictures.ts'
import { extensionPictures } from './extensionPictures.ts'
import { firstStepsPictures } from './firstStepsPictures.ts'
import { gitPictures } from './gitPictures.ts'
import { hookPictures } from './hookPictures.ts'
import { inlineEditPictures } from './inlineEditPictures.ts'
import { languageServerPictures } from './languageServerPictures.ts'
import { modelCheckPictures } from './modelCheckPictures.ts'
import { modelPictures } from './modelPictures.ts'
import { notebookPictures } from './notebookPictures.ts'
import { pluginPictures } from './pluginPictures.ts'
import { previewPictures } from './previewPictures.ts'
import { remotePictures } from './remotePictures.ts'
import { reviewPictures } from './reviewPictures.ts'
import { sessionPictures } from './sessionPictures.ts'
import { taskPictures } from './taskPictures.ts'
import { workspacePictures } from './workspacePictures.ts'
import { openBrowser } from './support/browser.ts'
import type { Take } from './support/pictures.ts'
import { end, printedAddress } from './support/shell.ts'
import { allowOnce, approval, card, lastAnswer } from './support/window.ts'

const root = join(import.meta.dirname, '..')
const target = join(root, 'docs', 'screenshots')

/** Durations and token counts, which differ in each run and are hidden. */
const mask =
  '.tool-card-time, .sessions-age, :root:not([data-figures]) [data-testid="usage"], .job-duration { visibility: hidden !important } * { caret-color: transparent !important; animation: none !important }'

/** Pictures by subject, in the order in which they are taken. */
const subjects: Readonly<Record<string, (browser: Browser, theme: 'dark' | 'light', take: Take) => Promise<void>>> = {
  tour: pictures,
  card: cardPictures,
  agent: agentPictures,
  inlineEdit: inlineEditPictures,
  review: reviewPictures,
  git: gitPictures,
  debug: debugPictures,
  editor: editorPictures,
  extension: extensionPictures,
  plugin: pluginPictures,
  session: sessionPictures,
  firstSteps: firstStepsPictures,
  modelCheck: modelCheckPictures,
  preview: previewPictures,
  remote: remotePictures,
  notebook: notebookPictures,
  workspace: workspacePictures,
  hook: hookPictures,
  task: taskPictures,
  completion: completionPictures,
  languageServer: languageServerPictures,
  model: modelPictures,
}

// Takes the pictures of the documents with the built product, in the dark and the light theme. Arguments limit them to
// some subjects.
async function main(chosen: readonly string[]): Promise<void> {
  const unknown = chosen.filter((subject) => !(subject in subjects))
  if (unknown.length > 0) throw new Error(`Unknown: ${unknown.join(', ')}. Known: ${Object.keys(subjects).join(', ')}.`)
  await mkdir(target, { recursive: true })
  const browser = await openBrowser()
  const take =
    (theme: string): Take =>
    async (page, name, part = page.locator('.chat'), margin = 0) => {
      await page.addStyleTag({ content: mask })
      await page.mouse.move(300, (page.viewportSize()?.height ?? 900) - 10)
      const options = { path: join(target, `${name}-${theme}.png`), animations: 'disabled' } as const
      const box = margin > 0 && (await part.boundingBox())
      if (box) {
        const [x, y] = [box.x - margin, box.y - margin]
        await page.screenshot({
          ...options,
          clip: { x, y, width: box.width + 2 * margin, height: box.height + 2 * margin },
        })
      } else await part.screenshot(options)
      console.log(`docs/screenshots/${name}-${theme}.png`)
    }
  try {
    for (const theme of ['dark', 'light'] as const)
      for (const [subject, takePictures] of Object.entries(subjects))
        if (chosen.length === 0 || chosen.includes(subject)) await takePictures(browser, theme, take(theme))
  } finally {
    await browser.close()
  }
}

async function pictures(browser: Browser, theme: 'dark' | 'light'): Promise<void> {
  const userData = await mkdtemp(join(tmpdir(), 'tizona-pictures-'))
  await writeFile(join(userData, 'settings.json'), JSON.stringify({ theme }))
  const server = spawn(process.execPath, [join(root, 'out/main/serve.js'), '--no-open'], {
    env: { ...process.env, TIZONA_USER_DATA: userData, TIZONA_NO_DISCOVERY: '1', TIZONA_ALLOW_ROOT: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  try {
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      colorScheme: theme,
      reducedMotion: 'reduce',
    })
    const page = await context.newPage()
    const take = async (name: string) => {
      await page.addStyleTag({ content: mask })
      await page.evaluate(() => document.fonts.ready)
      await page.mouse.move(720, 899)
      await page.screenshot({ path: join(target, `${name}-${theme}.png`), animations: 'disabled' })
      console.log(`docs/screenshots/${name}-${theme}.png`)
    }
    await page.goto(await printedAddress(server))
    await page.getByRole('button', { name: /Take the tour/ }).waitFor()
    await take('welcome')

    await page.getByRole('button', { name: /Take the tour/ }).click()
    await page.getByTestId('approval-card').waitFor()
    await approval(page)
    await take('diff')
    await allowUntilCommand(page)
    await take('approval')
    await allowOnce(page)
    await lastAnswer(page).getByText(/Next:/).waitFor()
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' })
    await take('editor')

    await symbols(page)
    await take('symbols')
    await page.keyboard.press('Escape')

    await page.keyboard.press('Control+Shift+u')
    const panel = page.getByRole('region', { name: 'Tool console' })
    await panel.getByRole('navigation', { name: 'Tools' }).getByText('grep_search', { exact: true }).click()
    await panel
      .getByRole('textbox', { name: /pattern/ })
      .first()
      .fill('export function')
    await panel.getByRole('button', { name: /^Run/ }).click()
    await panel.locator('[data-testid="console-result"][data-ok="true"]').waitFor()
    await take('console')
    await context.close()
  } finally {
    await end(server)
    await rm(userData, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Shows the references of a function and the outline of its file. */
async function symbols(page: Page): Promise<void> {
  await page.keyboard.press('Control+p')
  await page.getByRole('combobox').fill('prices.js')
  await page.getByRole('option', { name: /^prices\.js/ }).click()
  await page
    .getByRole('region', { name: 'Outline' })
    .getByRole('treeitem', { name: /^discount/ })
    .click()
  await page.locator('.editor-group[data-active="true"] .cursor').first().click({ force: true })
  await page.keyboard.press('Shift+F12')
  await page.locator('.peekview-widget .ref-tree .monaco-list-row').nth(1).waitFor()
}

/** Allows the tour's edits until the approval of the command. */
async function allowUntilCommand(page: Page): Promise<void> {
  for (;;) {
    const question = await approval(page)
    if (await question.getByTestId('approval-command').isVisible()) break
    const id = await question.getAttribute('data-request')
    await question.getByRole('button', { name: 'Allow once' }).click()
    await page.locator(`[data-request="${id}"]`).waitFor({ state: 'detached' })
    await page.getByTestId('approval-card').waitFor()
  }
  await card(page, 'run_command').waitFor()
}

await main(process.argv.slice(2))
