import { createServer } from 'node:net'
import { once } from 'node:events'
import { answer, call, say, step, type Scenario } from '../src/main/model/scripted/scenario.ts'
import { expect, test } from './support/app.ts'
import { graphicsCard } from './support/graphicsCard.ts'
import { lastAnswer, newConversation, pressWithKeys, runPalette, send, tabTo } from './support/window.ts'
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

/** Each message names a fault of the server. */
const faults: Scenario = {
  name: 'faults',
  turns: [
    ...scenarios.slowAnswer.turns,
    ...scenarios.httpErrors.turns,
    ...scenarios.cutOff.turns.map((turn) => ({ ...turn, prompt: /^hello/ })),
    ...scenarios.invalidArguments.turns.map((turn) => ({ ...turn, prompt: /^read the notes/ })),
  ],
}

test('each fault of an endpoint is reported, and the conversation continues after it', async ({ launch }) => {
  const { page, endpoint } = await launch({ files, scenario: faults })
  const notice = page.getByRole('log').getByRole('alert')
  for (const [prompt, words] of [
    ['server error', 'the scripted server fell over'],
    ['no model', 'scripted'],
    ['web page', 'HTML'],
  ] as const) {
    await test.step(`the answer "${prompt}" is reported with the reason, and the next attempt works`, async () => {
      await send(page, prompt)
      await expect(notice).toContainText(new RegExp(words, 'i'))
      await notice.getByRole('button', { name: /Retry/i }).click()
      await expect(lastAnswer(page)).toContainText(`Recovered from: ${prompt}.`)
    })
    await newConversation(page)
  }

  await test.step('an interrupted answer keeps its text, is marked as interrupted, and can be retried', async () => {
    await send(page, 'hello')
    await expect(lastAnswer(page)).toContainText('This answer will not')
    await expect(notice).toBeVisible()
    await notice.getByRole('button', { name: /Retry/i }).click()
    await expect(lastAnswer(page)).toContainText('This answer is whole.')
  })

  await newConversation(page)
  await test.step('an answer that is slow can be stopped before it starts and continues after a pause', async () => {
    const stop = page.getByRole('button', { name: 'Stop', exact: true })
    const requests = () => endpoint?.requests.filter(({ path }) => path.endsWith('/chat/completions')) ?? []
    const before = requests().length
    await send(page, 'slow start')
    await expect(stop).toBeVisible()
    await expect.poll(() => requests().length).toBe(before + 1)
    await stop.click()
    await expect(stop).toHaveCount(0)
    expect(await requests().at(-1)?.ended).toBe('broken')
    await send(page, 'slow middle')
    await expect(lastAnswer(page)).toContainText('I begin')
    endpoint?.release('go')
    await expect(lastAnswer(page)).toContainText('I begin and I end.')
  })

  await newConversation(page)
  await test.step('the model receives an error for arguments that are not JSON, and continues', async () => {
    await send(page, 'read the notes')
    await expect(lastAnswer(page)).toContainText('Now I have read it.')
    expect(endpoint?.mismatches).toEqual([])
  })

  await newConversation(page)
  await test.step('a message waits until the model is loaded', async () => {
    await send(page, 'loading')
    await expect(lastAnswer(page)).toContainText('Recovered from: loading.')
  })

  await newConversation(page)
  await test.step('a model whose server refuses tools gets them in its prompt instead', async () => {
    await send(page, 'no tools')
    await expect(lastAnswer(page)).toContainText('Recovered from: no tools.')
    await expect(notice).toHaveCount(0)
  })
})

const qwen = 'qwen3-coder:30b'

test('options of a model are set by keyboard and sent, and an answer shows the seconds and energy of its turn', async ({
  launch,
}) => {
  const card = await graphicsCard(200)
  try {
    const pause = { kind: 'pause', ms: 1000 } as const
    const read = { title: 'read', play: () => answer(pause, call('read_file', { path: 'notes.txt' })) }
    const { page, endpoint } = await launch({
      files,
      scenario: {
        name: 'options',
        model: qwen,
        turns: [{ prompt: /^read/, steps: [read, step('tell', pause, say('It is alpha.'))] }],
      },
      settings: { model: { endpointId: 'scripted', model: qwen }, suggestToolset: false },
    })
    await runPalette(page, 'Settings')
    await pressWithKeys(page.getByRole('button', { name: 'Change Scripted' }))
    const form = page.getByRole('form', { name: 'Change Scripted' })
    await pressWithKeys(form.locator('summary'))
    await tabTo(form.getByLabel('Thinking', { exact: true }))
    await page.keyboard.type('Extra')
    await expect(form.getByLabel('Thinking', { exact: true })).toHaveValue('xhigh')
    await tabTo(form.getByLabel('Thinking budget'))
    await page.keyboard.type('512')
    await pressWithKeys(form.getByRole('button', { name: 'Use the samplers that Qwen publishes' }))
    await expect(form.getByLabel('Top k')).toHaveValue('20')
    await pressWithKeys(form.getByRole('button', { name: 'Save' }))
    await expect(form).toHaveCount(0)

    await send(page, 'read the notes')
    await expect(lastAnswer(page)).toContainText('It is alpha.')
    expect(endpoint?.requests.findLast(({ path }) => path.endsWith('/chat/completions'))?.body).toMatchObject({
      temperature: 0.7,
      top_p: 0.8,
      top_k: 20,
      repeat_penalty: 1.05,
      reasoning_effort: 'xhigh',
      thinking_budget_tokens: 512,
    })
    const usage = page.getByTestId('usage')
    await expect(usage).toHaveText(/^qwen3-coder:30b.* · \d+ s · \d+ mWh$/)
    await expect(usage).toHaveAttribute('title', /The turn: 2 requests in .*graphics card/)
    // In the narrowest panel the name of the model is on a line of its own.
    const edge = page.getByRole('separator', { name: 'Resize chat panel' })
    for (let presses = 0; presses < 12; presses++) await edge.press('ArrowRight')
    await expect(usage.getByText(qwen)).toBeInViewport({ ratio: 1 })
    const name = await usage.getByText(qwen).boundingBox()
    expect(name?.width).toBeGreaterThan(80)
  } finally {
    await card.remove()
  }
})
