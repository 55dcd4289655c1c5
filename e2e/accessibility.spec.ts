import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { answer, call, say, step, type Scenario } from '../src/main/model/scripted/scenario.ts'
import {
  allThemes,
  checkView,
  inApproval,
  inChat,
  inDialog,
  inEditors,
  inForm,
  inMenu,
  inSideBar,
  violations,
} from './support/accessibility.ts'
import { expect, long, onlyBrowser, test, type LaunchOptions } from './support/app.ts'
import { changed, repository, showGit } from './support/git.ts'
import { layoutProblems } from './support/layout.ts'
import { withoutServers } from './support/settings.ts'
import {
  allowOnce,
  approval,
  card,
  cardIs,
  focusEditor,
  goTo,
  lastAnswer,
  openFile,
  runPalette,
  send,
  tab,
  unfold,
} from './support/window.ts'
import { scenarios } from './scenarios/index.ts'

// The views are the same in every window host, and axe takes seconds for each.
test.describe.configure({ timeout: 240_000 })
test.use({ contextOptions: { reducedMotion: 'reduce' } })

const files = {
  'README.md': '# Harbour\n\nKeeps the users of a small harbour office.\n',
  'ships.json': '["Anna"]\n',
  'notes.md': '# Notes\n',
  'src/users.ts': `/** Keeps users. */
export class UserStore {
  private users: string[] = []
  add(name: string): void { this.users.push(name) }
  has(name: string): boolean { return this.users.includes(name) }
}
export function createUser(name: string): void { new UserStore().add(name) }
`,
  'src/app.ts': "import { createUser } from './users'\n\ncreateUser('Ada')\n",
}

/** A red square of two pixels. */
const redSquare = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==',
  'base64',
)

const price = { 'src/price.ts': 'export function price(net: number, rate: number): number {\n  return net * rate\n}\n' }

const markdown = `## What I found
One \`createUser\`, **used once**, see [the file](src/app.ts:3) and [a page](https://example.org).

| Name | Uses |
|---|---|
| createUser | 1 |

- [x] read
- [ ] change

> A quote, then code:

\`\`\`ts
// Keeps users
export const count: number = 1 + users.length
\`\`\`
`

const looks: Scenario['turns'][number] = {
  prompt: /^look at everything/,
  steps: [
    step(
      'look',
      call('list_dir', { path: '.' }),
      call('grep_search', { pattern: 'createUser' }),
      call('get_file_info', { path: 'README.md' }),
      call('read_file', { path: 'src/users.ts' }),
      call('read_file', { path: 'gone.ts' }),
    ),
    {
      title: 'tell',
      play: () => answer({ kind: 'reasoning', text: 'One use only.', field: 'reasoning_content' }, say(markdown)),
    },
  ],
}
const { bladeTools, guided, badTurn, httpErrors, runCommand } = scenarios
const scenario: Scenario = {
  name: 'every-view',
  turns: [looks, ...[bladeTools, guided, badTurn, httpErrors, runCommand].flatMap(({ turns }) => turns)],
}
const settings: LaunchOptions['settings'] = { theme: 'system', mode: 'safe', ...withoutServers }

type Visit = (page: Page) => Promise<unknown>

const shows =
  (command: string, view: (page: Page) => Locator): Visit =>
  async (page) => {
    await runPalette(page, command)
    await expect(view(page)).toBeVisible()
  }
const previews =
  (file: string, command: string, view: (page: Page) => Locator): Visit =>
  async (page) => {
    await openFile(page, file)
    await shows(command, view)(page)
  }

/** How to show each registered view: its place in the window, and its name there. */
const visits: Record<string, Visit> = {
  'side bar explorer': shows('Show explorer', (page) => page.getByRole('tree', { name: 'Files' })),
  'side bar search': async (page) => {
    await runPalette(page, 'Replace in files')
    await page.getByRole('textbox', { name: 'Search', exact: true }).fill('users')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('tree', { name: 'Search results' }).getByRole('treeitem').first()).toBeVisible()
  },
  'side bar sessions': shows('Show sessions', (page) => page.getByRole('textbox', { name: 'Filter sessions' })),
  'side bar review': shows('Review changes', (page) => page.getByText('Nothing to review')),
  'side bar git': async (page) => {
    await showGit(page)
    await expect(changed(page, /^README.md, Conflict/)).toBeVisible()
  },
  'side bar debug': shows('Show run and debug', (page) => page.getByRole('button', { name: 'Start', exact: true })),
  'diff gitConflict': async (page) => {
    await changed(page, /^README.md, Conflict/).click()
    await expect(page.getByRole('toolbar', { name: 'Conflicts' })).toBeVisible()
  },
  'panel jobs': shows('Show jobs and terminals', (page) => page.getByRole('region', { name: 'Jobs and terminals' })),
  'panel debug': shows('Show debug console', (page) => page.getByRole('textbox', { name: 'Evaluate expression' })),
  'panel problems': async (page) => {
    await openFile(page, 'src/app.ts')
    await runPalette(page, 'Show problems')
    await expect(page.getByRole('tree', { name: 'Problems' }).getByRole('treeitem').first()).toBeVisible()
  },
  'panel calls': async (page) => {
    await openFile(page, 'src/users.ts')
    await goTo(page, '7:18')
    await runPalette(page, 'Show call hierarchy')
    await expect(page.getByRole('tree', { name: 'Call hierarchy' }).getByRole('treeitem').first()).toBeVisible()
  },
  'page settings': shows('Settings', (page) => page.getByRole('region', { name: 'Settings', exact: true })),
  'page settingsJson': shows('Settings (JSON)', (page) => page.getByRole('region', { name: 'Settings (JSON)' })),
  'page console': shows('Tool console', (page) => page.getByRole('region', { name: 'Tool console' })),
  'page keymap': shows('Keyboard shortcuts', (page) => page.getByRole('row', { name: 'Editor: Toggle Line Comment' })),
  'page extensions': shows('Extensions', (page) => page.getByRole('heading', { name: 'Extensions' })),
  'page plugins': shows('Plug-ins', (page) => page.getByRole('heading', { name: 'Plug-ins', exact: true })),
  'page firstSteps': shows('First steps', (page) => page.getByRole('region', { name: 'First steps' })),
  'page modelCheck': shows('Check my model', (page) => page.getByRole('heading', { name: 'Check my model' })),
  'page preview': shows('Open page preview', (page) => page.getByRole('textbox', { name: 'Address' })),
  'page gitLog': shows('Show log', (page) => page.getByRole('listbox', { name: 'Commits' })),
  'file image': async (page) => {
    await runPalette(page, 'Show explorer')
    await page.getByRole('treeitem', { name: 'red.png' }).click()
    await expect(page.getByRole('button', { name: 'Actual size' })).toBeVisible()
  },
  'file hex': previews('ships.csv', 'Show bytes of file', (page) => page.getByRole('toolbar', { name: 'Bytes' })),
  'file csv': previews('ports.csv', 'Open preview to the side', (page) => page.getByRole('table', { name: /ports/ })),
  'file largeText': async (page) => {
    await openFile(page, 'large.log')
    await expect(page.getByText(/^Large file, read-only/)).toBeVisible()
  },
  'file markdown': previews('notes.md', 'Open preview to the side', (page) =>
    page.getByRole('region', { name: /notes/ }),
  ),
  'file userFile': shows('Open keyboard shortcuts (JSON)', (page) =>
    page.getByRole('region', { name: 'Keyboard shortcuts (JSON)' }),
  ),
  'file library': async (page) => {
    await openFile(page, 'src/app.ts')
    await goTo(page, '4:30')
    await page.keyboard.press('F12')
    await expect(page.getByText(/read-only/i).first()).toBeVisible()
  },
}

/** Reads the names of the views from the sources that register them. */
async function registeredViews(): Promise<string[]> {
  const sources: readonly (readonly [file: string, part: string, pattern: RegExp])[] = [
    ['Workbench.tsx', 'side bar', /^ {2}(\w+): \{\s+title:/gm],
    ['BottomPanel.tsx', 'panel', /^ {2}(\w+): \{\s+title:/gm],
    ['lazyViews.tsx', 'page', /contributePage\(\s*'(\w+)'/g],
    ['lazyViews.tsx', 'diff', /contributeDiffView\(\s*'(\w+)'/g],
    ['lazyViews.tsx', 'file', /contributeFileView\(\s*'(\w+)'/g],
  ]
  const views = await Promise.all(
    sources.map(async ([file, part, pattern]) => {
      const source = await readFile(join(process.cwd(), 'src/renderer/app', file), 'utf8')
      const names = [...source.matchAll(pattern)].map(([, name]) => `${part} ${name}`)
      expect(names, `views that ${file} registers`).not.toEqual([])
      return names
    }),
  )
  return views.flat()
}

test('every registered view has a visit', onlyBrowser, async () => {
  expect(Object.keys(visits).toSorted()).toEqual((await registeredViews()).toSorted())
})

test(
  'no registered view breaks a rule of WCAG 2.2 AA in any theme',
  { tag: [onlyBrowser.tag, long.tag] },
  async ({ launch }) => {
    const { page } = await launch(
      repository(
        {
          ...files,
          'tsconfig.json': '{ "compilerOptions": { "strict": true } }\n',
          'src/app.ts':
            "import { createUser } from './users'\n\ncreateUser('Ada')\nexport const wrong: number = parseInt\n",
          'ships.csv': 'name,year\n"Ada, the first",1990\n',
          'ports.csv': 'name,year\nAda,1990\n',
        },
        async (git, write) => {
          await git('switch', '-q', '-c', 'other')
          await write('README.md', '# Theirs\n')
          await git('commit', '-qam', 'Theirs')
          await git('switch', '-q', 'main')
          await write('README.md', '# Ours\n')
          await git('commit', '-qam', 'Ours')
          await git('merge', 'other').catch(() => undefined)
          await write('red.png', redSquare)
          await write('large.log', 'A line of a large file.\n'.repeat(2_400_000))
        },
      ),
    )
    for (const [view, visit] of Object.entries(visits)) {
      await visit(page)
      await checkView(page, view, {}, allThemes)
    }
  },
)

async function closeDialog(page: Page): Promise<void> {
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
}

test('no view without a folder breaks WCAG 2.2 AA', onlyBrowser, async ({ launch }) => {
  const { page } = await launch({ noFolder: true, settings: { theme: 'system' } })
  await checkView(page, 'welcome')
  expect(await layoutProblems(page)).toEqual([])
  await page
    .getByRole('button', { name: /Open folder/ })
    .first()
    .click()
  await expect(page.getByRole('dialog').getByRole('listbox')).toBeVisible()
  await checkView(page, 'folder picker', inDialog)
})

test('no view of explorer and editor breaks WCAG 2.2 AA', onlyBrowser, async ({ launch }) => {
  const { page } = await launch({ files: { ...files, ...price }, scenario, settings })
  await expect(page.getByRole('treeitem', { name: 'README.md' })).toBeVisible()
  await checkView(page, 'workbench without a file')
  await openFile(page, 'src/users.ts')
  await openFile(page, 'README.md')
  await focusEditor(page)
  await page.keyboard.type('Typed. ')
  await expect(tab(page, 'README.md')).toHaveAccessibleName(/unsaved/)
  await openFile(page, 'src/price.ts')
  await page.keyboard.press('Control+\\')
  await expect(page.getByRole('tablist')).toHaveCount(2)
  await runPalette(page, 'Show outline')
  await expect(page.getByRole('region', { name: 'Outline' }).getByRole('treeitem').first()).toBeVisible()
  await checkView(page, 'explorer, outline and split editor')

  await page.getByRole('treeitem', { name: 'README.md' }).click({ button: 'right' })
  await checkView(page, 'context menu of a file', inMenu)
  await page.keyboard.press('Escape')
  await page.getByRole('treeitem', { name: 'README.md' }).click()
  await page.keyboard.press('F2')
  await expect(page.getByRole('textbox', { name: /name/i })).toBeVisible()
  await checkView(page, 'renaming a file', inSideBar)
  await page.keyboard.press('Escape')
  await tab(page, 'README.md').first().click({ button: 'right' })
  await checkView(page, 'context menu of a tab', inMenu)
  await page.keyboard.press('Escape')

  await tab(page, 'README.md').first().click()
  await runPalette(page, 'Compare with saved')
  await expect(page.locator('.monaco-diff-editor')).toBeVisible()
  await checkView(page, 'diff')
  // Both groups have the file and the comparison shows it, so that only closing its last tab would lose the text.
  await page.getByRole('button', { name: 'Close README.md', exact: true }).first().click()
  await page.getByRole('button', { name: /^Close README\.md \(on disk/ }).click()
  await page.getByRole('button', { name: 'Close README.md', exact: true }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await checkView(page, 'confirmation', inDialog)
})

test('no picker, help or notice breaks WCAG 2.2 AA', onlyBrowser, async ({ launch }) => {
  const { page } = await launch({ files, scenario, settings })
  await openFile(page, 'src/users.ts')
  for (const [key, view] of [
    ['Control+p', 'quick open'],
    ['F1', 'command palette'],
    ['Control+Shift+o', 'symbols of the file'],
    ['Control+g', 'go to line'],
  ] as const) {
    await page.keyboard.press(key)
    await expect(page.getByRole('combobox')).toBeVisible()
    await checkView(page, view, inDialog)
    await page.keyboard.press('Escape')
  }
  await runPalette(page, 'Color theme')
  await expect(page.getByRole('dialog', { name: 'Color theme' }).getByRole('option').first()).toBeVisible()
  await checkView(page, 'color themes', inDialog)
  await page.keyboard.press('Escape')
  await runPalette(page, 'Keyboard shortcuts')
  await expect(page.getByRole('row', { name: 'Editor: Toggle Line Comment' })).toBeVisible()
  await checkView(page, 'keyboard shortcuts')
  await page.getByRole('button', { name: 'Change shortcut for File: Save', exact: true }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await checkView(page, 'recording of a shortcut', inDialog)
  await closeDialog(page)
  await page.getByRole('button', { name: 'Close Keyboard shortcuts' }).click()
  // A notice appears with and without the permission for the clipboard: a success or an error.
  await page.getByRole('treeitem', { name: 'README.md' }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Copy relative path' }).click()
  await expect(page.locator('.notice')).toBeVisible()
  await page.locator('.notice').hover()
  await checkView(page, 'notice', { only: ['.notice'] })
  await runPalette(page, 'Show notices')
  await expect(page.getByRole('region', { name: 'Notices' })).toBeVisible()
  await checkView(page, 'list of notices', { only: ['.notice-list'] })
})

test('neither search, jobs, the tool console nor the settings break WCAG 2.2 AA', onlyBrowser, async ({ launch }) => {
  const server = {
    mcpServers: {
      charts: { command: 'no-such-program', args: ['--area', 'north'], env: { CHARTS_KEY: '${input:key}' } },
    },
  }
  const { page } = await launch({ files: { ...files, '.mcp.json': JSON.stringify(server) }, scenario, settings })
  await page.getByRole('button', { name: 'Review…' }).first().click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await checkView(page, 'trust in an MCP server', inDialog)
  await page.getByRole('button', { name: 'Refuse' }).click()
  await page.getByRole('button', { name: 'Settings', exact: true }).click()
  await expect(page.getByTestId('mcp-server')).toBeVisible()
  await checkView(page, 'settings')
  await page.getByRole('button', { name: 'Change Scripted' }).click()
  await page.getByRole('form', { name: 'Change Scripted' }).locator('summary').click()
  await expect(page.getByRole('group', { name: 'Model options' }).getByLabel('Thinking budget')).toBeVisible()
  await checkView(page, 'options of a model', inForm)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  const form = page.getByRole('form', { name: 'New endpoint' })
  await form.locator('summary').click()
  await checkView(page, 'endpoint form', inForm)
  await page.getByRole('button', { name: 'Add MCP server' }).click()
  await expect(page.getByRole('form', { name: 'New MCP server' })).toBeVisible()
  await checkView(page, 'MCP server form', inForm)

  await page.keyboard.press('Control+Shift+f')
  await expect(page.getByRole('textbox', { name: 'Search', exact: true })).toBeFocused()
  await checkView(page, 'search, empty')
  await page.getByRole('button', { name: 'Files to include or exclude' }).click()
  await page.getByRole('textbox', { name: 'Search', exact: true }).fill('users')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('tree', { name: 'Search results' }).getByRole('treeitem').first()).toBeVisible()
  await checkView(page, 'search, results', inSideBar)

  await runPalette(page, 'show jobs and terminals')
  await checkView(page, 'jobs, none')
  await runPalette(page, 'new terminal')
  await expect(page.getByTestId('terminal')).toHaveAttribute('data-live', 'true')
  // It takes the focus when it is live, also from the message field.
  await expect(page.getByRole('textbox', { name: /^Terminal/ })).toBeFocused()
  await send(page, 'run: touch a; printf "a\\033[31mred\\033[0m"; false')
  await allowOnce(page)
  await expect(lastAnswer(page)).toContainText('The model read')
  await checkView(page, 'jobs and a terminal')

  await page.keyboard.press('Control+Shift+u')
  const panel = page.getByRole('region', { name: 'Tool console' })
  await checkView(page, 'tool console')
  await panel.getByRole('navigation', { name: 'Tools' }).getByText('read_file', { exact: true }).click()
  await panel.getByRole('textbox', { name: /path/ }).first().fill('README.md')
  await panel.getByRole('button', { name: /^Run/ }).click()
  await expect(panel.getByTestId('console-result')).toHaveAttribute('data-ok', 'true')
  await checkView(page, 'tool console with a result')
})

test('no message, tool card or approval breaks WCAG 2.2 AA', onlyBrowser, async ({ launch }) => {
  const { page, path } = await launch({ files, scenario, settings })
  await checkView(page, 'new conversation')
  await send(page, 'look at everything')
  await expect(lastAnswer(page)).toContainText('What I found')
  for (const each of await page.getByTestId('tool-card').all()) {
    const toggle = each.locator('.tool-card-toggle')
    if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click()
  }
  await cardIs(page, 'read_file', 'failed')
  await card(page, 'read_file').getByRole('button', { name: 'Arguments' }).click()
  await checkView(page, 'answer and cards of files, with an error', inChat)

  await send(page, 'who uses createUser?')
  await expect(lastAnswer(page)).toContainText('Only')
  for (const tool of [
    'symbol_search',
    'symbol_outline',
    'symbol_graph',
    'batch',
    'read_many_files',
    'get_project_index_overview',
  ])
    await unfold(page, tool)
  await checkView(page, 'cards of symbols and a batch', inChat)

  // The history of createUser counts the files.
  await writeFile(path('src/price.ts'), price['src/price.ts'])
  await send(page, 'Round the price')
  await approval(page)
  await checkView(page, 'approval of an edit', inApproval)
  await answerAll(page)
  await expect(lastAnswer(page)).toContainText('I have rounded')
  await checkView(page, 'cards of edits and a command', inChat)

  await page.getByTestId('turn-review').getByRole('button', { name: 'Review' }).click()
  await expect(page.getByRole('tree', { name: 'Changed files' }).getByRole('treeitem').first()).toBeVisible()
  await page.keyboard.press('Alt+F5')
  await expect(page.locator('.hunk-bar')).toBeVisible()
  await checkView(page, 'review and changes in the editor')
  await page.keyboard.press('Control+Alt+m')
  await expect(page.getByRole('textbox', { name: 'Comment on this change' })).toBeFocused()
  await page.keyboard.type('Why?')
  await page.keyboard.press('Enter')
  await page.getByRole('treeitem', { name: 'price.ts' }).hover()
  await page.getByRole('button', { name: 'Open price.ts side by side' }).click()
  await expect(page.locator('.diff-bar')).toBeVisible()
  await checkView(page, 'changes side by side and a comment')
  await page.getByRole('button', { name: /^Remove the comment/ }).click()

  await send(page, 'run: ls && mkdir build')
  await approval(page)
  await checkView(page, 'approval of a command', inApproval)
  await page.getByRole('button', { name: 'Edit command' }).click()
  await checkView(page, 'approval of an edited command', inApproval)
  await page.getByTestId('approval-card').getByRole('button', { name: 'Refuse' }).click()
  await cardIs(page, 'run_command', 'refused')
  await send(page, 'server error')
  await expect(page.getByRole('log').getByRole('alert')).toBeVisible()
  await checkView(page, 'refused call and failed request', inChat)

  const message = page.getByRole('article', { name: 'You' }).filter({ hasText: 'Round the price' })
  await message.hover()
  await message.getByRole('button', { name: 'More' }).click()
  await checkView(page, 'menu of a message', inMenu)
  await page.getByRole('menuitem', { name: 'Restore…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /price\.ts/ }).click()
  await expect(dialog.getByRole('region', { name: 'Diff of src/price.ts' })).toContainText('NaN')
  await checkView(page, 'restore', inDialog)
})

/** Allows pending approvals until there are none. */
async function answerAll(page: Page): Promise<void> {
  const answered = lastAnswer(page).getByText('I have rounded')
  const question = page.getByTestId('approval-card')
  for (;;) {
    await expect(question.or(answered).first()).toBeVisible()
    if (await answered.isVisible()) return
    const id = await (await approval(page)).getAttribute('data-request')
    await allowOnce(page)
    await expect(page.locator(`[data-request="${id}"]`)).toHaveCount(0)
  }
}

test('neither composer, lists nor pickers of the chat break WCAG 2.2 AA', onlyBrowser, async ({ launch }) => {
  const { page, endpoint } = await launch({ files, scenario, settings: { ...settings, mode: 'yolo' } })
  const field = page.getByRole('textbox', { name: 'Message', exact: true })
  for (const [text, view] of [
    ['/', 'slash commands'],
    ['@', 'mentions'],
  ] as const) {
    await field.fill(text)
    await expect(page.getByRole('listbox')).toBeVisible()
    // The open menu covers a part of the suggestions; Escape closes it.
    await checkView(page, view, { exclude: ['.chat-suggestion'] })
    await field.fill('')
  }
  await page
    .getByRole('button', { name: /^Mode: / })
    .last()
    .click()
  await expect(page.getByRole('option').first()).toBeVisible()
  await checkView(page, 'mode picker', { only: ['[role="listbox"]'] })
  await page.keyboard.press('Escape')

  await send(page, 'long task')
  await expect(lastAnswer(page)).toContainText('I mend it')
  await send(page, 'thank you')
  await page.getByRole('button', { name: /^1\/3|Steps/ }).click()
  await page.getByTestId('context-bar').click()
  await checkView(page, 'running turn with steps, queue and context', inChat)
  await page.keyboard.press('Escape')
  endpoint?.release('mending')
  await expect(lastAnswer(page)).toContainText('You are welcome')
  await page.getByRole('button', { name: 'Past conversations' }).click()
  const list = page.getByRole('region', { name: 'Past conversations' })
  await expect(list.getByRole('listitem')).toHaveCount(1)
  await list.getByRole('searchbox').fill('mend')
  await expect(list.locator('mark').first()).toBeVisible()
  await list.getByRole('listitem').hover()
  await checkView(page, 'list of conversations', inChat)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'New conversation' }).click()
  await page
    .getByRole('button', { name: /^Mode: / })
    .last()
    .click()
  await page.getByRole('option', { name: /^Plan/ }).click()
  await send(page, 'plan it')
  const plan = page.getByTestId('plan-card')
  await expect(plan).toBeVisible()
  await checkView(page, 'plan', inChat)
  await plan.getByRole('button', { name: 'Edit plan' }).click()
  await checkView(page, 'edited plan', { only: ['[data-testid="plan-card"]'] })
})

test(
  'no card of documents, git, the web, an MCP server or the investigator breaks WCAG 2.2 AA, nor does a destructive approval',
  onlyBrowser,
  async ({ launch }) => {
    const fixture = join(process.cwd(), 'src/main/mcp/testing/fixtureServer.ts')
    const mcp = {
      servers: { tools: { type: 'stdio' as const, command: process.execPath, args: [fixture, 'plain'], env: {} } },
      choices: {},
    }
    const pdf = await readFile(join(process.cwd(), 'e2e/fixtures/documents/harbour.pdf'))
    const cards: Scenario['turns'][number] = {
      prompt: /^every kind/,
      steps: [
        step(
          'look',
          call('document_read', { path: 'report.pdf' }),
          call('git_status', {}),
          call('calculator', { expression: '1 + 1' }),
          call('Read', { file_path: 'README.md' }),
        ),
        // Refused before anything is sent: no address on this machine is allowed.
        step('fetch', call('web_fetch', { url: 'http://127.0.0.1:9/' })),
        step('server', call('tools__shout', { text: 'hola' })),
        step('tell', say('Every kind was used.')),
      ],
    }
    const destroy: Scenario['turns'][number] = {
      prompt: /^destroy/,
      steps: [
        step('destroy', call('shell_exec', { command: 'rm -rf src && git reset --hard' })),
        step('tell', say('Refused.')),
      ],
    }
    const { page } = await launch({
      files: { ...files, 'report.pdf': pdf },
      scenario: { name: 'cards', turns: [cards, destroy] },
      settings: { theme: 'system', toolset: 'rustant', mode: 'safe', mcp },
    })
    await send(page, 'every kind')
    const question = page.getByTestId('approval-card')
    const finished = lastAnswer(page).getByText('Every kind was used.')
    for (;;) {
      await expect(question.or(finished).first()).toBeVisible()
      if (await finished.isVisible()) break
      const id = await (await approval(page)).getAttribute('data-request')
      await allowOnce(page)
      await expect(page.locator(`[data-request="${id}"]`)).toHaveCount(0)
    }
    for (const each of await page.getByTestId('tool-card').all()) {
      const toggle = each.locator('.tool-card-toggle')
      if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click()
    }
    await cardIs(page, 'document_read', 'done')
    await cardIs(page, 'web_fetch', 'failed')
    await cardIs(page, 'tools__shout', 'done')
    await expect(card(page, 'Read')).toContainText('The model called')
    await checkView(page, 'cards of a document, git, the web and an MCP server', inChat)
    await send(page, 'destroy')
    const destructive = await approval(page)
    await checkView(page, 'destructive approval', inApproval)
    await destructive.getByRole('button', { name: 'This exact command' }).hover()
    await checkView(page, 'destructive approval with the pointer on a permission', inApproval)
    await page.mouse.down()
    await checkView(page, 'destructive approval with a permission pressed', inApproval)
    await page.mouse.move(0, 0)
    await page.mouse.up()
  },
)

test(
  'neither the card of an investigation nor the preview of a renaming breaks WCAG 2.2 AA',
  onlyBrowser,
  async ({ launch }) => {
    const users =
      'export function saveUser(user) {\n  // Names are unique.\n  if (!db.has(user.name)) db.put(user)\n}\n'
    const { page, endpoint } = await launch({
      files: { 'src/users.ts': users, 'src/app.ts': "import { saveUser } from './users'\n\nsaveUser({})\n" },
      scenario: scenarios.investigate,
      settings,
    })
    await send(page, 'how are users saved?')
    endpoint?.release('found')
    await expect(lastAnswer(page)).toContainText('saved once')
    await unfold(page, 'codebase_investigator')
    await checkView(page, 'card of an investigation', inChat)
    await openFile(page, 'src/users.ts')
    const preview = page.getByRole('dialog', { name: 'Rename saveUser to keepUser' })
    await page.keyboard.press('Control+g')
    await page.getByRole('combobox').fill('1:18')
    await page.keyboard.press('Enter')
    await expect(async () => {
      await page.keyboard.press('Escape')
      await page.keyboard.press('F2')
      await page.locator('.rename-box .rename-input').fill('keepUser')
      await page.keyboard.press('Enter')
      // Refused as long as the index is not complete.
      await expect(preview).toBeVisible({ timeout: 2_000 })
    }).toPass()
    await checkView(page, 'preview of a renaming', inDialog)
  },
)

test(
  'detects a control that has too little contrast, is too small, is nested or has a wrong name',
  onlyBrowser,
  async ({ page }) => {
    await page.setContent(`<!doctype html><html lang="en"><title>Planted</title>
      <main style="background: #fff; color: #999">Faint text
        <span role="button" tabindex="0" aria-label="outer">outer<button>inner</button></span>
        <button aria-label="Other words">Visible words</button>
        <div style="display: flex"><button style="width: 12px; height: 12px; padding: 0">a</button><button style="width: 12px; height: 12px; padding: 0">b</button></div>
      </main>`)
    const rules = (await violations(page)).map((line) => line.split(':')[0])
    expect(new Set(rules)).toEqual(
      new Set(['color-contrast', 'label-content-name-mismatch', 'nested-interactive', 'target-size']),
    )
  },
)

test('no view of an inline edit breaks WCAG 2.2 AA', onlyBrowser, async ({ launch }) => {
  const { page } = await launch({
    files: { 'a.ts': 'function add(a, b) {\n  const sum = a + b\n  return sum\n}\n' },
    scenario: scenarios.inlineEdit,
    settings: { theme: 'system', ...withoutServers },
  })
  await openFile(page, 'a.ts')
  await send(page, 'Suggest three numbers')
  await focusEditor(page)
  await page.keyboard.press('Control+i')
  await checkView(page, 'inline edit, input', inEditors)
  await page.keyboard.type('fail')
  await page.keyboard.press('Enter')
  await expect(page.getByTestId('monaco-1').getByRole('alert')).toBeVisible()
  await checkView(page, 'inline edit, error', inEditors)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Apply in editor' }).click()
  await expect(page.getByRole('button', { name: 'Accept change 1 of 2' })).toBeVisible()
  await checkView(page, 'inline edit, proposal', inEditors)
})
