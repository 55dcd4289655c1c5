import { readFile } from 'node:fs/promises'
import { expect, test } from './support/app.ts'
import { scenarios } from './scenarios/index.ts'
import { shipLogs, stampsFile } from './scenarios/longTask.ts'
import { lastAnswer, send } from './support/window.ts'

const task = 'Copy the stamps of all logs in logs/ into stamps.txt; begin it with the line "Harbour 7".'

test('a task of twice the context size succeeds with 8,192 tokens, and the window shows what fills the context', async ({
  launch,
}) => {
  const { page, path } = await launch({
    files: shipLogs,
    scenario: scenarios.longTask,
    settings: { mode: 'yolo', theme: 'dark' },
  })
  await send(page, task)
  await expect(lastAnswer(page)).toContainText('All stamps are copied.', { timeout: 30_000 })
  expect(await readFile(path('stamps.txt'), 'utf8')).toBe(stampsFile)

  const summary = page.getByTestId('summary').last()
  await expect(summary).toContainText(/[\d,]+ → [\d,]+ tokens/)
  await summary.getByRole('button').click()
  await expect(summary).toContainText('LOG 1 STAMP')
  await expect(summary).toContainText('Harbour 7')
  await summary.getByRole('button').click()

  const bar = page.getByTestId('context-bar')
  await bar.hover()
  const details = page.getByTestId('context-details')
  await expect(details.getByRole('row', { name: /^Window 8,192$/ })).toBeVisible()
  await expect(details.getByRole('row', { name: /^Files [\d,]+$/ })).toBeVisible()
  await expect(details).toContainText('Prompt: compact')

  const made = await page.getByTestId('summary').count()
  await bar.click()
  await details.getByRole('button', { name: 'Summarize now' }).click()
  await expect(page.getByRole('button', { name: 'Stop', exact: true })).toHaveCount(0)
  await expect(page.getByTestId('summary')).toHaveCount(made + 1)
  await send(page, 'Is that all?')
  await expect(page.getByRole('article', { name: 'Answer' }).filter({ hasText: 'All stamps are copied.' })).toHaveCount(
    2,
  )
})

test('the prompt profile of a conversation is chosen from the list, and the bar survives a reload', async ({
  launch,
}) => {
  const { page, reload, endpoint } = await launch({
    files: { 'logs/log-1.txt': 'x' },
    scenario: scenarios.slowAnswer,
    settings: { mode: 'yolo', theme: 'light' },
  })
  await send(page, 'slow start')
  endpoint?.release('go')
  await expect(lastAnswer(page)).toContainText('Here I am at last.')
  await page.getByTestId('context-bar').click()
  const details = page.getByTestId('context-details')
  await expect(details).toContainText('Context size unknown')
  await details.getByRole('button', { name: /^Prompt: compact/ }).click()
  await page.getByRole('option', { name: /^Minimal/ }).click()
  await send(page, 'slow start again')
  await expect(page.getByRole('article', { name: 'Answer' })).toHaveCount(2)
  await reload()
  await page.getByTestId('context-bar').click()
  await expect(page.getByTestId('context-details')).toContainText('Prompt: minimal')
})
