import { writeFile } from 'node:fs/promises'
import { answer, call, say, step, type Scenario } from '../src/main/model/scripted/scenario.ts'
import { expect, long, onlyBrowser, test } from './support/app.ts'
import { layoutProblems } from './support/layout.ts'
import { withoutServers } from './support/settings.ts'
import {
  allowOnce,
  approval,
  cardIs,
  editor,
  focusEditor,
  lastAnswer,
  openFile,
  runPalette,
  send,
} from './support/window.ts'

const header = 'AuthenticationMiddlewareConfiguration'
const deepPath = 'src/components/authentication/middleware/AuthenticationMiddlewareConfiguration.integration.test.ts'
const scenario: Scenario = {
  name: 'layout',
  turns: [
    {
      prompt: /^table/,
      steps: [
        step(
          'table',
          say(
            `| ${header} | internationalisation | requestCount |\n|---|---|---|\n| createUser | in every language that it knows | 1 |\n`,
          ),
        ),
      ],
    },
    {
      prompt: /^fail/,
      steps: [
        step('fail', call('read_file', { path: `src/${'gone/'.repeat(200)}a.ts` })),
        step('tell', say('It failed.')),
      ],
    },
    {
      prompt: /^overview/,
      steps: [step('overview', call('get_project_index_overview', {})), step('tell', say('That is all.'))],
    },
    {
      prompt: /^write/,
      steps: [
        step('write', call('write_file', { path: 'fresh.ts', content: 'export const a = 1\nexport const b = 2\n' })),
        step('tell', say('It is written.')),
      ],
    },
    {
      prompt: /^deep/,
      steps: [
        step('write', call('write_file', { path: deepPath, content: 'export const a = 1\n' })),
        step('tell', say('It is not written.')),
      ],
    },
    {
      prompt: /^options/,
      steps: [
        step('run', call('run_command', { command: 'npm run test:all -- --reporter=verbose --maxWorkers=1' })),
        step('tell', say('It is not run.')),
      ],
    },
    {
      prompt: /^delete/,
      steps: [
        {
          title: 'delete',
          play: () => answer(call('run_command', { command: 'rm -rf src && git reset --hard HEAD~3' })),
        },
        step('tell', say('It is gone.')),
      ],
    },
  ],
}
const files = { 'src/users.ts': 'export function createUser(name: string): string {\n  return name\n}\n' }

for (const theme of ['dark', 'light'] as const) {
  test.describe(`at 200 % zoom of 1280 × 720, ${theme}`, () => {
    test.use({ viewport: { width: 640, height: 360 }, deviceScaleFactor: 2 })
    test(
      `split editors, conflict bars, chat and an approval neither overlap nor cut off anything (${theme})`,
      // The layout is the same in both themes.
      { tag: theme === 'dark' ? onlyBrowser.tag : [onlyBrowser.tag, long.tag] },
      async ({ launch }, info) => {
        const { page, path } = await launch({ files, scenario, settings: { mode: 'safe', theme, ...withoutServers } })
        await openFile(page, 'src/users.ts')
        await focusEditor(page)
        await page.keyboard.type('// mine ')
        await page.keyboard.press('Control+\\')
        await expect(page.getByRole('tablist')).toHaveCount(2)
        await writeFile(path('src/users.ts'), 'export {}\n')
        await expect(page.getByRole('alert').filter({ hasText: 'The file changed on disk' })).toHaveCount(2)
        await info.attach(`conflict (${theme})`, { body: await page.screenshot(), contentType: 'image/png' })
        expect(await layoutProblems(page)).toEqual([])
        await expect(editor(page)).toBeInViewport({ ratio: 0.9 })
        await expect(page.locator('.editor-group .minimap:visible')).toHaveCount(0)

        await send(page, 'delete')
        await approval(page)
        await info.attach(`approval (${theme})`, { body: await page.screenshot(), contentType: 'image/png' })
        expect(await layoutProblems(page)).toEqual([])
        await page.getByTestId('approval-card').getByRole('button', { name: 'Refuse' }).click()
        await expect(lastAnswer(page)).toContainText('It is gone.')
      },
    )
  })
}

test('a narrow window shows one side panel at a time, a wide one both again', async ({ launch }) => {
  const { page } = await launch({ files, settings: withoutServers })
  const [sideBar, chat] = [
    page.getByRole('complementary', { name: 'Search' }),
    page.getByRole('complementary', { name: 'Chat' }),
  ]
  await page.keyboard.press('ControlOrMeta+Shift+F')
  await expect(sideBar).toBeVisible()
  await expect(chat).toBeVisible()
  await page.getByRole('menuitem', { name: 'View' }).click()
  await expect(page.getByRole('menu', { name: 'View' })).toBeVisible()
  await page.setViewportSize({ width: 640, height: 480 })
  await expect(page.getByRole('menu', { name: 'View' }), 'its place is gone').toHaveCount(0)
  await expect(sideBar, 'the panel that was shown last stays').toBeVisible()
  await expect(chat).toBeHidden()
  await page.keyboard.press('ControlOrMeta+L')
  await expect(chat).toBeVisible()
  await expect(sideBar).toBeHidden()
  await page.getByRole('button', { name: 'Toggle chat panel' }).click()
  await expect(chat).toBeHidden()
  await expect(sideBar).toBeHidden()
  await page.setViewportSize({ width: 1280, height: 800 })
  await expect(sideBar).toBeVisible()
  await expect(chat).toBeVisible()
})

test(
  'at 200 % zoom of a window of 700 pixels, the title bar is complete and each part has its least width',
  onlyBrowser,
  async ({ launch }) => {
    const { page } = await launch({ files, scenario, settings: { mode: 'safe', ...withoutServers } })
    await openFile(page, 'src/users.ts')
    await page.setViewportSize({ width: 350, height: 450 })
    await send(page, 'delete')
    const question = await approval(page)
    await question.scrollIntoViewIfNeeded()
    expect(await layoutProblems(page)).toEqual([])
    await page.getByRole('textbox', { name: 'Message' }).fill('A message that waits until the turn has ended')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove from the queue' }).scrollIntoViewIfNeeded()
    expect(await layoutProblems(page)).toEqual([])
    const queued = page.locator('.composer-queued')
    expect(await queued.evaluate((text) => text.clientWidth), 'some words are readable').toBeGreaterThanOrEqual(60)
    await page.getByRole('button', { name: 'Remove from the queue' }).click()
    const widthOf = (name: string) =>
      page.locator(`[data-region="${name}"]`).evaluate((part) => part.getBoundingClientRect().width)
    expect(await widthOf('chat')).toBeGreaterThanOrEqual(280)
    expect(await widthOf('editor')).toBeGreaterThanOrEqual(320)
    await question.getByRole('button', { name: 'Refuse' }).click()
    await expect(lastAnswer(page)).toContainText('It is gone.')
  },
)

test('a dialog that cannot be loaded leaves the window as it is', onlyBrowser, async ({ launch }) => {
  const { page } = await launch({ files: { 'a.txt': 'a\n' } })
  await page.route(/AuditDialog[^/]*\.js/, (route) => route.abort())
  const part = page.locator('[data-region="editor"]')
  const before = await part.boundingBox()
  await runPalette(page, 'Show audit log')
  await expect(page.getByText('This view could not be loaded')).toBeVisible()
  expect(await part.boundingBox()).toEqual(before)

  await page.unroute(/AuditDialog[^/]*\.js/)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('dialog', { name: 'Audit log' })).toBeVisible()
})

test('detects a control that is cut off, covered or outside the window', onlyBrowser, async ({ page }) => {
  await page.setContent(`<!doctype html>
    <div style="position: fixed; inset: 0 auto auto 0; width: 60px; height: 30px; overflow: hidden"><button style="width: 90px">Cut</button></div>
    <button style="position: fixed; top: 100px; left: -20px; width: 60px">Out</button>
    <button style="position: fixed; z-index: 1; top: 200px; left: 0; width: 60px">Under</button>
    <button style="position: fixed; top: 300px; left: 0">Fine</button>
    <div style="position: fixed; z-index: 2; top: 190px; left: 0; width: 90px; height: 60px; background: #000"></div>`)
  const problems = (await layoutProblems(page)).join('\n')
  expect(problems).toMatch(/"Cut".*cut off/)
  expect(problems).toMatch(/"Out".*outside the window/)
  expect(problems).toMatch(/"Under".*covered/)
  expect(problems).not.toContain('Fine')
})

test(
  'tables, errors and new files of a conversation are laid out to be read',
  onlyBrowser,
  async ({ launch }, info) => {
    const { page } = await launch({ files, scenario, settings: { mode: 'safe', ...withoutServers } })
    await test.step('words in a chat table do not break, and the table scrolls in its frame', async () => {
      await send(page, 'table')
      const cell = lastAnswer(page).getByRole('columnheader', { name: header })
      await expect(cell).toBeVisible()
      // The rectangles of one word's text are one line.
      const lines = await cell.evaluate((element) => {
        const range = document.createRange()
        range.selectNodeContents(element)
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
      })
      expect(lines).toBe(1)
      const frame = lastAnswer(page).locator('.markdown-table')
      expect(await frame.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(true)
      expect(
        await page.locator('.chat-scroller').evaluate((element) => element.scrollWidth <= element.clientWidth),
      ).toBe(true)
    })

    await test.step('a tool error is a few lines in the text color; only its icon is red', async () => {
      await send(page, 'fail')
      const failed = await cardIs(page, 'read_file', 'failed')
      const message = failed.locator('.tool-card-error > span').first()
      const plain = await lastAnswer(page).evaluate((element) => getComputedStyle(element).color)
      await expect(message).toHaveCSS('color', plain)
      await expect(failed.locator('.tool-card-state-failed')).not.toHaveCSS('color', plain)
      const { height, line } = await message.evaluate((element) => ({
        height: element.clientHeight,
        line: Number.parseFloat(getComputedStyle(element).lineHeight),
      }))
      expect(height).toBeLessThanOrEqual(line * 4 + 1)
      await expect(lastAnswer(page)).toContainText('It failed.')
    })

    await test.step('an option of a command to approve is not broken at its hyphens', async () => {
      await send(page, 'options')
      const words = (await approval(page)).getByTestId('approval-command').locator('.ui-command-word')
      await expect(words).toHaveText(['--', '--reporter=verbose', '--maxWorkers=1'])
      const heights = await words.evaluateAll((found) => found.map((word) => word.getBoundingClientRect().height))
      expect(new Set(heights).size).toBe(1)
      await page.getByTestId('approval-card').getByRole('button', { name: 'Refuse' }).click()
      await expect(lastAnswer(page)).toContainText('It is not run.')
    })

    await test.step('an approval shows the whole path of the file to write', async () => {
      await send(page, 'deep')
      const path = (await approval(page)).locator('.diff-path')
      await expect(path).toHaveText(deepPath)
      const hidden = await path.evaluate((element) => [
        element.scrollWidth - element.clientWidth,
        element.scrollHeight - element.clientHeight,
      ])
      expect(hidden).toEqual([0, 0])
      await page.getByTestId('approval-card').getByRole('button', { name: 'Refuse' }).click()
      await expect(lastAnswer(page)).toContainText('It is not written.')
    })

    await test.step('the diff of a new file contains only added lines', async () => {
      await send(page, 'write')
      await approval(page)
      await allowOnce(page)
      const written = await cardIs(page, 'write_file', 'done')
      await written.getByRole('button', { name: 'Open diff' }).click()
      const shown = page.getByRole('textbox', { name: 'fresh.ts, all lines added' })
      await expect(shown).toBeAttached()
      const content = page.locator('.editor-content')
      await expect(content.locator('.view-line').first()).toContainText('export const a')
      await expect(content.locator('.line-insert')).toHaveCount(2)
      await expect(content.locator('.line-delete')).toHaveCount(0)
      await expect(page.locator('.monaco-diff-editor')).toHaveCount(0)
      await info.attach('new file', { body: await page.screenshot(), contentType: 'image/png' })
    })

    await test.step('in the narrowest chat panel, a tool card truncates the name of its tool and keeps its state visible', async () => {
      await page.setViewportSize({ width: 560, height: 600 })
      await send(page, 'overview')
      await expect(lastAnswer(page)).toContainText('That is all.')
      const found = await cardIs(page, 'get_project_index_overview', 'done')
      const title = found.locator('.tool-card-title')
      await expect(title).toHaveCSS('text-overflow', 'ellipsis')
      expect(await title.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(true)
      const [row, state] = [await found.boundingBox(), await found.locator('.tool-card-state').boundingBox()]
      expect((state?.x ?? 0) + (state?.width ?? 0)).toBeLessThanOrEqual((row?.x ?? 0) + (row?.width ?? 0))
      expect(await found.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true)
    })
  },
)
