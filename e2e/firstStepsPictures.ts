import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright'
import { picture, type Take } from './support/pictures.ts'

/** Answers as an Ollama server without a model. */
function emptyOllama() {
  return createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    if (request.url === '/api/tags') return response.end('{"models":[]}')
    return response.writeHead(404).end('{}')
  })
}

/** Takes a picture of the first steps with a running Ollama that has no model. */
export async function firstStepsPictures(browser: Browser, theme: 'dark' | 'light', take: Take): Promise<void> {
  const server = emptyOllama()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address object.
  const { port } = server.address() as AddressInfo
  try {
    await picture(
      browser,
      theme,
      {
        files: {
          'package.json': '{"scripts":{"test":"node --test"}}\n',
          'src/fees.ts': '// TODO: fees of long ships\n',
        },
        scenario: { name: 'first-steps', turns: [] },
        settings: {
          endpoints: [{ id: 'o', name: 'Ollama', kind: 'ollama', baseUrl: `http://127.0.0.1:${port}`, hasKey: false }],
        },
        viewport: { width: 1280, height: 800 },
      },
      async (page) => {
        await page.getByRole('button', { name: 'Set up a model' }).click()
        await page.getByText('Recommended').waitFor()
        await take(page, 'first-steps', page.locator('.workbench'))
      },
    )
  } finally {
    server.close()
  }
}
