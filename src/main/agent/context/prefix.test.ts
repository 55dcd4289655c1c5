import { readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { calledTool } from '../../../shared/tools/callArguments.ts'
import type { ConversationItem } from '../../../shared/agent/conversation.ts'
import { createCore, type Core } from '../../core.ts'
import { answer, call, say, type ScriptedChatRequest } from '../../model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../../model/scripted/scriptedEndpoint.ts'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { inProcessIndex } from '../../testing/inProcessIndex.ts'

// Servers reuse their computation for a prompt as long as the next one starts with the same bytes.

const never = new AbortController().signal
let core: Core | undefined
let endpoint: ScriptedEndpoint | undefined
let folder: Awaited<ReturnType<typeof temporaryFolder>> | undefined
afterEach(async () => {
  await core?.dispose()
  await endpoint?.close()
  await folder?.remove()
})

async function start(
  respond: (request: ScriptedChatRequest, before: number) => ReturnType<typeof answer>,
  contextWindow?: number,
): Promise<{ made: Core; id: string; bodies: Record<string, unknown>[]; workspace: string }> {
  folder = await temporaryFolder({
    'workspace/AGENTS.md': 'Speak briefly.\n',
    'workspace/src/a.ts': 'export const a = 1\n',
    'workspace/src/AGENTS.md': 'Only constants here.\n',
    'workspace/long.txt': Array.from({ length: 1500 }, (_, line) => `line ${line} of a long file`).join('\n'),
    'workspace/rows.txt': Array.from({ length: 130 }, (_, line) => `Row ${line} of this file.\n`).join(''),
    'user/': '',
  })
  const bodies: Record<string, unknown>[] = []
  endpoint = await startScriptedEndpoint({
    name: 'prefix',
    turns: [],
    ...(contextWindow && { contextWindow }),
    respond(request) {
      bodies.push(request.body)
      return respond(request, bodies.length - 1)
    },
  })
  const made = await createCore({
    platform: {
      host: 'headless',
      fork: inProcessIndex,
      version: 'test',
      userData: join(folder.root, 'user'),
      resources: join(import.meta.dirname, '../../../../resources'),
    },
    settings: {
      endpoints: [{ id: 'e', name: 'E', kind: 'openai', baseUrl: endpoint.url, hasKey: false }],
      model: { endpointId: 'e', model: 'scripted' },
      mode: 'yolo',
    },
    trustWorkspace: true,
  })
  core = made
  const workspace = join(folder.root, 'workspace')
  await made.openWorkspace(workspace)
  return { made, id: (await made.handlers['conversations.create']({}, never)).info.id, bodies, workspace }
}

async function turn(made: Core, id: string, text: string): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    const stop = made.subscribe((name) => {
      if (name !== 'conversation.turnEnded') return
      stop()
      resolve()
    })
  })
  await made.handlers['conversations.send']({ id, text }, never)
  await ended
}

const items = async (made: Core, id: string): Promise<ConversationItem[]> =>
  (await made.handlers['conversations.open']({ id }, never)).items

it('every request starts with the bytes of the previous one: modes, steering, to-do lists, rules and changed files are appended', async () => {
  const { made, id, bodies, workspace } = await start(({ messages }, before) => {
    if (before === 0)
      return answer(
        call('read_file', { path: 'src/a.ts' }),
        call('todo_write', { todos: [{ content: 'Read', status: 'in_progress' }] }),
      )
    if (before === 1) {
      void made.handlers['conversations.send']({ id, text: 'Mind the tests.', steer: true }, never)
      return answer(call('edit_file', { path: 'src/a.ts', old_content: '= 1', new_content: '= 2' }))
    }
    if (before === 2) return answer(call('read_file', { path: 'src/a.ts' }))
    return answer(say(`Done, after ${messages.length} messages.`))
  })
  await turn(made, id, 'Change a.')
  await made.handlers['conversations.update']({ id, mode: 'plan' }, never)
  await writeFile(join(workspace, 'src/a.ts'), 'export const a = 3\n')
  const later = new Date(Date.now() + 5000)
  await utimes(join(workspace, 'src/a.ts'), later, later)
  await turn(made, id, 'Plan the next one.')
  await turn(made, id, 'And now?')

  expect(bodies.length).toBeGreaterThanOrEqual(6)
  for (const [index, body] of bodies.entries()) {
    const before = bodies[index - 1]
    if (!before) continue
    expect(JSON.stringify(body['tools'])).toBe(JSON.stringify(before['tools']))
    // Up to the bracket that ends the list.
    const sent = JSON.stringify(before['messages']).slice(0, -1)
    expect(JSON.stringify(body['messages']).slice(0, sent.length)).toBe(sent)
  }
  const last = JSON.stringify(bodies.at(-1))
  for (const told of [
    'Only constants here.',
    'Mind the tests.',
    'The mode is now',
    'Changed since you read it: src/a.ts',
  ])
    expect(last.split(told), told).toHaveLength(2)
})

it('a tool that is found and called leaves the prompt as it was, and its card shows the tool', async () => {
  const { made, id, bodies, workspace } = await start((_, before) => {
    if (before === 0) return answer(call('find_tools', { query: 'copy a file' }))
    if (before === 1)
      return answer(call('call_tool', { tool: 'copy_file', arguments: { source: 'src/a.ts', destination: 'b.ts' } }))
    return answer(say('Copied.'))
  })
  await turn(made, id, 'Copy a.ts to b.ts.')

  const [first, second, third] = bodies.map((body) => JSON.stringify(body['messages']).slice(0, -1))
  expect(second?.startsWith(first ?? '-')).toBe(true)
  expect(third?.startsWith(second ?? '-')).toBe(true)
  expect(second).toContain('copy_file')
  expect(new Set(bodies.map((body) => JSON.stringify(body['tools']))).size).toBe(1)
  expect(JSON.stringify(bodies[0]?.['tools'])).not.toContain('"name":"copy_file"')
  expect(await readFile(join(workspace, 'b.ts'), 'utf8')).toBe('export const a = 1\n')
  const copied = (await items(made, id)).findLast((item) => item.kind === 'tool')
  if (!copied) throw new Error('A call is missing.')
  expect(calledTool(copied)).toMatchObject({ name: 'copy_file', values: { source: 'src/a.ts' } })
  expect(calledTool({ ...copied, result: undefined })).toMatchObject({
    name: 'copy_file',
    values: { source: 'src/a.ts', destination: 'b.ts' },
  })
})

it('truncates a result that exceeds its share of the window before sending it, and never restores it', async () => {
  const { made, id, bodies } = await start(
    (_, before) =>
      before === 0
        ? answer(call('read_file', { path: 'long.txt' }), call('read_file', { path: 'long.txt' }))
        : answer(say('Long.')),
    8192,
  )
  await turn(made, id, 'Read it.')
  await turn(made, id, 'Again?')
  const [, second, third] = bodies.map((body) => JSON.stringify(body['messages']).slice(0, -1))
  expect(second).toContain('bytes are missing here')
  expect(second?.length).toBeLessThan(8192 * 3.5 * 0.75)
  expect(third?.startsWith(second ?? '-')).toBe(true)
  const reads = (await items(made, id)).filter((item) => item.kind === 'tool')
  expect(reads.map(({ keep }) => keep !== undefined && keep > 1000)).toEqual([true, true])
  expect(reads[0]?.result?.text.length).toBeGreaterThan(20_000)
})

it('compaction marks stale reads and removes them first', async () => {
  const { made, id, bodies } = await start((_, before) => {
    if (before === 10) return answer(say('Done.'))
    return before % 2 === 0
      ? answer(call('read_file', { path: 'rows.txt' }))
      : answer(
          call('edit_file', { path: 'rows.txt', old_content: `Row ${before} of`, new_content: `Line ${before} of` }),
        )
  }, 6_500)
  await turn(made, id, 'Read and edit it five times.')
  expect(JSON.stringify(bodies.at(-1))).toContain('The file changed after this read')
  const reads = (await items(made, id)).filter((item) => item.kind === 'tool' && item.name === 'read_file')
  const marks = reads.map((item) => item.kind === 'tool' && item.stale === true)
  expect(marks.slice(0, 2)).toEqual([true, true])
  expect(marks.at(-1)).toBe(false)
})
