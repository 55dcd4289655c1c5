import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Page } from '@playwright/test'
import { allThemes, checkView } from './support/accessibility.ts'
import { expect, test } from './support/app.ts'
import { runPalette } from './support/window.ts'

// The Preview tab with a real Chromium and the dev server of a real Vite project.

const files = {
  'index.html': '<!doctype html><html lang="en"><title>Shop</title><div id="root"></div><script type="module" src="/main.js"></script></html>',
  'main.js': `const root = document.getElementById('root')
root.innerHTML = \`<h1>Shop</h1><button id="add">Add to cart</button> <output>0</output>
<label>Size <select><option>Small</option><option>Large</option></select></label><input aria-label="Name">\`
document.getElementById('add').addEventListener('click', () => {
  const count = root.querySelector('output')
  count.textContent = String(Number(count.textContent) + 1)
  console.log('added', count.textContent)
})
`,
}

const servers: ChildProcess[] = []

/** Starts Vite in the folder, as a person does in a terminal. @returns its port */
async function startVite(folder: string): Promise<number> {
  const program = path.resolve('node_modules/vite/bin/vite.js')
  const server = spawn(process.execPath, [program, '--host', '127.0.0.1', '--port', '0', '--strictPort'], { cwd: folder })
  servers.push(server)
  for await (const line of createInterface({ input: server.stdout })) {
    // oxlint-disable-next-line no-control-regex -- Vite colors its output.
    const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(line.replaceAll(/\u001b\[\d*m/g, ''))?.[1]
    if (port !== undefined) return Number(port)
  }
  throw new Error('Vite has ended.')
}

test.afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.kill()
    await once(server, 'exit')
  }
})

const input = (page: Page) => page.getByRole('textbox', { name: 'Page', exact: true })
const tree = (page: Page) => page.getByRole('list', { name: 'Content of the page' })

test('a person opens the page of the folder, and uses it', async ({ launch }) => {
  const { page, workspace } = await launch({ files, settings: { theme: 'system' } })
  await startVite(workspace)
  await runPalette(page, 'Open page preview')
  await expect(page.getByRole('tab', { name: 'Preview' })).toBeVisible()

  await test.step('the only server opens by itself', async () => {
    await expect(tree(page)).toContainText('button "Add to cart"')
    await expect(page.getByRole('textbox', { name: 'Address' })).toHaveValue(/^http:\/\/localhost:\d+\/$/)
  })

  await test.step('a click arrives, and the console is listed', async () => {
    await page.getByRole('button', { name: /^Console/ }).click()
    await input(page).click({ position: { x: 50, y: 85 } })
    await expect(page.getByRole('region', { name: 'Console of the page' })).toContainText('added 1')
  })

  await page.screenshot({ path: '/tmp/preview-1.png' })
  await checkView(page, 'preview', {}, allThemes)
})
