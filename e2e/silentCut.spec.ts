import { expect, test } from './support/app.ts'
import { lastAnswer, send } from './support/window.ts'
import { scenarios } from './scenarios/index.ts'

const files = { 'long.txt': 'A line of a long file that the model has to read.\n'.repeat(900) }

test('a silent context cut is reported once in the conversation, with a hint', async ({ launch }) => {
  const { page } = await launch({ files, scenario: scenarios.silentCut })
  const cut = page.getByRole('log').getByText(/read only 4,096 of about/)
  await send(page, 'read the long file')
  await expect(lastAnswer(page)).toContainText('I have read it.')
  await expect(cut).toHaveCount(1)
  await expect(cut).toContainText('silently dropped')
  await expect(cut).toContainText('larger context')
  await send(page, 'and hello')
  await expect(lastAnswer(page)).toContainText('Hello again.')
  await expect(cut).toHaveCount(1)
})
