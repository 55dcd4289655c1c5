import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from './support/app.ts'
import { card, cardIs, lastAnswer, send } from './support/window.ts'
import { scenarios } from './scenarios/index.ts'

test('if one patch of a call fails, the file stays unchanged', async ({ launch }) => {
  const app = await launch({
    files: { 'notes.txt': 'alpha\nbeta\n' },
    scenario: scenarios.failingMultiPatch,
    settings: { mode: 'yolo' },
  })
  await send(app.page, 'patch the notes')
  const found = await cardIs(app.page, 'apply_patch', 'failed')
  await expect(found).toContainText('no patch was applied')
  await expect(lastAnswer(app.page)).toContainText('refused as a whole')
  expect(await readFile(app.path('notes.txt'), 'utf8')).toBe('alpha\nbeta\n')
})

test('paths outside the folder are refused, in yolo too, and the refusal shows', async ({ launch }) => {
  const app = await launch({ files: { 'a.txt': 'a' }, scenario: scenarios.pathEscape, settings: { mode: 'yolo' } })
  await writeFile(join(app.workspace, '..', 'secret.txt'), 'the secret')
  await send(app.page, 'escape')
  await expect(lastAnswer(app.page)).toContainText('Both were refused.')
  await expect(card(app.page, 'read_file')).toContainText('outside')
  await expect(app.page.getByText('the secret')).toHaveCount(0)
  expect(existsSync(join(app.workspace, '..', 'planted.txt'))).toBe(false)
})
