import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { expect, test } from './support/app.ts'
import { withoutServers } from './support/settings.ts'
import { scenarios } from './scenarios/index.ts'
import { editor, focusEditor, openFile } from './support/window.ts'

const files = { 'sum.md': 'first\n\n' }
const scenario = scenarios.completion
const model = { endpointId: 'scripted', model: 'scripted' }
const completion = { enabled: true, inComments: true, model, nextEditModel: null, maxTokens: 128 }
/** The parts of the suggestion: the lines below the cursor, and those on its line around text that stays. */
const ghost = (page: Page) => page.locator('.view-lines [class*="ghost-text"], .suggest-preview-text')
/** The line before the cursor in each request for a completion. A prefetch starts on a later line. */
const prompts = (requests: readonly { path: string; body: unknown }[]) =>
  requests.flatMap(({ path, body }) => (path === '/infill' ? [(body as { prompt?: string }).prompt ?? ''] : []))

/** The text of the editor without the suggestion, which Monaco draws into the same lines. */
const typed = (page: Page) =>
  editor(page)
    .locator('.view-lines')
    .first()
    .evaluate((lines) => {
      const copy = lines.cloneNode(true) as HTMLElement
      for (const part of copy.querySelectorAll('[class*="ghost-text"], .inlineCompletions-char-insert')) part.remove()
      return [...copy.querySelectorAll<HTMLElement>('.view-line')]
        .toSorted((a, b) => Number.parseFloat(a.style.top) - Number.parseFloat(b.style.top))
        .map((line) => line.textContent)
        .join('\n')
        .replaceAll('\u00a0', ' ')
    })

/** Types at the end of the file. */
async function typeAtEnd(page: Page, text: string, file = 'sum.md'): Promise<void> {
  await openFile(page, file)
  await focusEditor(page)
  await page.keyboard.press('Control+End')
  await page.keyboard.type(text)
}

test('a suggestion is accepted in parts, cancelled by the next key, and turned off', async ({ launch }) => {
  const { page, endpoint } = await launch({
    files: { ...files, 'sum.ts': 'export {}\n\n' },
    scenario,
    settings: { completion: { ...completion, inComments: false }, ...withoutServers },
  })
  await test.step('a suggestion appears at the cursor and is accepted by the word, by the line, and as a whole', async () => {
    await typeAtEnd(page, 'function add(')
    await expect(ghost(page)).toHaveText(['  return a + b}', 'a: number, b: number', ': number {'])
    // The text is unchanged until the user accepts. Keys inside the suggestion need no request.
    await page.keyboard.type('a: ')
    await expect(ghost(page)).toHaveText(['  return a + b}', 'number, b: number', ': number {'])
    await expect.poll(() => typed(page)).toBe('first\n\nfunction add(a: )')
    await page.keyboard.press('Control+ArrowRight')
    await expect.poll(() => typed(page)).toBe('first\n\nfunction add(a: number)')
    await page.keyboard.press('Shift+Tab')
    await expect.poll(() => typed(page)).toBe('first\n\nfunction add(a: number, b: number)')
    await page.keyboard.press('Tab')
    await expect
      .poll(() => typed(page))
      .toBe('first\n\nfunction add(a: number, b: number): number {\n  return a + b\n}')
    expect(prompts(endpoint?.requests ?? []).filter((line) => line.startsWith('function add(a'))).toEqual([])
  })

  await test.step('the next key cancels a request at the server; comments and the status bar turn suggestions off', async () => {
    const requests = () => endpoint?.requests ?? []
    await typeAtEnd(page, '// function add(\n', 'sum.ts')
    await page.keyboard.type('wait(')
    await expect.poll(() => prompts(requests()).at(-1)).toBe('wait(')
    // Nothing was requested in the comment.
    expect(prompts(requests()).filter((line) => line.startsWith('//'))).toEqual([])
    const waiting = requests().findLast(({ path }) => path === '/infill')
    await page.keyboard.type('1')
    expect(await waiting?.ended).toBe('broken')

    await page.getByRole('button', { name: 'Inline completion is on. Turn it off.' }).click()
    await expect(page.getByRole('button', { name: 'Inline completion is off. Turn it on.' })).toBeVisible()
    await page.keyboard.press('Control+s')
    await focusEditor(page)
    await page.keyboard.press('Control+End')
    const before = prompts(requests()).length
    await page.keyboard.type('\nfunction add(')
    await page.keyboard.press('Control+s')
    await expect(page.getByRole('tab', { name: 'sum.ts', exact: true })).toBeVisible()
    await expect(ghost(page)).toHaveCount(0)
    expect(prompts(requests())).toHaveLength(before)
  })
})

test('a next edit appears as a diff, and Tab jumps to it and accepts it', async ({ launch }) => {
  const area = 'function area(w, height) {\n  log(height)\n\n  return w * height\n}\n'
  const zeta = { endpointId: 'scripted', model: 'zeta-2.1' }
  const { page, path } = await launch({
    files: { 'area.md': area },
    scenario,
    settings: { completion: { ...completion, model: null, nextEditModel: zeta } },
  })
  const errors: string[] = []
  page.on('pageerror', ({ message }) => errors.push(message))
  await openFile(page, 'area.md')
  await focusEditor(page)
  await page.keyboard.press('Control+Home')
  for (let key = 0; key < 'function area(w'.length; key += 1) await page.keyboard.press('ArrowRight')
  // At once: while the word is typed, Monaco can suggest the word itself, and its list hides the edit.
  await page.keyboard.insertText('idth')
  await expect(page.locator('.inline-edits-view-gutter-indicator .icon').first()).toBeVisible()
  // The text changes only when the user accepts.
  expect(await typed(page)).toContain('return w * height')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: /^Ln 4,/ })).toBeVisible()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Control+s')
  await expect
    .poll(() => readFile(path('area.md'), 'utf8'))
    .toBe(area.replace('(w,', '(width,').replace('w * height', 'width * height'))
  expect(errors).toEqual([])
})
