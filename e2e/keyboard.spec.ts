import { readFile } from 'node:fs/promises'
import { call, say, step } from '../src/main/model/scripted/scenario.ts'
import { expect, onlyBrowser, test } from './support/app.ts'
import { cardIs, focusEditor, lastAnswer, openFile, runPalette, send, shownText, tab } from './support/window.ts'
import { scenarios } from './scenarios/index.ts'

test('a first session works by keyboard alone: tree, editor, palette, chat, approval', async ({ launch }) => {
  const app = await launch({ files: { 'src/a.txt': 'alpha\n' }, scenario: scenarios.runCommand })
  const { page } = app
  const keys = page.keyboard

  await keys.press('Control+Shift+e')
  await expect(page.getByRole('tree')).toContainText('src')
  await expect.poll(() => page.evaluate(() => document.activeElement?.closest('[role=tree]') !== null)).toBe(true)
  await keys.press('Home')
  await keys.press('ArrowRight')
  await expect(page.getByRole('treeitem', { name: 'a.txt' })).toBeVisible()
  await keys.press('ArrowDown')
  await keys.press('Enter')
  await expect(tab(page, 'a.txt')).toHaveAttribute('aria-selected', 'true')

  await keys.press('Control+Alt+e')
  await expect.poll(() => page.evaluate(() => document.activeElement?.closest('.monaco-editor') !== null)).toBe(true)
  await keys.press('Control+End')
  await keys.type('typed')
  await keys.press('Control+s')
  await expect.poll(() => readFile(app.path('src/a.txt'), 'utf8')).toBe('alpha\ntyped')

  await keys.press('F1')
  await expect(page.getByRole('combobox')).toBeFocused()
  await keys.type('new conversation')
  await keys.press('Enter')
  await keys.press('Control+l')
  const message = page.getByRole('textbox', { name: 'Message', exact: true })
  await expect(message).toBeFocused()
  await keys.type('run: touch typed && echo by keyboard')
  await keys.press('Enter')

  const question = page.getByTestId('approval-card')
  await expect(question).toHaveAttribute('data-armed', 'true')
  // The composer is empty after sending, so the request takes the focus, and Enter answers it.
  await expect(question).toBeFocused()
  await keys.press('Enter')
  await cardIs(page, 'run_command', 'done')
  await expect(lastAnswer(page)).toContainText('by keyboard')
  await expect(message).toBeFocused()

  // Typing moves the focus to the composer and keeps it there until the user presses the key for the request.
  await keys.type('run: touch again')
  await keys.press('Enter')
  await expect(question).toBeFocused()
  await keys.type('next')
  await expect(message).toBeFocused()
  await expect(message).toHaveValue('next')
  await keys.press('Control+Shift+Y')
  await expect(question).toBeFocused()
  await expect(question).toHaveAttribute('data-armed', 'true')
  await keys.press('Control+Enter')
  await cardIs(page, 'run_command', 'done')
  await expect(page.getByTestId('tool-card')).toHaveCount(2)
})

test('a new terminal gets the keyboard focus', async ({ launch }) => {
  const app = await launch({ files: { 'a.txt': 'alpha\n' } })
  const { page } = app
  await openFile(page, 'a.txt')
  await focusEditor(page)
  await page.keyboard.press('F1')
  await page.getByRole('combobox').fill('new terminal')
  await page.keyboard.press('Enter')
  const terminal = page.getByTestId('terminal')
  await expect(terminal).toHaveAttribute('data-live', 'true')
  await expect(terminal.locator('.xterm-helper-textarea')).toBeFocused()
  await page.keyboard.type('echo to-the-terminal > proof.txt\n')
  await expect.poll(() => readFile(app.path('proof.txt'), 'utf8').catch(() => '')).toBe('to-the-terminal\n')
  await expect.poll(() => shownText(page)).toContain('alpha')
  expect(await shownText(page)).not.toContain('echo')
})

test(
  'closing a dialog or a list returns the focus, and a page that opens takes it',
  onlyBrowser,
  async ({ launch }) => {
    const { page } = await launch({ files: { 'a.txt': 'alpha\n', 'data.bin': Buffer.from([0, 1, 2]) } })
    await openFile(page, 'a.txt')
    await focusEditor(page)
    const text = page.getByRole('textbox', { name: 'Editor' })
    await expect(text).toBeFocused()
    for (const [command, name] of [
      ['Open log', 'Log'],
      ['Show audit log', 'Audit log'],
      ['Clone repository', 'Clone repository'],
      ['Manage folder trust', /trust/i],
      ['Open folder…', 'Open folder'],
    ] as const) {
      await test.step(command, async () => {
        await runPalette(page, command)
        const dialog = page.getByRole('dialog', { name })
        await expect(dialog.locator(':focus')).toHaveCount(1)
        await page.keyboard.press('Escape')
        await expect(dialog).toHaveCount(0)
        await expect(text).toBeFocused()
      })
    }
    await runPalette(page, 'Show notices')
    await expect(page.getByRole('button', { name: 'Clear all notices' })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(text).toBeFocused()

    const modelCheck = page.getByRole('tabpanel', { name: 'Check my model' })
    const toolSearch = page.getByLabel('Search tools')
    for (const [command, focused] of [
      ['Settings', page.getByLabel('Search settings')],
      ['Check my model', modelCheck],
      ['Tool console', toolSearch],
      ['Keyboard shortcuts', page.getByLabel('Search commands or keys')],
    ] as const) {
      await page.keyboard.press('Control+l')
      await runPalette(page, command)
      await expect(focused).toBeFocused()
    }
    await expect(page.getByRole('row', { name: 'Editor: Toggle Line Comment' })).toBeVisible()
    await page.keyboard.press('Alt+w')
    await expect(toolSearch).toBeFocused()
    await page.keyboard.press('Alt+w')
    await expect(modelCheck).toBeFocused()
    await page.keyboard.press('Alt+w')
    await expect(page.getByLabel('Search settings')).toBeFocused()
    await page.keyboard.press('Alt+w')
    await expect(text).toBeFocused()
    await page.keyboard.press('Control+l')
    await page.keyboard.press('Control+p')
    await page.getByRole('combobox', { name: 'Go to' }).fill('data.bin')
    await expect(page.getByRole('option').first()).toContainText('data.bin')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('tabpanel', { name: 'data.bin' })).toBeFocused()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('tabpanel', { name: /data\.bin/ })).toBeFocused()
    await expect(page.getByText('00 01 02')).toBeVisible()
  },
)

test('a turn of many steps is announced when it starts and when it ends', onlyBrowser, async ({ launch }) => {
  const names = Array.from({ length: 6 }, (_, index) => `${index}.txt`)
  const steps = names.map((path) => step(`read ${path}`, call('read_file', { path })))
  const { page } = await launch({
    files: Object.fromEntries(names.map((name) => [name, 'alpha\n'])),
    scenario: { name: 'steps', turns: [{ prompt: /^read/, steps: [...steps, step('tell', say('All is read.'))] }] },
    settings: { mode: 'safe' },
  })
  await page.evaluate(followAnnouncements)
  await send(page, 'read it often')
  await expect(lastAnswer(page)).toContainText('All is read.')
  await expect
    .poll(() => page.evaluate(() => window.announced))
    .toEqual(['The model is working.', 'The answer is complete.'])
})

/** Collects the texts of live regions in `window.announced`, as a screen reader announces them. Runs in the page. */
function followAnnouncements(): void {
  window.announced = []
  const live = '[role=status], [role=alert], [role=log], [aria-live]'
  const announce = (region: Element | null | undefined): void => {
    const text = region?.textContent?.trim() || region?.getAttribute('aria-label')
    if (text && region?.getAttribute('aria-live') !== 'off' && window.announced.at(-1) !== text)
      window.announced.push(text)
  }
  new MutationObserver((records) => {
    for (const { type, target, addedNodes } of records) {
      for (const node of type === 'characterData' ? [target] : addedNodes) {
        announce((node instanceof Element ? node : node.parentElement)?.closest(live))
        if (node instanceof Element) node.querySelectorAll(live).forEach(announce)
      }
    }
  }).observe(document.body, { subtree: true, childList: true, characterData: true })
}

declare global {
  interface Window {
    /** Set by `followAnnouncements` in the page. */
    announced: string[]
  }
}
