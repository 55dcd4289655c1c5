import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { EventName, Events } from '../../../shared/bridge/protocol.ts'
import { settingsSchema, type Settings } from '../../../shared/settings/settings.ts'
import { createCore, type Core } from '../../core.ts'
import { answer, call, say, step, think, type Scenario } from '../../model/scripted/scenario.ts'
import { startScriptedEndpoint } from '../../model/scripted/scriptedEndpoint.ts'
import { dataFolderAnswers, home, root, userData } from './answers.ts'

// Writes a data folder with this version of Tizona, to be committed beside this file:
//   node src/main/testing/dataFolder/write.ts NAME
// dataFolder.test.ts opens each committed folder with the current version.

const never = new AbortController().signal
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Settings whose values all differ from the defaults. */
const settings: Partial<Settings> = {
  theme: 'light',
  mode: 'yolo',
  toolset: 'rustant',
  suggestToolset: false,
  disabledTools: { blade: ['grep_search'], rustant: ['echo'] },
  smallModel: { endpointId: 'near', model: 'small' },
  temperature: 0.7,
  systemPrompt: 'Answer in short sentences.',
  profile: 'compact',
  compactAt: 0.6,
  maxTurns: 12,
  editor: { ...settingsSchema.parse({}).editor, fontSize: 15, tabSize: 2, wordWrap: true, minimap: false },
  web: {
    enabled: true,
    search: 'searxng',
    searxngUrl: 'http://192.168.1.5:8080',
    hasBraveKey: false,
    localOrigins: ['http://localhost:3000'],
  },
  history: { maxAgeDays: 36_500, maxMegabytes: 1_000 },
}

const scenario: Scenario = {
  name: 'data folder',
  turns: [
    {
      prompt: /rename two/,
      steps: [
        step(
          'plan',
          think('First a list.'),
          call('todo_write', {
            todos: [
              { content: 'Edit a.txt', status: 'in_progress' },
              { content: 'Test', status: 'pending' },
            ],
          }),
        ),
        step('look', call('read_file', { path: 'a.txt' }), call('no_such_tool', {})),
        step(
          'edit',
          call('apply_patch', { path: 'a.txt', old_text: 'two', new_text: '2' }),
          call('write_file', { path: 'made.txt', content: 'made\n' }),
        ),
        step('run', call('run_command', { command: 'echo ran; seq 1 4000' })),
        step('done', say('Renamed two.')),
      ],
    },
    { prompt: /look at the picture/, steps: [step('seen', say('One pixel, and the file a.txt.'))] },
    {
      prompt: /delete/,
      steps: [step('delete', call('delete_file', { path: 'b.txt' })), step('done', say('Deleted b.txt.'))],
    },
    { prompt: /go on/, steps: [step('done', say('Nothing is left to do.'))] },
    {
      prompt: /fail/,
      steps: [{ title: 'fail', play: () => ({ status: 400, body: '{"error":{"message":"bad request"}}' }) }],
    },
  ],
  unexpected: () => answer(say('Summary: the user renamed two in a.txt.')),
}

async function main(name: string): Promise<void> {
  await rm(home, { recursive: true, force: true })
  await mkdir(join(root, 'sub'), { recursive: true })
  await mkdir(userData)
  await writeFile(join(root, 'a.txt'), 'one\ntwo\nthree\n')
  await writeFile(join(root, 'b.txt'), 'b\n')
  await writeFile(join(root, 'AGENTS.md'), 'Use tabs.\n')
  await writeFile(join(root, 'sub', 'c.txt'), 'c\n')
  await writeFile(
    join(root, '.mcp.json'),
    JSON.stringify({ mcpServers: { docs: { command: 'docs-server', args: ['--port', '1'] } } }),
  )
  await writeFile(join(userData, 'AGENTS.md'), 'Be polite.\n')
  const endpoint = await startScriptedEndpoint(scenario)
  const core = await createCore({
    platform: {
      host: 'browser',
      version: 'test',
      userData,
      resources: join(import.meta.dirname, '..', '..', '..', '..', 'resources'),
    },
  })
  try {
    await fill(core, endpoint.url)
    await writeFile(join(home, 'answers.json'), `${JSON.stringify(await dataFolderAnswers(core), null, 1)}\n`)
  } finally {
    await core.dispose()
    await endpoint.close()
  }
  const db = new DatabaseSync(join(userData, 'tizona.db'))
  db.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE; VACUUM')
  db.close()
  for (const passing of ['code-index', 'running-commands', 'tizona.db.users'])
    await rm(join(userData, passing), { recursive: true, force: true })
  const target = join(import.meta.dirname, name)
  await rm(target, { recursive: true, force: true })
  await mkdir(target)
  await cp(userData, join(target, 'user'), { recursive: true })
  await cp(root, join(target, 'project'), { recursive: true })
  await cp(join(home, 'answers.json'), join(target, 'answers.json'))
  await rm(home, { recursive: true, force: true })
}

function next<N extends EventName>(core: Core, name: N, fits: (payload: Events[N]) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = core.subscribe((seen, payload) => {
      // TypeScript does not tie the payload to `name`, although `seen === name`.
      if (seen !== (name as EventName) || !fits(payload as Events[N])) return
      stop()
      resolve()
    })
  })
}

async function fill(core: Core, url: string): Promise<void> {
  const { handlers } = core
  await handlers['settings.set'](settings, never)
  const limits = {
    patience: { answer: 600, piece: 120, loading: 900 },
    models: {
      scripted: {
        contextWindow: 32_000,
        think: 'off' as const,
        keepAlive: '30m',
        topP: 0.9,
        maxTokens: 4_000,
        tools: true,
        vision: true,
        extraBody: { seed: 7 },
      },
    },
  }
  await handlers['endpoints.save'](
    {
      endpoint: {
        id: 'near',
        name: 'Near',
        kind: 'openai',
        baseUrl: url,
        contextWindow: 32_000,
        hasKey: true,
        headers: ['X-Team'],
        headerValues: { 'X-Team': 'blue' },
        ...limits,
      },
      key: 'sk-not-a-real-key',
    },
    never,
  )
  await handlers['settings.set']({ model: { endpointId: 'near', model: 'scripted' } }, never)
  await handlers['web.setBraveKey']({ key: 'not-a-real-brave-key' }, never)
  await handlers['mcp.save'](
    {
      name: 'own',
      definition: { type: 'stdio', command: 'own-server', args: ['--token', '${input:TOKEN}'], env: { MODE: 'test' } },
      secrets: { TOKEN: 'not-a-real-token' },
    },
    never,
  )
  await core.openWorkspace(root)
  const mcp = await handlers['mcp.state']({}, never)
  for (const server of mcp.servers) {
    if (server.origin === 'workspace') await handlers['mcp.trust']({ key: server.key, trusted: false }, never)
    else await handlers['mcp.setOff']({ key: server.key, off: true }, never)
  }
  await handlers['layout.save']({ layout: JSON.stringify(layout) }, never)
  const turn = async (id: string, send: () => unknown) => {
    const ended = next(core, 'conversation.turnEnded', ({ conversationId }) => conversationId === id)
    await send()
    await ended
  }
  const say = (id: string, text: string, more = {}) =>
    turn(id, () => handlers['conversations.send']({ id, text, ...more }, never))

  const { info: first } = await handlers['conversations.create']({}, never)
  await handlers['conversations.update']({ id: first.id, toolset: 'blade', title: 'Rename two', pinned: true }, never)
  await say(first.id, 'Please rename two')
  const image = await handlers['images.add']({ label: 'pixel.png', data: pixel }, never)
  await say(first.id, 'Now look at the picture and @a.txt', { images: [{ id: image.id, label: image.label }] })
  await say(first.id, 'Please delete b.txt')
  const before = (await handlers['conversations.open']({ id: first.id }, never)).items
  const deleting = before.find((item) => item.kind === 'user' && item.text.includes('delete'))
  await handlers['conversations.restore'](
    { id: first.id, itemId: String(deleting?.id), files: true, conversation: false },
    never,
  )
  await say(first.id, 'Please go on')

  const { conversation: forked } = await handlers['conversations.fork']({ id: first.id }, never)
  await handlers['conversations.update']({ id: forked.info.id, title: 'Forked', mode: 'plan' }, never)
  await turn(forked.info.id, () => handlers['conversations.compact']({ id: forked.info.id }, never))

  const { info: failed } = await handlers['conversations.create']({}, never)
  await handlers['conversations.update'](
    { id: failed.id, title: 'Failed', mode: 'paranoid', toolset: 'rusty', profile: 'minimal' },
    never,
  )
  await say(failed.id, 'Please fail')

  await handlers['buffers.sync'](
    {
      path: 'sub/c.txt',
      open: true,
      dirty: true,
      text: 'unsaved\n',
      version: 1,
      format: { encoding: 'utf8', eol: '\n' },
    },
    never,
  )
}

/** A layout in the format of the window. */
const layout = {
  version: 1,
  layout: { sidebar: true, sidebarWidth: 300, chat: true, chatWidth: 420, panel: true, panelHeight: 240 },
  groups: [{ tabs: [{ file: 'a.txt', cursor: { line: 2, column: 1 } }, { page: 'settings' }], active: 0 }],
  activeGroup: 0,
  expanded: ['sub'],
}

const [name] = process.argv.slice(2)
if (name === undefined) throw new Error('Name the folder to write, e.g. 0.1.0.')
await main(name)
