import { createServer } from 'node:net'
import { once } from 'node:events'
import { expect, test } from './support/app.ts'
import { lastAnswer, send } from './support/window.ts'
import { scenarios } from './scenarios/index.ts'

const files = { 'notes.txt': 'alpha\n' }

test('an endpoint that is down is reported with a hint, and works once it is up', async ({ launch }) => {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  const port = typeof address === 'object' && address ? address.port : 0
  await new Promise((resolve) => probe.close(resolve))
  const { page } = await launch({
    files,
    settings: {
      endpoints: [{ id: 'down', name: 'Down', kind: 'openai', baseUrl: `http://127.0.0.1:${port}`, hasKey: false }],
      model: { endpointId: 'down', model: 'm' },
    },
  })
  await send(page, 'hello')
  const notice = page.getByRole('log').getByRole('alert')
  await expect(notice).toContainText(String(port))
  await expect(notice.getByRole('button', { name: /Retry/i })).toBeVisible()
})

test('an endpoint that is slow can be stopped before and in the middle of its answer', async ({ launch }) => {
  const { page, endpoint } = await launch({ files, scenario: scenarios.slowAnswer })
  await send(page, 'slow start')
  await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeVisible()
  await expect.poll(() => endpoint?.requests.filter(({ path }) => path.endsWith('/chat/completions')).length).toBe(1)
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Stop', exact: true })).toHaveCount(0)
  expect(await endpoint?.requests.findLast(({ path }) => path.endsWith('/chat/completions'))?.ended).toBe('broken')
  await send(page, 'slow middle')
  await expect(lastAnswer(page)).toContainText('I begin')
  endpoint?.release('go')
  await expect(lastAnswer(page)).toContainText('I begin and I end.')
})

test('an interrupted answer keeps its text, is marked as interrupted, and can be retried', async ({ launch }) => {
  const { page } = await launch({ files, scenario: scenarios.cutOff })
  await send(page, 'hello')
  await expect(lastAnswer(page)).toContainText('This answer will not')
  const notice = page.getByRole('log').getByRole('alert')
  await expect(notice).toBeVisible()
  await notice.getByRole('button', { name: /Retry/i }).click()
  await expect(lastAnswer(page)).toContainText('This answer is whole.')
})

for (const [prompt, words] of [
  ['server error', 'the scripted server fell over'],
  ['no model', 'scripted'],
  ['web page', 'HTML'],
] as const) {
  test(`an endpoint that answers "${prompt}" is reported with the reason, and the next attempt works`, async ({
    launch,
  }) => {
    const { page } = await launch({ files, scenario: scenarios.httpErrors })
    await send(page, prompt)
    const notice = page.getByRole('log').getByRole('alert')
    await expect(notice).toContainText(new RegExp(words, 'i'))
    await notice.getByRole('button', { name: /Retry/i }).click()
    await expect(lastAnswer(page)).toContainText(`Recovered from: ${prompt}.`)
  })
}

test('a model whose server refuses tools gets them in its prompt instead', async ({ launch }) => {
  const { page } = await launch({ files, scenario: scenarios.httpErrors })
  await send(page, 'no tools')
  await expect(lastAnswer(page)).toContainText('Recovered from: no tools.')
  await expect(page.getByRole('log').getByRole('alert')).toHaveCount(0)
})

test('a message waits until the model is loaded', async ({ launch }) => {
  const { page } = await launch({ files, scenario: scenarios.httpErrors })
  await send(page, 'loading')
  await expect(lastAnswer(page)).toContainText('Recovered from: loading.')
})

test('the model receives an error for arguments that are not JSON, and the conversation continues', async ({
  launch,
}) => {
  const { page, endpoint } = await launch({ files, scenario: scenarios.invalidArguments })
  await send(page, 'read the notes')
  await expect(lastAnswer(page)).toContainText('Now I have read it.')
  expect(endpoint?.mismatches).toEqual([])
})
