import { appendFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import type { Browser } from 'playwright'
import { call, say, step, type Scenario } from '../src/main/model/scripted/scenario.ts'
import { picture, type Take } from './support/pictures.ts'
import { withoutServers } from './support/settings.ts'
import { lastAnswer, runPalette, send } from './support/window.ts'

/** Answers as an Ollama server without a model. */
function emptyOllama() {
  return createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    if (request.url === '/api/tags') return response.end('{"models":[]}')
    return response.writeHead(404).end('{}')
  })
}

/** Takes pictures of the first steps: with a running Ollama that has no model, and with a change to keep. */
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
        await page.getByText('Recommended', { exact: true }).waitFor()
        await take(page, 'first-steps', page.locator('.workbench'))
      },
    )
  } finally {
    server.close()
  }
  await keepPicture(browser, theme, take)
  await doctorPicture(browser, theme, take)
}

const keep: Scenario = {
  name: 'keep',
  turns: [
    {
      prompt: /.*/s,
      steps: [
        step('read', call('read_file', { path: 'package.json' })),
        step('write', call('write_file', { path: 'package.json', content: '{\n  "name": "harbour-shop"\n}\n' })),
        step('done', say('The name is `harbour-shop` now.')),
      ],
    },
  ],
}

/** Takes a picture of the last step, with a change in the review. */
async function keepPicture(browser: Browser, theme: 'dark' | 'light', take: Take): Promise<void> {
  const files = { 'package.json': '{\n  "name": "corner-shop"\n}\n', 'README.md': '# Corner shop\n' }
  const settings = { mode: 'yolo', ...withoutServers } as const
  const viewport = { width: 1280, height: 800 }
  await picture(browser, theme, { files, scenario: keep, settings, viewport }, async (page) => {
    await page.getByRole('treeitem', { name: 'README.md' }).waitFor()
    await runPalette(page, 'First steps')
    await page.getByRole('region', { name: 'First steps' }).waitFor()
    await send(page, 'Change name to harbour-shop in package.json.')
    await lastAnswer(page).getByText('now.').waitFor()
    await page.getByRole('region', { name: 'First steps' }).getByRole('button', { name: 'Review changes' }).click()
    await page.getByRole('button', { name: /^Keep/ }).first().waitFor()
    await page.getByText('4. Keep the change').scrollIntoViewIfNeeded()
    await take(page, 'first-steps-keep', page.locator('.workbench'))
  })
}

/** Takes a picture of what `tizona doctor` prints. */
async function doctorPicture(browser: Browser, theme: 'dark' | 'light', take: Take): Promise<void> {
  const scenario = { name: 'doctor', model: 'qwen3-coder:30b', contextWindow: 32_768, turns: [] }
  const viewport = { width: 1280, height: 900 }
  const root = join(import.meta.dirname, '..')
  const program = join(root, 'out', 'main', 'headless.js')
  await picture(
    browser,
    theme,
    { files: { 'README.md': '# Shop\n' }, scenario, settings: {}, viewport },
    async (page, _git, _endpoint, workspace) => {
      // The command of a Tizona that is installed in another folder.
      const variables = `TIZONA_ALLOW_ROOT=1 TIZONA_NO_DISCOVERY=1 TIZONA_USER_DATA='${join(dirname(workspace), 'user')}'`
      const masked = `sed 's#${root}#/opt/tizona#'`
      await appendFile(
        join(dirname(workspace), 'user', '.bashrc'),
        `PATH=/usr/bin:/bin\ntizona() { ${variables} '${process.execPath}' '${program}' "$@" | ${masked}; }\n`,
      )
      await page.getByRole('treeitem', { name: 'README.md' }).waitFor()
      await runPalette(page, 'Toggle chat panel')
      await runPalette(page, 'Toggle side bar')
      await runPalette(page, 'New terminal')
      const terminal = page.getByTestId('terminal')
      await page.getByRole('textbox', { name: /^Terminal: / }).waitFor()
      for (let presses = 0; presses < 12; presses++)
        await page.getByRole('separator', { name: 'Resize bottom panel' }).press('ArrowUp')
      await terminal.getByRole('textbox').focus()
      await page.keyboard.type('tizona doctor | head -26\n')
      const rows = terminal.locator('.xterm-rows')
      await rows.getByText(/^Notebooks/).waitFor({ timeout: 120_000 })
      await rows
        .getByText(/^harbour\$/)
        .nth(1)
        .waitFor()
      await take(page, 'doctor', terminal)
    },
  )
}
