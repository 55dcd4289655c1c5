import { execFile, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type ClientConnection,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import { call, say, step, type Scenario } from '../src/main/model/scripted/scenario.ts'
import { expect, test, type App } from './support/app.ts'
import { allowOnce, approval, lastAnswer, runPalette, send } from './support/window.ts'

// The built commands beside a window with the same user data.

const program = join(process.cwd(), 'out/main/headless.js')
const environment = ({ path }: App): NodeJS.ProcessEnv => ({
  ...process.env,
  TIZONA_USER_DATA: path('../user'),
  TIZONA_NO_DISCOVERY: '1',
})

const chores: Scenario = {
  name: 'chores',
  turns: [
    {
      prompt: /^Rename/,
      steps: [
        step('plan', call('todo_write', { todos: [{ content: 'Rename the ship', status: 'in_progress' }] })),
        step('edit', call('apply_patch', { path: 'ships.txt', old_text: 'Anna', new_text: 'Elsa' })),
        step('answer', say('The ship is named Elsa.')),
      ],
    },
    {
      prompt: /^Count/,
      steps: [
        step('run', call('run_command', { command: 'grep -c . ships.txt; touch counted.txt' })),
        step('answer', say('There are 2 ships.')),
      ],
    },
    { prompt: /./, steps: [step('answer', say('Yes, it was Anna before.'))] },
  ],
}
const files = { 'ships.txt': 'Anna\nBerta\n' }

test.describe('tizona acp', () => {
  let server: ChildProcessWithoutNullStreams | undefined
  let connection: ClientConnection | undefined
  let updates: SessionUpdate[]
  let asked: RequestPermissionRequest[]

  /** Connects an editor to a new process that uses the model chosen in the window. */
  async function connect(app: App): Promise<ClientConnection['agent']> {
    updates = []
    asked = []
    server = spawn(process.execPath, [program, 'acp'], { env: environment(app) })
    connection = client({ name: 'story' })
      .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
      .onRequest(methods.client.session.requestPermission, ({ params }) => {
        asked.push(params)
        return { outcome: { outcome: 'selected', optionId: 'once' } }
      })
      // The types of Node's streams and of the browser's differ.
      .connect(ndJsonStream(Writable.toWeb(server.stdin), Readable.toWeb(server.stdout) as ReadableStream<Uint8Array>))
    const { agent } = connection
    await agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { _meta: { terminal_output: true } },
    })
    return agent
  }

  async function disconnect(): Promise<void> {
    connection?.close()
    if (!server || server.exitCode !== null) return
    const closed = new Promise((done) => server?.once('close', done))
    server.stdin.end()
    await closed
  }
  test.afterEach(disconnect)

  test('an editor gets plan, diff, permission and terminal, changes the mode, and resumes after a restart what the window shows', async ({
    launch,
  }) => {
    const app = await launch({ files, scenario: chores })
    let agent = await connect(app)
    const { sessionId } = await agent.request(methods.agent.session.new, { cwd: app.workspace, mcpServers: [] })
    const prompt = (text: string) =>
      agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] })
    const diff = { type: 'diff', path: app.path('ships.txt'), oldText: 'Anna', newText: 'Elsa' }

    expect(await prompt('Rename the first ship.')).toEqual({ stopReason: 'end_turn' })
    expect(updates).toContainEqual(
      expect.objectContaining({
        sessionUpdate: 'plan',
        entries: [expect.objectContaining({ content: 'Rename the ship', status: 'in_progress' })],
      }),
    )
    expect(asked).toMatchObject([{ toolCall: { kind: 'edit', content: [{ type: 'diff' }, { type: 'content' }] } }])
    const shown = asked[0]?.toolCall.content?.find((content) => content.type === 'diff')
    expect(shown).toMatchObject({ path: diff.path, oldText: expect.stringContaining('Anna') })
    expect(await readFile(app.path('ships.txt'), 'utf8')).toBe('Elsa\nBerta\n')

    await agent.request(methods.agent.session.setMode, { sessionId, modeId: 'yolo' })
    expect(await prompt('Count the ships.')).toEqual({ stopReason: 'end_turn' })
    expect(asked).toHaveLength(1)
    expect(updates).toContainEqual(
      expect.objectContaining({
        status: 'completed',
        content: [expect.objectContaining({ type: 'terminal' })],
        _meta: expect.objectContaining({ terminal_exit: expect.objectContaining({ exit_code: 0 }) }),
      }),
    )
    await disconnect()
    expect(server?.exitCode).toBe(0)

    agent = await connect(app)
    await agent.request(methods.agent.session.resume, { sessionId, cwd: app.workspace })
    expect(await prompt('Was it Anna?')).toEqual({ stopReason: 'end_turn' })
    const { page } = app
    await page.getByRole('button', { name: 'Past conversations' }).click()
    await page.getByRole('region', { name: 'Past conversations' }).getByText('Rename the first ship').first().click()
    await expect(lastAnswer(page)).toContainText('Yes, it was Anna before.')
  })
})

test('a conversation that the window exports is replayed: the same calls have the same results, and another folder other ones', async ({
  launch,
}) => {
  const app = await launch({ files, scenario: chores })
  const { page } = app
  const untouched = app.path('../untouched')
  await cp(app.workspace, untouched, { recursive: true })
  await send(page, 'Rename the first ship.')
  await approval(page)
  await allowOnce(page)
  await expect(lastAnswer(page)).toContainText('The ship is named Elsa.')
  const download = page.waitForEvent('download')
  await runPalette(page, 'Export conversation as JSON')
  const exported = await (await download).path()

  const replay = (folder: string) =>
    new Promise<{ code: number; lines: Record<string, unknown>[] }>((resolve) => {
      const args = [program, 'replay', exported, '--workspace', folder, '--mode', 'yolo']
      execFile(process.execPath, args, { env: environment(app) }, (error, out) =>
        resolve({
          code: typeof error?.code === 'number' ? error.code : 0,
          // Each line is an event of the command.
          lines: out
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line) as Record<string, unknown>),
        }),
      )
    })
  const same = await replay(untouched)
  expect(same.lines.at(-1)).toMatchObject({ event: 'replay.ended', calls: 2, different: 0 })
  expect(same.code).toBe(0)
  expect(await readFile(join(untouched, 'ships.txt'), 'utf8')).toBe('Elsa\nBerta\n')

  const other = app.path('../other')
  await mkdir(other)
  await writeFile(join(other, 'ships.txt'), 'Carla\n')
  const differs = await replay(other)
  expect(differs.lines).toContainEqual(expect.objectContaining({ name: 'apply_patch', same: false }))
  expect(differs.code).toBe(1)
})
