import { expect, test } from './support/app.ts'
import { card, cardIs, lastAnswer, send } from './support/window.ts'
import { scenarios } from './scenarios/index.ts'

test('2,000 lines of output reach the panel and the model completely', async ({ launch }) => {
  const { page } = await launch({ files: { 'a.txt': 'a' }, scenario: scenarios.longOutput, settings: { mode: 'yolo' } })
  await send(page, 'print the numbers')
  await cardIs(page, 'run_command', 'done')
  await expect(lastAnswer(page)).toContainText('The last number was 2000.')
  const found = card(page, 'run_command')
  // A card that showed its command running stays open; its terminal may still be loading.
  const fold = found.locator('.tool-card-toggle')
  if ((await fold.getAttribute('aria-expanded')) === 'false') await fold.click()
  await expect(found.locator('.xterm-rows')).toContainText('line 2000')
})
