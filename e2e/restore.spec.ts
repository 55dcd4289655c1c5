import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, notElectron, test } from './support/app.ts'
import { lastAnswer, send } from './support/window.ts'
import { scenarios } from './scenarios/index.ts'

const price = 'export function price(net: number, rate: number): number {\n  return net * rate\n}\n'
const files = { 'src/price.ts': price, 'notes.md': '# Notes\n' }

async function more(page: Page, message: number, item: string): Promise<void> {
  const article = page.getByRole('article', { name: 'You' }).nth(message)
  await article.hover()
  await article.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: item }).click()
}
const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

test('a bad turn is restored or forked, and both can be undone', async ({ launch }) => {
  const { page, workspace } = await launch({ files, scenario: scenarios.badTurn, settings: { mode: 'yolo' } })
  await test.step('after a bad turn, files and conversation are restored, the message is edited, and the restore can be undone', async () => {
    await send(page, 'Look at the price first')
    await expect(lastAnswer(page)).toContainText('net times rate')
    await send(page, 'Round the price')
    await expect(lastAnswer(page)).toContainText('I have rounded')
    expect(await exists(join(workspace, 'notes.md'))).toBe(false)

    await more(page, 1, 'Restore…')
    const dialog = page.getByRole('dialog', { name: 'Restore to this message' })
    await expect(dialog.getByRole('listitem')).toHaveText([
      /generated\/junk\.txt.*Created\. Will be deleted\./,
      /notes\.md.*Deleted\. Will be restored\./,
      /price\.ts.*Changed\. Will be restored\./,
    ])
    await dialog.getByRole('button', { name: /price\.ts/ }).click()
    await expect(dialog.getByRole('region', { name: 'Diff of src/price.ts' })).toContainText('NaN')
    await dialog.getByRole('button', { name: 'Files and conversation' }).click()

    await expect(dialog).toHaveCount(0)
    await expect(page.getByText('I have rounded')).toHaveCount(0)
    await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('Round the price')
    expect(await readFile(join(workspace, 'src/price.ts'), 'utf8')).toBe(price)
    expect(await readFile(join(workspace, 'notes.md'), 'utf8')).toBe('# Notes\n')
    expect(await exists(join(workspace, 'generated'))).toBe(false)

    // As many as the dialog listed: a folder removed with its file does not count.
    await expect(page.getByText('3 files were restored. The conversation was restored to this point.')).toBeVisible()
    await page.getByRole('button', { name: 'Undo restore' }).click()
    await expect(lastAnswer(page)).toContainText('I have rounded')
    await expect(page.getByText('The restore was undone.')).toBeVisible()
    expect(await exists(join(workspace, 'notes.md'))).toBe(false)
    expect(await readFile(join(workspace, 'generated/junk.txt'), 'utf8')).toBe('junk')
  })

  await test.step('a fork starts another conversation and does not change the first one', async () => {
    await more(page, 1, 'Fork the conversation here')
    await expect(page.getByRole('article', { name: 'You' })).toHaveCount(1)
    const field = page.getByRole('textbox', { name: 'Message' })
    await expect(field).toHaveValue('Round the price')
    await field.fill('Only round')
    await field.press('Enter')
    await expect(lastAnswer(page)).toContainText('NaN')
    await page.getByRole('button', { name: /Past conversations/ }).click()
    await page
      .getByRole('region', { name: 'Past conversations' })
      .getByText('Look at the price first', { exact: true })
      .click()
    await expect(lastAnswer(page)).toContainText('I have rounded')
  })
})

test('past conversations are found by words, pinned, exported and imported', notElectron, async ({ launch }) => {
  const { page } = await launch({ files, scenario: scenarios.badTurn, settings: { mode: 'yolo' } })
  await send(page, 'Look at the price first')
  await expect(lastAnswer(page)).toContainText('net times rate')
  await page.getByRole('button', { name: /New conversation/ }).click()
  await send(page, 'Only round')
  await expect(lastAnswer(page)).toContainText('It reads')

  await page.getByRole('button', { name: /Past conversations/ }).click()
  const list = page.getByRole('region', { name: 'Past conversations' })
  await list.getByRole('searchbox').fill('times NET')
  await expect(list.getByRole('listitem')).toHaveCount(1)
  await expect(list.locator('mark')).toHaveText(['net', 'times'])
  await list.getByRole('listitem').hover()
  await list.getByRole('button', { name: 'More actions for Look at the price first' }).click()
  await page.getByRole('menuitem', { name: 'Pin to the top' }).click()
  await list.getByRole('searchbox').fill('')
  await expect(list.getByRole('listitem')).toHaveCount(2)
  await expect(list.getByRole('listitem').first()).toContainText('Look at the price first')

  await list.getByRole('listitem').first().hover()
  await list.getByRole('button', { name: 'More actions for Look at the price first' }).click()
  const downloading = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Export as JSON' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('look-at-the-price-first.json')
  const choosing = page.waitForEvent('filechooser')
  await page.keyboard.press('F1')
  await page.keyboard.type('Import conversation')
  await page.keyboard.press('Enter')
  await (await choosing).setFiles(await download.path())
  await expect(lastAnswer(page)).toContainText('net times rate')
  await page.getByRole('button', { name: /Past conversations/ }).click()
  await expect(list.getByRole('listitem')).toHaveCount(3)
})
