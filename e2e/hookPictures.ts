import type { Browser } from 'playwright'
import { answer, call, say, type Scenario } from '../src/main/model/scripted/scenario.ts'
import { picture, type Take } from './support/pictures.ts'
import { withoutServers } from './support/settings.ts'
import { approval, runPalette, send } from './support/window.ts'

const command = (name: string) => ({ type: 'command', command: `bash .claude/hooks/${name}.sh`, timeout: 20 })
const files = {
  '.claude/settings.json': JSON.stringify({
    hooks: {
      PreToolUse: [{ matcher: 'Bash', hooks: [command('guard')] }],
      PostToolUse: [{ matcher: 'Edit|Write', hooks: [command('format')] }],
      Stop: [{ hooks: [command('tests')] }],
    },
  }),
  '.claude/hooks/guard.sh': [
    'input=$(cat)',
    'case "$input" in',
    '  *--force*) echo "Do not force a push: others work on this branch." >&2; exit 2 ;;',
    '  *"npm publish"*) echo \'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"A package goes to everyone.","updatedInput":{"command":"npm publish --dry-run"}}}\' ;;',
    'esac',
  ].join('\n'),
  '.claude/hooks/format.sh': 'exit 0\n',
  '.claude/hooks/tests.sh': 'exit 0\n',
  'berths.ts': 'export const berths = ["A1", "A2", "B1"]\n',
}

const run = (text: string, command: string) => answer(say(text), call('run_command', { command, cwd: '.' }))
const scenario: Scenario = {
  name: 'hook-pictures',
  model: 'qwen3-coder:30b',
  turns: [
    {
      prompt: /.*/s,
      steps: [
        { title: 'push', play: () => run('I push the branch first.', 'git push --force') },
        { title: 'publish', play: () => run('I leave the branch as it is, and publish.', 'npm publish') },
        { title: 'tell', play: () => answer(say('The package is complete. Nothing was published.')) },
      ],
    },
  ],
}

/** Takes pictures of the hooks of a folder: their list in the settings, and calls that one refused and changed. */
export async function hookPictures(browser: Browser, theme: 'dark' | 'light', take: Take): Promise<void> {
  const model = { endpointId: 'scripted', model: 'qwen3-coder:30b' }
  const settings = { mode: 'yolo' as const, model, ...withoutServers }
  const viewport = { width: 1440, height: 860 }
  await picture(browser, theme, { files, scenario, settings, viewport }, async (page) => {
    await page.getByRole('treeitem', { name: 'berths.ts' }).waitFor()
    await runPalette(page, 'Settings')
    await page.keyboard.type('hooks')
    const list = page.getByRole('region', { name: 'Hooks', exact: true })
    for (const name of ['PreToolUse (Bash)', 'PostToolUse (Edit|Write)']) {
      await list.getByRole('button', { name: `Approve hook ${name}` }).click()
      await list
        .getByRole('region', { name: `Hook ${name}` })
        .getByText('Approved')
        .waitFor()
    }
    await list.getByRole('button', { name: 'Turn off hook Stop' }).click()
    await list.getByRole('region', { name: 'Hook Stop' }).getByText('Off', { exact: true }).waitFor()
    await take(page, 'hooks', list, 16)
    await send(page, 'Publish the package')
    await page.locator('[data-testid="tool-card"][data-state="refused"]').waitFor()
    await approval(page)
    await take(page, 'hooks-calls')
  })
}
