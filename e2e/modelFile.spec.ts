import { join } from 'node:path'
import { writeTinyModel } from '../src/main/model/testing/tinyModel.ts'
import { expect, test } from './support/app.ts'
import { lastAnswer, send } from './support/window.ts'

test('a model file answers and calls a tool without any server', async ({ launch }) => {
  const { page, workspace } = await launch({ files: { 'notes.txt': 'alpha\n' }, settings: { temperature: 0 } })
  const file = await writeTinyModel(join(workspace, '..', 'Tiny-random.gguf'))
  await page.keyboard.press('ControlOrMeta+,')
  const add = page.getByRole('button', { name: 'Add model file' })
  await add.click()
  await expect(page.getByLabel('Model file', { exact: true })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(add).toBeFocused()
  await page.keyboard.press('Enter')
  await page.getByLabel('Model file', { exact: true }).fill('relative.gguf')
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await expect(page.getByText('"relative.gguf" is not the absolute path of a .gguf file.')).toBeVisible()
  await page.getByLabel('Model file', { exact: true }).fill(file)
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await expect(page.getByTestId('endpoint-test')).toContainText('1 model: Tiny-random')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByTestId('endpoint').filter({ hasText: 'Tiny-random.gguf' })).toContainText('Model file')
  await page.keyboard.press('Escape')
  await send(page, 'read the notes')
  // The weights are random, but the grammar holds: a tool of the set, with arguments that its schema accepts.
  const call = page.getByTestId('tool-card').first()
  await expect(call).toBeVisible()
  await expect(page.getByRole('log')).not.toContainText('invalid_arguments')
  await expect(lastAnswer(page)).not.toBeEmpty()
  await expect(page.getByRole('button', { name: 'Stop', exact: true })).toHaveCount(0)
})
