import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createCore } from './core.ts'
import { inlineEdit } from './inlineEdit/testing/inlineEditParams.ts'
import { answer, say } from './model/scripted/scenario.ts'
import { startScriptedEndpoint } from './model/scripted/scriptedEndpoint.ts'

const never = new AbortController().signal

/** A core with a scripted model and an open folder that the user does not trust. */
async function coreWith(files: Readonly<Record<string, string>>) {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-inline-')))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, 'folder', name)), { recursive: true })
    await writeFile(join(home, 'folder', name), text)
  }
  const endpoint = await startScriptedEndpoint({
    name: 'inline',
    turns: [],
    respond: () => answer(say('```\ntwo\n```')),
  })
  const model = { endpointId: 'scripted', model: 'other' }
  const core = await createCore({
    platform: {
      host: 'browser',
      version: 'test',
      userData: join(home, 'user'),
      resources: join(import.meta.dirname, '..', '..', 'resources'),
    },
    settings: {
      endpoints: [{ id: 'scripted', name: 'Scripted', kind: 'openai', baseUrl: endpoint.url, hasKey: false }],
      model: { endpointId: 'scripted', model: 'scripted' },
    },
  })
  onTestFinished(async () => {
    await core.dispose()
    await endpoint.close()
    await rm(home, { recursive: true, force: true })
  })
  await core.openWorkspace(join(home, 'folder'))
  const bodies = () =>
    endpoint.requests.flatMap(({ path, body }) =>
      path.endsWith('/completions') ? [body as { model: string; messages: { content: string }[] }] : [],
    )
  return { core, bodies, model }
}

it('an inline edit uses the model of the conversation, also in a folder that is not trusted', async () => {
  const { core, bodies, model } = await coreWith({ 'a.ts': 'one\n' })
  const { info } = await core.handlers['conversations.create']({}, never)
  await core.handlers['conversations.update']({ id: info.id, model }, never)
  const edit = inlineEdit({ conversationId: info.id })
  expect(await core.handlers['inlineEdit.run'](edit, never)).toEqual({ lines: ['two'] })
  expect(bodies().map((body) => body.model)).toEqual(['other'])
  // Nothing is stored in the conversation.
  expect((await core.handlers['conversations.open']({ id: info.id }, never)).items).toEqual([])
})

it.each(['.env', 'keys/id_rsa', '../outside.txt'])(
  'an inline edit of %s is refused, and nothing is sent',
  async (path) => {
    const { core, bodies } = await coreWith({ '.env': 'TOKEN=1\n', 'keys/id_rsa': 'secret\n' })
    await expect(core.handlers['inlineEdit.run'](inlineEdit({ path }), never)).rejects.toThrow(/secret|outside/)
    expect(bodies()).toEqual([])
  },
)

it('the prompt of an inline edit includes definitions in other files', async () => {
  const { core, bodies } = await coreWith({
    'a.ts': "import { price } from './b.ts'\n\nexport const total = price(2)\n",
    'b.ts': '/** Net price in euros. */\nexport function price(count: number): number {\n  return count * 3\n}\n',
  })
  // The index is complete before the time limit of an edit counts.
  await core.handlers['code.definition']({ path: 'a.ts', line: 3, column: 22 }, never)
  await core.handlers['inlineEdit.run'](
    inlineEdit({ selection: ['export const total = price(2)'], line: 3, before: "import { price } from './b.ts'\n" }),
    never,
  )
  expect(bodies()[0]?.messages.at(-1)?.content).toMatch(
    /<definitions>\nb\.ts:2 .*price\(count: number\): number.*Net price/,
  )
})
