import type { Browser, Page } from 'playwright'
import { answer, call, say, waitForGate, type Scenario } from '../src/main/model/scripted/scenario.ts'
import { picture, type Take } from './support/pictures.ts'

/** The model runs a command, stays at work, or answers, as the message says. */
const scenario: Scenario = {
  name: 'session-pictures',
  model: 'qwen2.5-coder:7b',
  turns: [
    {
      prompt: /dates/,
      steps: [
        {
          title: 'run',
          play: () =>
            answer(say('I remove the old build first.'), call('run_command', { command: 'rm -r dist', cwd: '.' })),
        },
        { title: 'tell', play: () => answer(say('The old build is gone.')) },
      ],
    },
    { prompt: /berths/, steps: [{ title: 'work', play: () => answer(say('I read berths.ts. '), waitForGate('end')) }] },
    {
      prompt: /.*/s,
      steps: [
        {
          title: 'write',
          play: () => answer(call('write_file', { path: 'tariff.ts', content: 'export const fee = 3\n' })),
        },
        { title: 'tell', play: () => answer(say('Done: the fee is in tariff.ts.')) },
      ],
    },
  ],
}
const settings = { model: { endpointId: 'scripted', model: 'qwen2.5-coder:7b' }, mode: 'cautious' as const }
const viewport = { width: 1280, height: 900 }
const files = {
  'berths.ts': 'export const berths = ["A1", "A2", "B1"]\n',
  'fees.ts': 'export const fee = 2\n',
  'package.json': '{ "name": "harbour", "scripts": { "test": "node --test" } }\n',
}

async function send(page: Page, text: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'Message', exact: true })
  await field.fill(text)
  await field.press('Enter')
  await page.getByRole('article', { name: 'You' }).getByText(text).first().waitFor()
}

async function newSession(page: Page, name: string): Promise<void> {
  await page.keyboard.press('F1')
  await page.getByRole('combobox', { name: 'Command palette' }).fill('New session in a worktree')
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: /^Name/ }).fill(name)
  await page.getByRole('button', { name: 'Create session' }).click()
  await page.getByRole('button', { name: new RegExp(`^Branch tizona/${name}`) }).waitFor()
}

/** Takes pictures of several sessions in worktrees. */
export async function sessionPictures(browser: Browser, theme: 'dark' | 'light', take: Take): Promise<void> {
  await picture(browser, theme, { files, scenario, settings, viewport }, async (page, _git, endpoint) => {
    await send(page, 'Raise the fee by a half, in every place that names it')
    await page.getByText('Done: the fee is in tariff.ts.').waitFor()
    await newSession(page, 'berths')
    await send(page, 'List free berths in the order of their length')
    await page.getByText('I read berths.ts.').waitFor()
    await newSession(page, 'dates')
    await send(page, 'Write dates as in the log book and build again')
    await page.getByTestId('approval-card').waitFor()
    await page.getByRole('button', { name: 'New conversation' }).click()
    await page.keyboard.press('Control+Alt+a')
    await page.locator('.sessions-item [data-testid=approval-card][data-armed=true]').waitFor()
    await page.getByText('not open').waitFor({ state: 'detached' })
    await take(page, 'sessions', page.locator('.workbench-body'))
    endpoint.release('end')
  })
}
