import type { Browser, Page } from 'playwright'
import { answer, call, say, waitForGate, type Scenario } from '../src/main/model/scripted/scenario.ts'
import { picture, type Take } from './support/pictures.ts'

const fees = (small: string, late: string) => `/** Fees of the harbour, in euros a day. */
export const fees = {
  small: ${small},
  large: 40,
}

/** Returns the fee of a ship by its length in metres. */
export function feeOf(length: number): number {
  return length < 20 ? fees.small : fees.large
}

/** Added for each day after the agreed one. */
export const lateFee = ${late}
`

const check = `
/** Returns the fee of days after the agreed one. */
export function lateFeeOf(days: number): number {
  if (days < 0) throw new RangeError('days < 0')
  return days * lateFee
}
`

/** What the tries of one task do, in their order. */
const lateFees = [
  answer(call('write_file', { path: 'fees.ts', content: `${fees('20', '15')}${check}` })),
  answer(call('write_file', { path: 'fees.ts', content: fees('20', '15') })),
  answer(say('I look at the tests. '), waitForGate('end')),
]
let tried = 0

/** The model changes a file, stays at work, waits for approval, or answers, as the message says. */
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
      prompt: /Raise/,
      steps: [
        { title: 'read', play: () => answer(call('read_file', { path: 'fees.ts' })) },
        { title: 'write', play: () => answer(call('write_file', { path: 'fees.ts', content: fees('30', '15') })) },
        { title: 'tell', play: () => answer(say('Both fees are raised.')) },
      ],
    },
    {
      prompt: /late fee/,
      steps: [
        { title: 'write', play: () => lateFees[tried++ % 3] ?? answer(say('Nothing to do.')) },
        { title: 'tell', play: () => answer(say('The late fee is checked.')) },
      ],
    },
    { prompt: /.*/s, steps: [{ title: 'tell', play: () => answer(say('Only fees.ts names them.')) }] },
  ],
}
const settings = { model: { endpointId: 'scripted', model: 'qwen2.5-coder:7b' }, mode: 'cautious' as const }
const viewport = { width: 1280, height: 900 }
const files = {
  'berths.ts': 'export const berths = ["A1", "A2", "B1"]\n',
  'fees.ts': fees('20', '10'),
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
    await send(page, 'Which files name the fees?')
    await page.getByText('Only fees.ts names them.').waitFor()
    await newSession(page, 'fees')
    await send(page, 'Raise the fees of small ships and of late ones by a half')
    await page.getByText('Both fees are raised.').waitFor()
    await newSession(page, 'berths')
    await send(page, 'List free berths in the order of their length')
    await page.getByText('I read berths.ts.').waitFor()
    await newSession(page, 'dates')
    await send(page, 'Write dates as in the log book and build again')
    await page.getByTestId('approval-card').waitFor()
    await page.getByRole('button', { name: 'New conversation' }).click()
    await page.keyboard.press('Control+Alt+a')
    await page.locator('.sessions-item [data-testid=approval-card][data-armed=true]').waitFor()
    await page.locator('.sessions-item', { hasText: 'tizona/fees' }).getByText('1 file').waitFor()
    await take(page, 'sessions', page.locator('.workbench-body'))
    await page
      .getByRole('button', { name: /Which files name the fees/ })
      .first()
      .click()
    await page.getByRole('button', { name: /^Branch main/ }).waitFor()
    await page.getByRole('button', { name: /^Actions for Raise the fees/ }).click()
    await page.getByRole('menuitem', { name: 'Take over into this folder' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('checkbox', { name: 'Change 2 of 2 in fees.ts' }).uncheck()
    await take(page, 'sessions-take-over', dialog)
    await page.keyboard.press('Escape')
    await tries(page, take)
    endpoint.release('end')
  })
}

/** Takes pictures of the dialogs that start and compare several tries of a task. */
async function tries(page: Page, take: Take): Promise<void> {
  await page.getByRole('button', { name: 'New conversation' }).click()
  await page
    .getByRole('textbox', { name: 'Message', exact: true })
    .fill('Check the late fee of ships, with a function for it')
  await page.getByRole('button', { name: 'More ways to start' }).click()
  await page.getByRole('menuitem', { name: 'Try several times' }).click()
  const form = page.getByRole('dialog')
  for (const [index, temperature] of ['0.2', '0.8', '1.2'].entries())
    await form.getByRole('textbox', { name: 'Temperature' }).nth(index).fill(temperature)
  await form.getByRole('textbox', { name: /^Test command/ }).fill('grep -q lateFeeOf fees.ts')
  await take(page, 'sessions-try-several-times', form)
  await form.getByRole('button', { name: 'Start 3 tries' }).click()
  const table = page.getByRole('dialog', { name: 'Tries of a task' })
  await table.getByText('Passed').waitFor()
  await table.getByText('Failed (1)').waitFor()
  await table.getByRole('checkbox').first().check()
  await take(page, 'sessions-tries', table)
}
