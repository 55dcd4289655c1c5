import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { writeFile } from 'node:fs/promises'
import { checkView } from './support/accessibility.ts'
import { expect, test } from './support/app.ts'

/** Ollama without a model, which gets the one that is downloaded and calls a tool with it. */
async function startOllama(): Promise<{ url: string; close(): void }> {
  let models: { name: string }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString()))
    request.on('end', () => {
      const line = (value: object) => response.write(`${JSON.stringify(value)}\n`)
      if (request.url === '/api/tags') line({ models })
      else if (request.url === '/api/show') line({ capabilities: ['completion', 'tools'] })
      else if (request.url === '/api/pull') {
        // The request names the model.
        models = [{ name: (JSON.parse(body) as { model: string }).model }]
        line({ status: 'pulling aa', digest: 'sha256:aa', total: 10, completed: 10 })
        line({ status: 'success' })
      } else if (request.url === '/api/chat') {
        const call = { function: { name: 'read_file', arguments: { path: 'notes.txt' } } }
        line({ message: { role: 'assistant', content: '', tool_calls: [call] }, done: false })
        line({ message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' })
      } else response.statusCode = 404
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address object.
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

test('the first steps: a model is downloaded and checked, and a task for the folder is suggested', async ({
  launch,
}) => {
  const ollama = await startOllama()
  try {
    const { page } = await launch({
      settings: {
        endpoints: [{ id: 'o', name: 'Ollama', kind: 'ollama', baseUrl: ollama.url, hasKey: false }],
      },
      prepare: (workspace) => writeFile(`${workspace}/package.json`, '{"scripts":{"test":"node --test"}}'),
    })
    await page.getByRole('button', { name: 'Set up a model' }).click()
    const steps = page.getByRole('region', { name: 'First steps' })
    await steps.getByRole('button', { name: 'Download qwen3:4b' }).click()
    await expect(steps.getByText('Ready: Ollama (1 model)')).toBeVisible()
    await steps.getByRole('button', { name: 'Check model' }).click()
    await expect(steps.getByText('The model calls tools.')).toBeVisible()
    await steps.getByText('Install another server').click()
    await checkView(page, 'first steps with a downloaded model')
    await steps.getByText(/What needs your approval: Safe mode/).click()
    await steps.getByRole('radio', { name: /Cautious/ }).click()
    await page.getByRole('tab', { name: 'First steps' }).press('Delete')
    await expect(
      page.getByRole('button', { name: 'Run the tests with `npm test` and explain what fails' }),
    ).toBeVisible()
    const status = page.getByRole('contentinfo', { name: 'Status' })
    await expect(status.getByText('Cautious')).toBeVisible()
    await expect(status.getByText('qwen3:4b')).toBeVisible()
  } finally {
    ollama.close()
  }
})
