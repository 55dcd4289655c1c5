import { checkView, inDialog, inPanel } from './support/accessibility.ts'
import { expect, test } from './support/app.ts'
import { runPalette } from './support/window.ts'

test('terminals are side by side, named and searched after a reload too, and their output goes to the chat', async ({
  launch,
}) => {
  const { page } = await launch({ files: { 'a.txt': 'alpha\n' } })
  const keys = page.keyboard
  const terminals = page.getByTestId('terminal')
  const focused = (name: string) => expect(page.getByRole('textbox', { name, exact: true })).toBeFocused()

  const first = page.getByRole('textbox', { name: /^Terminal: / })
  await keys.press('Control+Backquote')
  await expect(first).toBeFocused()
  await keys.press('Control+Backquote')
  await expect(first, 'the same key hides the panel').toBeHidden()
  await keys.press('Control+Backquote')
  await expect(first, 'and shows the same terminal').toBeFocused()
  await expect(terminals).toHaveCount(1)
  await runPalette(page, 'rename terminal')
  const dialog = page.getByRole('dialog', { name: 'Rename terminal' })
  await dialog.getByRole('textbox').fill('server')
  await keys.press('Enter')
  await expect(dialog).toBeHidden()
  const server = page.getByRole('region', { name: 'server', exact: true })
  await expect(server).toBeVisible()
  await server.getByRole('textbox').focus()
  // The shell draws its command line again after a split, so the searched word stands only in the output.
  await keys.type("printf 'one\\nneed%s two need%s\\n' le le\n")
  await expect(server.locator('.xterm-rows')).toContainText('needle two needle')

  await keys.press('Control+Shift+Digit5')
  await expect(terminals).toHaveCount(2)
  await expect(server.getByRole('textbox')).not.toBeFocused()
  await keys.press('Alt+ArrowLeft')
  await focused('Terminal: server')

  await keys.press('Control+f')
  const field = page.getByRole('textbox', { name: 'Find in terminal' })
  await field.fill('needle')
  await expect(page.getByRole('status').filter({ hasText: '2 of 2' })).toBeVisible()
  await field.press('Shift+Enter')
  await expect(page.getByRole('status').filter({ hasText: '1 of 2' })).toBeVisible()
  await field.press('Escape')
  await focused('Terminal: server')

  // The match is still selected.
  const draft = page.getByRole('textbox', { name: 'Message', exact: true })
  await keys.press('Control+l')
  await expect(draft).toBeFocused()
  await expect(draft).toHaveValue(/From the terminal `server`:\n\n```\nneedle\n```/)
  await draft.fill('')

  await page.reload()
  await expect(terminals).toHaveCount(2)
  await expect(server.locator('.xterm-rows')).toContainText('needle two needle')
  await server.getByTestId('terminal').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Add last output to chat' }).click()
  await expect(draft).toHaveValue(/Last output of the terminal `server`:\n\n```\none\nneedle two needle\n```/)
})

test('each command of a terminal has a mark with its exit code, and recent ones can be run again', async ({
  launch,
}) => {
  const { page } = await launch({ files: { 'a.txt': 'alpha\n' } })
  const rows = page.getByTestId('terminal').locator('.xterm-rows')
  await page.keyboard.press('Control+Backquote')
  await expect(page.getByRole('textbox', { name: /^Terminal: / })).toBeFocused()
  await page.keyboard.type("cat a.txt; printf 'do%s\\n' ne\n")
  await expect(rows).toContainText('done')
  await page.keyboard.type('ls /missing\n')
  await expect(page.locator('.job-mark[data-state="succeeded"]')).toHaveAttribute('title', /exit code 0/)
  await expect(page.locator('.job-mark[data-state="failed"]')).toHaveAttribute('title', /exit code 2/)
  const [first, second] = await Promise.all(
    ['succeeded', 'failed'].map((state) => page.locator(`.job-mark[data-state="${state}"]`).boundingBox()),
  )
  const left = (await rows.boundingBox())?.x ?? 0
  expect(
    first && second && { beside: first.x < left, column: first.x === second.x, below: second.y > first.y },
  ).toEqual({
    beside: true,
    column: true,
    below: true,
  })
  await checkView(page, 'commands with their exit codes', inPanel)
  await page.keyboard.type('clear\n')
  await expect(rows).not.toContainText('done')
  await runPalette(page, 'Run recent command')
  const list = page.getByRole('dialog', { name: 'Run recent command' })
  await expect(list.getByRole('option')).toHaveText(['clear', 'ls /missing', "cat a.txt; printf 'do%s\\n' ne"])
  await checkView(page, 'recent commands', inDialog)
  await page.keyboard.type('cat')
  await page.keyboard.press('Enter')
  await expect(rows).toContainText('done')
})
