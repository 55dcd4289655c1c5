import type { Page } from '@playwright/test'
import { checkView } from './support/accessibility.ts'
import { expect, test } from './support/app.ts'
import { blade, files, install, json, pack } from './support/bladeExtension.ts'
import { withoutServers } from './support/settings.ts'
import { focusEditor, openFile, runPalette, shownText, tab } from './support/window.ts'

/** CSS color of the token that starts with a text. */
const colorOf = (page: Page, text: string) =>
  page
    .locator('.view-line span[class^="mtk"]', { hasText: text })
    .first()
    .evaluate((token) => getComputedStyle(token).color)

const page = (window: Page) => window.getByRole('region', { name: 'Extensions' })

test('an extension colors, completes, comments and marks files of a language, by keyboard alone', async ({
  launch,
}) => {
  const { page: window } = await launch({ files, settings: { ...withoutServers, theme: 'dark' } })
  await openFile(window, 'a.bld')
  const plain = await colorOf(window, 'forge')

  await install(window, blade)
  await expect(window.getByText('Installed Blade tools.')).toBeVisible()
  await expect.poll(() => colorOf(window, 'forge')).not.toBe(plain)
  expect(await colorOf(window, '~~')).not.toBe(plain)
  await expect(window.getByRole('button', { name: /^Language: Blade/ })).toBeVisible()

  await focusEditor(window)
  await window.keyboard.press('Control+End')
  await window.keyboard.type('temper')
  await expect.poll(() => colorOf(window, 'temper')).toBe(await colorOf(window, 'forge'))
  await window.keyboard.press('Control+/')
  await expect.poll(() => shownText(window)).toContain('~~ temper')
  await window.keyboard.press('End')
  await window.keyboard.press('Enter')
  await window.keyboard.type('newforge')
  await window
    .locator('.suggest-widget')
    .getByRole('option', { name: /newforge/ })
    .waitFor()
  await window.keyboard.press('Enter')
  await expect.poll(() => shownText(window)).toContain('forge "name" {')
  await window.keyboard.press('Escape')
  await window.keyboard.press('Control+End')
  await window.keyboard.type('«')
  await expect.poll(() => shownText(window)).toContain('«»')

  await runPalette(window, 'File icon theme')
  await expect(window.getByRole('dialog', { name: 'File icon theme' })).toBeVisible()
  await window.keyboard.press('ArrowDown')
  const image = window.getByRole('treeitem', { name: 'a.bld' }).locator('.ui-file-icon')
  await expect(image).toHaveCSS('background-image', /^url\("data:image\/svg\+xml/)
  await window.keyboard.press('Escape')
  await expect(image).toHaveCount(0)
  await runPalette(window, 'File icon theme')
  await window.getByRole('dialog', { name: 'File icon theme' }).waitFor()
  await window.keyboard.type('Steel')
  await window.keyboard.press('Enter')
  await expect(image).toHaveCSS('background-image', /^url/)
  await expect(tab(window, 'a.bld').locator('.ui-file-icon')).toHaveCSS('background-image', /^url/)

  await window.keyboard.press('Control+Shift+X')
  const row = page(window).getByRole('listitem').filter({ hasText: 'smith.blade' })
  await expect(row).toContainText('1 grammar blade')
  await expect(page(window).getByRole('button', { name: 'Install from VSIX…' })).toBeFocused()
  for (let presses = 0; presses < 3; presses++) await window.keyboard.press('Tab')
  await expect(page(window).getByRole('button', { name: 'Disable Blade tools' })).toBeFocused()
  await window.keyboard.press('Enter')
  await expect(row).toContainText('disabled')
  await expect(image).toHaveCount(0)
  await window.keyboard.press('Enter')
  await expect(row).not.toContainText('disabled')
  await window.keyboard.press('Tab')
  await window.keyboard.press('Tab')
  await window.keyboard.press('Enter')
  await expect(row).toContainText('Tizona runs no code of extensions.')
  await window.keyboard.press('Shift+Tab')
  await window.keyboard.press('Enter')
  await window
    .getByRole('dialog', { name: 'Remove Blade tools?' })
    .getByRole('button', { name: 'Remove' })
    .press('Enter')
  await expect(page(window)).toContainText('No extension is installed.')
})

test('an extension that is dropped brings a theme, a shortcut and a JSON schema, and is listed accessibly', async ({
  launch,
}) => {
  const { page: window } = await launch({ files, settings: { ...withoutServers, theme: 'system' } })
  await openFile(window, 'forge.json')
  const dropped = await window.evaluateHandle((data) => {
    const transfer = new DataTransfer()
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
    transfer.items.add(new File([bytes], 'blade.vsix'))
    return transfer
  }, pack(blade).toString('base64'))
  await window.dispatchEvent('.editor-group', 'drop', { dataTransfer: dropped })
  await expect(window.getByText('Installed Blade tools.')).toBeVisible()

  await expect(window.locator('.squiggly-warning')).toBeVisible()
  await focusEditor(window)
  await window.keyboard.press('Control+Alt+j')
  await expect(window.locator('.editor-group')).toHaveCount(2)

  await window.keyboard.press('Control+Shift+X')
  await expect(page(window).getByRole('heading', { name: 'Blade tools' })).toBeVisible()
  await page(window).getByText('2 parts not used').click()
  await checkView(window, 'extensions', { only: ['.extensions'] }, ['light', 'dark'])

  await runPalette(window, 'Color theme')
  await window.getByRole('dialog', { name: 'Color theme' }).waitFor()
  await window.keyboard.type('Night forge')
  await expect(window.locator('html')).toHaveCSS('--color-editor', '#101018')
  await window.keyboard.press('Enter')
  await openFile(window, 'a.bld')
  await expect.poll(() => colorOf(window, 'forge')).toBe('rgb(255, 136, 0)')
})

/** Runs in the page: returns the longest time between two frames, in milliseconds, until a function is called. */
function watchFrames(): void {
  const state = { last: performance.now(), longest: 0 }
  Object.assign(globalThis, { longestFrame: () => Math.round(state.longest) })
  const tick = (now: number) => {
    state.longest = Math.max(state.longest, now - state.last)
    state.last = now
    requestAnimationFrame(tick)
  }
  requestAnimationFrame(tick)
}

test('a grammar whose expressions take long costs the window no time, and is named', async ({ launch }) => {
  const hostile = {
    'package.json': json({
      name: 'hostile',
      contributes: {
        languages: [{ id: 'hostile', extensions: ['.bld'] }],
        grammars: [{ language: 'hostile', scopeName: 'source.hostile', path: './g.json' }],
      },
    }),
    // Oniguruma gives up after a second.
    'g.json': json({ scopeName: 'source.hostile', patterns: [{ match: '(a+)+$', name: 'keyword' }] }),
  }
  const { page: window } = await launch({
    files: { 'a.bld': `${'a'.repeat(300)}!\n`.repeat(30) },
    settings: { ...withoutServers, theme: 'dark' },
  })
  await openFile(window, 'a.bld')
  await window.evaluate(watchFrames)
  await install(window, hostile)
  await expect(window.getByText('Installed hostile.')).toBeVisible()
  await focusEditor(window)
  await window.keyboard.press('Control+End')
  await window.keyboard.type('typed meanwhile')
  await expect.poll(() => shownText(window)).toContain('typed meanwhile')
  await runPalette(window, 'Show notices')
  const notices = window.getByRole('region', { name: 'Notices' })
  await expect(notices).toContainText('The grammar source.hostile of an extension is not used.')
  // On a slow machine the first line already takes longer than the client waits.
  await expect(notices).toContainText(/10 lines took more than 0\.3 seconds each\.|A line took more than 3 seconds\./)
  // Ten lines take ten seconds. A window that waited for them would show no frame for as long.
  expect(await window.evaluate('longestFrame()')).toBeLessThan(3000)
  await focusEditor(window)
  await window.keyboard.press('Control+End')
  await window.keyboard.type(' and after')
  await expect.poll(() => shownText(window)).toContain('meanwhile and after')
})
