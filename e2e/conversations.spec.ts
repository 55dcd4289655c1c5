import { expect, test } from './support/app.ts'
import { lastAnswer, send } from './support/window.ts'
import { scenarios } from './scenarios/index.ts'

test('two conversations run at the same time and keep to themselves', async ({ launch }) => {
  const { page, endpoint } = await launch({ files: { 'a.txt': 'a' }, scenario: scenarios.twoConversations })
  await send(page, 'conversation one')
  await expect(lastAnswer(page)).toContainText('Begin one.')
  await page.getByRole('button', { name: /New conversation/ }).click()
  await expect(page.getByText('Begin one.')).toHaveCount(0)
  await send(page, 'conversation two')
  await expect(lastAnswer(page)).toContainText('Begin two.')
  endpoint?.release('one')
  endpoint?.release('two')
  await expect(lastAnswer(page)).toContainText('Begin two. End two.')
  await expect(page.getByText('End one.')).toHaveCount(0)
  await page.getByRole('button', { name: /Past conversations/ }).click()
  await page.getByRole('region', { name: 'Past conversations' }).getByText('conversation one').click()
  await expect(lastAnswer(page)).toContainText('Begin one. End one.')
})

test('a message typed while a turn runs is queued, and sent after it', async ({ launch }) => {
  const { page, endpoint } = await launch({ files: { 'a.txt': 'a' }, scenario: scenarios.twoConversations })
  await send(page, 'conversation one')
  await expect(lastAnswer(page)).toContainText('Begin one.')
  await send(page, 'conversation two')
  await expect(page.getByRole('list', { name: 'Queued messages' })).toContainText('conversation two')
  endpoint?.release('one')
  await expect(lastAnswer(page)).toContainText('Begin two.')
  endpoint?.release('two')
  await expect(lastAnswer(page)).toContainText('End two.')
})

test('an earlier message can be edited and sent again', async ({ launch }) => {
  const { page, endpoint } = await launch({ files: { 'a.txt': 'a' }, scenario: scenarios.twoConversations })
  for (const word of ['one', 'two', 'three']) endpoint?.release(word)
  await send(page, 'conversation one')
  await expect(lastAnswer(page)).toContainText('End one.')
  await send(page, 'conversation two')
  await expect(lastAnswer(page)).toContainText('End two.')
  const first = page.getByRole('article', { name: 'You' }).first()
  await first.hover()
  await first.getByRole('button', { name: 'Edit and send again' }).click()
  await page.getByRole('textbox', { name: 'Edited message' }).fill('conversation three')
  await page.getByRole('textbox', { name: 'Edited message' }).press('Enter')
  await expect(lastAnswer(page)).toContainText('End three.')
  await expect(page.getByRole('article', { name: 'You' })).toHaveCount(1)
})
