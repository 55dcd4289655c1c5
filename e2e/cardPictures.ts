import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright'
import { scenarios } from './scenarios/index.ts'
import { picture, type Take } from './support/pictures.ts'
import { allowOnce, approval, card, lastAnswer, send, unfold } from './support/window.ts'

const root = join(import.meta.dirname, '..')
const viewport = { width: 1440, height: 1500 }

/** Takes pictures of tool cards: symbols, a batch, a document, changes in git. */
export async function cardPictures(browser: Browser, theme: 'dark' | 'light', take: Take): Promise<void> {
  await picture(
    browser,
    theme,
    { files: bladeFiles, scenario: scenarios.bladeTools, settings: {}, viewport },
    async (page) => {
      await send(page, 'who uses createUser?')
      await lastAnswer(page).getByText(/Only/).waitFor()
      for (const tool of ['symbol_search', 'symbol_outline', 'symbol_graph']) await unfold(page, tool)
      await card(page, 'symbol_search').scrollIntoViewIfNeeded()
      await take(page, 'cards-symbols')
      for (const tool of ['symbol_search', 'symbol_outline', 'symbol_graph'])
        await card(page, tool).locator('.tool-card-toggle').click()
      const batch = await unfold(page, 'batch')
      for (const nth of [1, 2]) await batch.getByTestId('nested-call').nth(nth).getByRole('button').first().click()
      for (const tool of ['read_many_files', 'get_project_index_overview']) await unfold(page, tool)
      await take(page, 'cards-batch')
    },
  )
  const pdf = await readFile(join(root, 'e2e/fixtures/documents/harbour.pdf'))
  await picture(
    browser,
    theme,
    {
      files: { 'report.pdf': pdf, 'ships.txt': 'ships 2\nlength ?\n' },
      scenario: scenarios.rustantTools,
      settings: { toolset: 'rustant' },
      viewport,
    },
    async (page, git) => {
      await send(page, 'put the length into the list')
      await approval(page)
      for (const tool of ['document_read', 'git_status']) await unfold(page, tool)
      await take(page, 'cards-document')
      await allowOnce(page)
      await lastAnswer(page)
        .getByText(/Stage it/)
        .waitFor()
      for (const tool of ['document_read', 'git_status']) await card(page, tool).locator('.tool-card-toggle').click()
      await git('add', 'ships.txt')
      await send(page, 'commit it')
      await approval(page)
      await take(page, 'cards-git')
      await allowOnce(page)
      await lastAnswer(page).getByText(/Done/).waitFor()
    },
  )
}

const bladeFiles = {
  'README.md': '# Harbour\n\nKeeps the users of a small harbour office.\n',
  'src/users.ts': `/** Keeps users. */
export class UserStore {
  private users: string[] = []
  add(name: string): void { this.users.push(name) }
  has(name: string): boolean { return this.users.includes(name) }
}
export interface User { name: string; since: Date }
export function createUser(name: string): void { new UserStore().add(name) }
`,
  'src/app.ts': "import { createUser } from './users'\n\ncreateUser('Ada')\n",
}
