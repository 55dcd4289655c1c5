import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createCore } from '../core.ts'
import { inlineEdit } from '../inlineEdit/testing/inlineEditParams.ts'
import { answer, say, waitForGate, type Scenario } from '../model/scripted/scenario.ts'
import { startScriptedEndpoint } from '../model/scripted/scriptedEndpoint.ts'
import { inProcessIndex } from '../testing/inProcessIndex.ts'

const never = new AbortController().signal

/** A core with a scripted model and an open folder that the user does not trust. */
async function coreWith(
  files: Readonly<Record<string, string>>,
  respond: Scenario['respond'] = () => answer(say('```\ntwo\n```')),
) {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-inline-')))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, 'folder', name)), { recursive: true })
    await writeFile(join(home, 'folder', name), text)
  }
  const endpoint = await startScriptedEndpoint({
    name: 'inline',
    turns: [],
    respond,
  })
  const model = { endpointId: 'scripted', model: 'other' }
  const core = await createCore({
    platform: {
      host: 'browser',
      version: 'test',
      userData: join(home, 'user'),
      resources: join(import.meta.dirname, '..', '..', '..', 'resources'),
      fork: inProcessIndex,
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
  return { core, endpoint, bodies, model }
}

it('an inline edit uses the model of the conversation, even in a folder that is not trusted', async () => {
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

it('an inline edit runs beside a turn, and ends when the folder is closed', async () => {
  const { core, endpoint, bodies } = await coreWith({ 'a.ts': 'one\n' }, ({ messages }) => {
    const asked = messages.at(-1)?.content ?? ''
    if (asked.includes('Instruction: quick')) return answer(say('```\ntwo\n```'))
    return answer(say('Begun.\n'), waitForGate(asked.includes('Instruction: slow') ? 'never' : 'rest'), say('Done.'))
  })
  const { info } = await core.handlers['conversations.create']({}, never)
  await core.handlers['conversations.send']({ id: info.id, text: 'Hello' }, never)
  await expect.poll(bodies).toHaveLength(1)
  expect(await core.handlers['inlineEdit.run'](inlineEdit({ instruction: 'quick' }), never)).toEqual({ lines: ['two'] })
  endpoint.release('rest')
  await expect
    .poll(async () => (await core.handlers['conversations.open']({ id: info.id }, never)).items)
    .toContainEqual(expect.objectContaining({ kind: 'assistant', text: 'Begun.\nDone.' }))

  const slow = core.handlers['inlineEdit.run'](inlineEdit({ id: 'e2', instruction: 'slow' }), never)
  const ended = expect(slow).rejects.toThrow()
  await expect.poll(bodies).toHaveLength(3)
  await core.handlers['workspace.close']({}, never)
  await ended
})
