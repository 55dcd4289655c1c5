import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright'
import type { Scenario } from '../src/main/model/scenario.ts'
import { startScriptedEndpoint } from '../src/main/model/scriptedEndpoint.ts'
import type { Settings } from '../src/shared/settings.ts'
import { scenarios } from './scenarios/index.ts'
import { end, printedAddress } from './support/shell.ts'
import { allowOnce, approval, card, lastAnswer, send, unfold } from './support/window.ts'

const root = join(import.meta.dirname, '..')
const tall = { width: 1440, height: 1500 }

/** Takes the picture of what a page shows under a name. */
export type Take = (page: Page, name: string) => Promise<void>

/** Pictures of tool cards with what they show: symbols, a batch, a document, changes in git. */
export async function cardPictures(browser: Browser, theme: 'dark' | 'light', take: Take): Promise<void> {
  await picture(browser, theme, { files: bladeFiles, scenario: scenarios.bladeTools, settings: {} }, async (page) => {
    await send(page, 'who uses createUser?')
    await lastAnswer(page).getByText(/Only/).waitFor()
    for (const tool of ['symbol_search', 'symbol_outline', 'symbol_graph']) await unfold(page, tool)
    await card(page, 'symbol_search').scrollIntoViewIfNeeded()
    await take(page, 'cards-symbols')
    for (const tool of ['symbol_search', 'symbol_outline', 'symbol_graph']) await card(page, tool).locator('.tool-card-toggle').click()
    const batch = await unfold(page, 'batch')
    for (const nth of [1, 2]) await batch.getByTestId('nested-call').nth(nth).getByRole('button').first().click()
    for (const tool of ['read_many_files', 'get_project_index_overview']) await unfold(page, tool)
    await take(page, 'cards-batch')
  })
  const pdf = await readFile(join(root, 'e2e/fixtures/documents/harbour.pdf'))
  await picture(browser, theme, { files: { 'report.pdf': pdf, 'ships.txt': 'ships 2\nlength ?\n' }, scenario: scenarios.rustantTools, settings: { toolset: 'rustant' } }, async (page, git) => {
    await send(page, 'put the length into the list')
    await approval(page)
    for (const tool of ['document_read', 'git_status']) await unfold(page, tool)
    await take(page, 'cards-document')
    await allowOnce(page)
    await lastAnswer(page).getByText(/Stage it/).waitFor()
    for (const tool of ['document_read', 'git_status']) await card(page, tool).locator('.tool-card-toggle').click()
    await git('add', 'ships.txt')
    await send(page, 'commit it')
    await approval(page)
    await take(page, 'cards-git')
    await allowOnce(page)
    await lastAnswer(page).getByText(/Done/).waitFor()
  })
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

interface Setting { files: Record<string, string | Buffer>; scenario: Scenario; settings: Partial<Settings> }
type Git = (...args: string[]) => Promise<unknown>

async function picture(browser: Browser, theme: 'dark' | 'light', { files, scenario, settings }: Setting, story: (page: Page, git: Git) => Promise<void>): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'tizona-pictures-'))
  const workspace = join(home, 'harbour')
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(workspace, name)), { recursive: true })
    await writeFile(join(workspace, name), text)
  }
  const git: Git = (...args) => promisify(execFile)('git', args, { cwd: workspace })
  await git('init', '-q', '-b', 'main')
  await git('config', 'user.name', 'Ada')
  await git('config', 'user.email', 'ada@example.org')
  await git('add', '.')
  await git('commit', '-q', '-m', 'Begin')

  const endpoint = await startScriptedEndpoint(scenario)
  const model = { endpoints: [{ id: 'scripted', name: 'Scripted', kind: 'openai', baseUrl: endpoint.url }], model: { endpointId: 'scripted', model: 'scripted' } }
  const userData = join(home, 'user')
  await mkdir(userData)
  await writeFile(join(userData, 'settings.json'), JSON.stringify({ theme, ...model, ...settings }))
  const server = spawn(process.execPath, [join(root, 'out/main/serve.js'), workspace, '--no-open'], {
    env: { ...process.env, HOME: userData, TIZONA_USER_DATA: userData, TIZONA_NO_DISCOVERY: '1' }, stdio: ['pipe', 'pipe', 'inherit'],
  })
  try {
    const context = await browser.newContext({ viewport: tall, colorScheme: theme, reducedMotion: 'reduce' })
    const page = await context.newPage()
    await page.goto(await printedAddress(server))
    await story(page, git)
    await context.close()
  } finally {
    await end(server)
    await endpoint.close()
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
}
