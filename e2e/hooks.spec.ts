import { writeFile } from 'node:fs/promises'
import { checkView, inApproval, inChat, inDialog } from './support/accessibility.ts'
import { expect, test } from './support/app.ts'
import { scenarios } from './scenarios/index.ts'
import { approval, cardIs, lastAnswer, pressWithKeys, runPalette, send } from './support/window.ts'

const command = (name: string) => ({ type: 'command', command: `bash .claude/hooks/${name}.sh`, timeout: 20 })
const files = {
  '.claude/settings.json': JSON.stringify({
    hooks: {
      PreToolUse: [{ matcher: 'Bash', hooks: [command('guard')] }],
      UserPromptSubmit: [{ hooks: [command('prompt')] }],
      SessionStart: [{ matcher: 'startup', hooks: [command('start')] }],
      Stop: [{ hooks: [command('stop')] }],
    },
  }),
  '.claude/hooks/guard.sh': [
    'input=$(cat)',
    'case "$input" in',
    '  *forbidden*) echo "This command is not allowed here." >&2; exit 2 ;;',
    '  *"echo hola"*) echo \'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"Look at the greeting.","updatedInput":{"command":"echo hello"}}}\' ;;',
    'esac',
  ].join('\n'),
  '.claude/hooks/start.sh': 'echo "The tests are in spec/."\n',
  // Refuses the end of one turn, again and again.
  '.claude/hooks/stop.sh': [
    'input=$(cat)',
    'case "$input" in *"I went on."* | *finished*) echo "Run the tests." >&2; exit 2 ;; esac',
  ].join('\n'),
  '.claude/hooks/prompt.sh': 'if grep -q sk-secret; then echo "The message has a key." >&2; exit 2; fi\n',
}

test('hooks of a folder: approved by keyboard in the settings, they refuse, change and ask, and a changed script needs approval again', async ({
  launch,
}) => {
  const app = await launch({
    files,
    scenario: scenarios.runCommand,
    trust: false,
    settings: { mode: 'yolo' },
  })
  const { page } = app
  await test.step('the trust dialog lists the hooks with their commands', async () => {
    await runPalette(page, 'Manage folder trust')
    const dialog = page.getByRole('dialog', { name: 'Trust this folder?' })
    const list = dialog.getByRole('region', { name: 'Enabled in a trusted folder' })
    await expect(list).toContainText('.claude/settings.json, PreToolUse')
    await expect(list).toContainText('bash .claude/hooks/guard.sh')
    await checkView(page, 'trust in a folder with hooks', inDialog)
    await pressWithKeys(dialog.getByRole('button', { name: 'Trust folder' }))
    await expect(page.getByRole('region', { name: 'Folder trust' })).toHaveCount(0)
  })

  await test.step('without a decision no hook runs, and a notice names the place to decide', async () => {
    await send(page, 'run: echo forbidden')
    await cardIs(page, 'run_command', 'done')
    await expect(page.getByText(/for your decision\. Review in Settings, under Hooks/).first()).toBeVisible()
  })

  await test.step('the user approves them', async () => {
    await runPalette(page, 'Settings')
    await page.keyboard.type('hooks')
    for (const name of ['PreToolUse (Bash)', 'UserPromptSubmit', 'SessionStart (startup)', 'Stop']) {
      const row = page.getByRole('region', { name: `Hook ${name}` })
      await pressWithKeys(row.getByRole('button', { name: `Approve hook ${name}` }))
      await expect(row).toContainText('Approved')
    }
    await checkView(page, 'hooks in the settings', { only: ['.settings'] })
  })

  await test.step('a hook refuses a call in yolo mode, and the card shows its reason', async () => {
    await send(page, 'run: echo forbidden')
    const refused = page.locator('[data-testid="tool-card"][data-state="refused"]')
    await expect(refused).toContainText('This command is not allowed here.')
    await checkView(page, 'a call that a hook refused', inChat)
  })

  await test.step('a hook changes a command and requires approval, and both cards show it', async () => {
    await send(page, 'run: echo hola')
    const request = await approval(page)
    await expect(request).toContainText('Look at the greeting.')
    await expect(request).toContainText('changed command from "echo hola" to "echo hello"')
    await checkView(page, 'a call that a hook changed', inApproval)
    await request.getByRole('button', { name: 'Allow once' }).press('Enter')
    await expect(lastAnswer(page)).toContainText('hello')
    await expect(page.getByTestId('hook-note')).toContainText('changed command from')
  })

  await test.step('a refused message is not sent', async () => {
    await send(page, 'run: echo sk-secret')
    await expect(page.getByText(/Your message was not sent to the model/)).toBeVisible()
    await expect(page.getByText(/The message has a key/)).toBeVisible()
  })

  await test.step('a hook that refuses the end of a turn continues it three times, then it ends', async () => {
    await send(page, 'run: echo finished')
    await expect(page.getByText('A hook asked the model to continue')).toHaveCount(3)
    await expect(page.getByText(/The turn ended although a hook refused its end again/)).toBeVisible()
    await checkView(page, 'a turn that a hook continued', inChat)
  })

  await test.step('text for the start of a session goes to the model with the first message', async () => {
    await runPalette(page, 'New conversation')
    await send(page, 'run: echo free')
    await expect(page.getByText('Hooks added text for the model')).toHaveAttribute('title', /The tests are in spec/)
  })

  await test.step('a changed script needs approval again, and until then refuses what it checks', async () => {
    await writeFile(app.path('.claude/hooks/guard.sh'), 'exit 0\n')
    await send(page, 'run: echo free')
    await expect(page.locator('[data-testid="tool-card"][data-state="refused"]').last()).toContainText(
      'has changed since it was approved',
    )
  })

  await test.step('the audit log names the file of a hook, and whether it ran', async () => {
    await runPalette(page, 'Show audit log')
    const entries = page.getByRole('dialog', { name: 'Audit log' }).getByRole('listitem')
    await expect(entries.filter({ hasText: 'The hook did not run' }).first()).toContainText('.claude/settings.json')
    await expect(entries.filter({ hasText: 'This command is not allowed here.' })).toContainText(
      '.claude/settings.json',
    )
    await checkView(page, 'the audit log with hooks', inDialog)
    await page.keyboard.press('Escape')
  })

  await test.step('a file that cannot be read refuses what its hooks checked, until the user turns them off', async () => {
    await writeFile(app.path('.claude/settings.json'), '{')
    await send(page, 'run: echo free')
    await expect(page.getByText(/turns the hook off in Settings, under Hooks/).first()).toBeVisible()
    // The settings are still open, and follow the file.
    const row = page.getByRole('region', { name: 'Hook PreToolUse (Bash)' })
    await expect(row).toContainText('its file cannot be read')
    await checkView(page, 'a hook whose file cannot be read', { only: ['.settings'] })
    await pressWithKeys(row.getByRole('button', { name: 'Turn off hook PreToolUse (Bash)' }))
    await expect(row).toHaveCount(0)
  })
})
