import { existsSync } from 'node:fs'
import { expect, test } from './support/app.ts'
import { allowOnce, approval, card, cardIs, lastAnswer, send } from './support/window.ts'
import { scenarios } from './scenarios/index.ts'

test('a secret file and a protected path require approval, in yolo mode too, and searches exclude secrets', async ({
  launch,
}) => {
  const app = await launch({
    files: { '.env': 'TOKEN=needle\n', 'prod.env': 'TOKEN=needle\n', 'a.txt': 'a needle\n' },
    scenario: scenarios.guardedPlaces,
    settings: { mode: 'yolo' },
  })
  await send(app.page, 'look at the places')

  await expect(await approval(app.page)).toContainText('It uses the secret file .env')
  await allowOnce(app.page)
  await cardIs(app.page, 'read_file', 'done')

  const second = app.page.locator('[data-testid="approval-card"]', { hasText: 'protected path' })
  await expect(second).toContainText('A CI server runs it')
  await expect(second.getByRole('button', { name: /^Allow for this session/ })).toHaveCount(0)
  await second.getByRole('button', { name: 'Refuse' }).click()

  await expect(lastAnswer(app.page)).toContainText('I read one file and wrote none.')
  await expect(card(app.page, 'grep_search')).toContainText('1 match')
  expect(existsSync(app.path('.github/workflows/ci.yml'))).toBe(false)
})
