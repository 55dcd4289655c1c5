import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { answer, call, say, type Scenario } from '../model/scripted/scenario.ts'
import { startScriptedEndpoint } from '../model/scripted/scriptedEndpoint.ts'

// A complete story without a window against an endpoint on loopback, for the test of connections to elsewhere
// (egress.test.ts), which starts this file in a network namespace: `node egress.ts FOLDER`. Prints the last event.

const scenario: Scenario = {
  name: 'egress',
  turns: [
    {
      prompt: /.*/s,
      steps: [
        {
          title: 'look',
          play: () =>
            answer(
              call('read_file', { path: 'src/a.ts' }),
              call('grep_search', { pattern: 'answer' }),
              call('symbol_search', { query: 'answer' }),
              call('get_workspace_structure', {}),
            ),
        },
        {
          title: 'edit',
          play: () => answer(call('edit_file', { path: 'src/a.ts', old_content: '= 1', new_content: '= 2' })),
        },
        { title: 'run', play: () => answer(call('run_command', { command: 'cat src/a.ts', cwd: '.' })) },
        { title: 'end', play: (seen) => answer(say(`The command said: ${seen.result('run_command').text}`)) },
      ],
    },
  ],
}

const home = process.argv[2]
if (home !== undefined) await play(home)

async function play(folder: string): Promise<void> {
  const workspace = join(folder, 'workspace')
  await mkdir(join(workspace, 'src'), { recursive: true })
  await writeFile(join(workspace, 'src', 'a.ts'), 'export const answer = 1\n')
  await writeFile(join(workspace, 'AGENTS.md'), 'Be brief.\n')
  const endpoint = await startScriptedEndpoint(scenario)
  const entry = resolve(import.meta.dirname, '../headless.ts')
  const args = ['run', 'Go.', '--workspace', workspace, '--endpoint', endpoint.url, '--model', 'scripted']
  const child = spawn(process.execPath, [entry, ...args, '--mode', 'yolo', '--trust'], {
    env: { ...process.env, TIZONA_USER_DATA: join(folder, 'user'), HOME: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString()
  })
  const code = await new Promise((done) => {
    child.once('close', done)
  })
  await endpoint.close()
  console.log(out.trim().split('\n').at(-1))
  process.exit(code === 0 ? 0 : 1)
}
