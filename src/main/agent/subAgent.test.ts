import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ToolItem } from '../../shared/agent/conversation.ts'
import type { EventName, Events } from '../../shared/bridge/protocol.ts'
import type { Mode } from '../../shared/tools/risk.ts'
import { createCore, type Core } from '../core.ts'
import { answer, call, disconnect, waitForGate, say, step, type ScenarioStep } from '../model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../model/scripted/scriptedEndpoint.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { inProcessIndex } from '../testing/inProcessIndex.ts'
import { variedText } from '../testing/variedText.ts'

// codebase_investigator inside a conversation, over real HTTP and with the real executor.

const files = {
  'src/users.ts':
    "import { db } from './db'\n\n/** Keeps a user, once. */\nexport function saveUser(user: User): void {\n  if (!db.has(user.name)) db.put(user)\n}\n",
  'src/db.ts': "export const db = open('users.db')\n",
  'src/web.ts':
    "import { saveUser } from './users'\n\nexport function register(form: Form): void {\n  saveUser({ name: form.name })\n}\n",
}
const question = /^Objective: how is a user saved\?/

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let data: Awaited<ReturnType<typeof temporaryFolder>>
let endpoint: ScriptedEndpoint
let core: Core
let progress: string

beforeEach(async () => {
  folder = await temporaryFolder(files)
  data = await temporaryFolder()
  progress = ''
})
afterEach(async () => {
  await core.dispose()
  await endpoint.close()
  await Promise.all([folder.remove(), data.remove()])
})

const reportSchema = z.object({
  method: z.enum(['model', 'search']),
  summary: z.string(),
  findings: z.array(
    z.object({
      title: z.string(),
      evidence: z.array(z.object({ path: z.string(), line: z.number(), text: z.string() })),
    }),
  ),
  meta: z.looseObject({
    turns: z.number(),
    tool_calls: z.number(),
    evidence_checked: z.number(),
    evidence_dropped: z.number(),
    findings_dropped: z.number(),
    cancelled: z.boolean(),
  }),
  notes: z.array(z.string()),
})

interface Options {
  args?: Record<string, unknown>
  mode?: Mode
  disabled?: string[]
  during?(id: string): Promise<void>
}

/** Runs a turn in which the model starts an investigation; `inner` are the answers of the sub-agent. */
async function investigate(
  inner: ScenarioStep[],
  { args = {}, mode = 'yolo', disabled = [], during }: Options = {},
): Promise<ToolItem> {
  const outer = [
    step('investigates', call('codebase_investigator', { objective: 'how is a user saved?', ...args })),
    step('ends', say('Done.')),
  ]
  endpoint = await startScriptedEndpoint({
    name: 'investigation',
    turns: [
      { prompt: question, steps: inner },
      { prompt: /.*/s, steps: outer },
    ],
  })
  const resources = fileURLToPath(new URL('../../../resources', import.meta.url))
  core = await createCore({
    platform: { host: 'headless', version: 'test', userData: data.root, resources, fork: inProcessIndex },
    settings: {
      endpoints: [{ id: 'e', name: 'E', kind: 'openai', baseUrl: endpoint.url, hasKey: false }],
      model: { endpointId: 'e', model: 'scripted' },
      mode,
      toolset: 'blade',
      disabledTools: { blade: disabled },
    },
  })
  await core.openWorkspace(folder.root)
  const never = new AbortController().signal
  const {
    info: { id },
  } = await core.handlers['conversations.create']({}, never)
  const ended = new Promise<void>((resolve) => {
    core.subscribe(<N extends EventName>(name: N, payload: Events[N]) => {
      if (name === 'conversation.turnEnded') resolve()
      // `name` determines the type of the payload, but the compiler does not narrow a type parameter.
      const told = name === 'tool.progress' ? (payload as Events['tool.progress']).progress : undefined
      if (told?.kind === 'text') progress += told.text
    })
  })
  await core.handlers['conversations.send']({ id, text: 'go' }, never)
  await during?.(id)
  await ended
  const { items } = await core.handlers['conversations.open']({ id }, never)
  const item = items.find((one) => one.kind === 'tool')
  if (item?.kind !== 'tool') throw new Error('There is no call in the conversation.')
  expect(endpoint.mismatches).toEqual([])
  return item
}

it('shows its conclusions to the user with the evidence and its calls', async () => {
  const { result } = await investigate([read, answers(finding(there))])
  const summary = 'Through saveUser.\n\nSaved once: It looks first.'
  const calls = [{ tool: 'read_file_range', ok: true, arguments: { path: 'src/users.ts' } }]
  expect(result?.view).toMatchObject({ kind: 'matches', total: 1, summary, calls })
})

async function report(inner: ScenarioStep[], options?: Options) {
  const { result } = await investigate(inner, options)
  if (!result?.ok) throw new Error(result?.text ?? 'There is no result.')
  return reportSchema.parse(JSON.parse(result.text))
}

const finding = (...evidence: (object | string)[]) => ({
  title: 'Saved once',
  detail: 'It looks first.',
  confidence: 'high',
  evidence,
})
const there = { path: 'src/users.ts', line: 5, quote: 'if (!db.has(user.name)) db.put(user)' }
const answers = (...findings: object[]) =>
  step('answers', say(JSON.stringify({ summary: 'Through saveUser.', findings })))
const read = step('reads', call('read_file_range', { path: 'src/users.ts', start_line: 1, end_line: 6 }))

describe('an investigating sub-agent', () => {
  it('starts from the search results, reads files, and has its evidence checked', async () => {
    const found = await report([
      {
        title: 'reads',
        play: (seen) => {
          expect(seen.prompt).toContain('src/users.ts:4 `export function saveUser(user: User): void {`')
          expect(seen.tools.toSorted()).toEqual([
            'find_files',
            'grep_search',
            'list_dir',
            'read_file_range',
            'symbol_graph',
            'symbol_outline',
            'symbol_search',
          ])
          return answer(call('read_file_range', { path: 'src/users.ts', start_line: 1, end_line: 6 }))
        },
      },
      {
        title: 'answers',
        play: (seen) => {
          seen.expect('read_file_range', /5: {3}if \(!db\.has/, 'the lines')
          return answer(
            say(
              `Here it is:\n\`\`\`json\n${JSON.stringify({ summary: 'Through saveUser.', findings: [finding(there)] })}\n\`\`\``,
            ),
          )
        },
      },
    ])
    expect(found).toMatchObject({
      method: 'model',
      summary: 'Through saveUser.',
      meta: { turns: 2, evidence_checked: 1, evidence_dropped: 0, cancelled: false },
      notes: [],
    })
    expect(found.findings).toEqual([
      {
        title: 'Saved once',
        evidence: [{ path: 'src/users.ts', line: 5, text: 'if (!db.has(user.name)) db.put(user)' }],
      },
    ])
    expect(progress).toBe('read_file_range src/users.ts:1–6\n')
  })

  it('drops evidence that does not exist and findings without evidence, and counts both', async () => {
    const found = await report([
      answers(
        finding(
          there,
          { path: 'src/gone.ts', line: 1, quote: 'x' },
          { path: 'src/users.ts', line: 99, quote: 'x' },
          { path: 'src/users.ts', line: 4, quote: there.quote },
        ),
        finding({ path: '../outside.ts', line: 1 }, 'src/users.ts:2', 'no place at all'),
        finding('src/db.ts:1'),
      ),
    ])
    expect(found.meta).toMatchObject({ evidence_checked: 2, evidence_dropped: 6, findings_dropped: 1 })
    expect(found.findings.map(({ evidence }) => evidence.map(({ path: file, line }) => `${file}:${line}`))).toEqual([
      ['src/users.ts:5'],
      ['src/db.ts:1'],
    ])
  })

  it('respects the scope', async () => {
    const found = await report([answers(finding(there, { path: 'src/db.ts', line: 1 }))], {
      args: { scope: ['src/users.ts'] },
    })
    expect(found.meta).toMatchObject({ evidence_checked: 1, evidence_dropped: 1 })
  })

  it('falls back to the search when all of its evidence is invented', async () => {
    const found = await report([answers(finding({ path: 'src/auth.ts', line: 3, quote: 'login()' }))])
    expect(found).toMatchObject({ method: 'search', summary: '', meta: { evidence_dropped: 1, findings_dropped: 1 } })
    expect(found.findings[0]?.evidence[0]?.path).toBe('src/users.ts')
    expect(found.notes).toEqual([
      'None of the evidence that the model cited exists. These findings come from a search over words, symbols and calls.',
    ])
  })

  it('falls back to the search when the answer contains no findings', async () => {
    const found = await report([step('chats', say('I think it is somewhere in {the} code.'))])
    expect(found.method).toBe('search')
    expect(found.notes[0]).toContain('contains no readable findings')
  })

  it('does not run the same call twice, and ends after its maximum of turns', async () => {
    const steps = Array.from({ length: 3 }, () => read)
    const found = await report(steps, { args: { max_turns: 3 } })
    expect(found).toMatchObject({ method: 'search', meta: { turns: 3 } })
    expect(progress.split('\n').filter((line) => line !== '')).toHaveLength(1)
    expect(found.notes[0]).toContain('did not answer within its turns')
  })

  it('is informed when turns or calls are used up, and may still answer', async () => {
    const twice = step(
      'reads twice',
      call('read_file_range', { path: 'src/db.ts', start_line: 1, end_line: 1 }),
      call('list_dir', { path: 'src' }),
    )
    const found = await report(
      [
        twice,
        {
          title: 'answers',
          play: (seen) => {
            seen.expect(
              'list_dir',
              /not made: the maximum of 1 call is reached\.\n\n\[No more calls\. Answer now\.\]$/,
              'that no call is left',
            )
            return answer(say(JSON.stringify({ summary: '', findings: [finding(there)] })))
          },
        },
      ],
      { args: { max_tool_calls: 2 } },
    )
    expect(found).toMatchObject({ method: 'model', meta: { max_tool_calls: 2, tool_calls: 2 } })
  })

  it('cannot write, run commands or nest, whatever it calls', async () => {
    const found = await report([
      step(
        'tries',
        call('write_file', { path: 'src/new.ts', content: 'x' }),
        call('run_command', { command: 'touch x' }),
        call('codebase_investigator', { objective: 'more' }),
      ),
      {
        title: 'sees',
        play: (seen) => {
          expect(seen.results.map(({ failed }) => failed)).toEqual(['unknown_tool', 'unknown_tool', 'unknown_tool'])
          return answer(say(JSON.stringify({ findings: [finding(there)] })))
        },
      },
    ])
    expect(found.method).toBe('model')
    expect(
      (await core.handlers['files.list']({ path: 'src' }, new AbortController().signal)).map(({ name }) => name),
    ).not.toContain('new.ts')
  })

  it('continues after a call to a disabled tool', async () => {
    const found = await report(
      [
        step('tries', call('read_file_range', { path: 'src/users.ts', start_line: 1, end_line: 6 })),
        {
          title: 'sees',
          play: (seen) => {
            expect(seen.tools).not.toContain('read_file_range')
            expect(seen.results.map(({ failed }) => failed)).toEqual(['unknown_tool'])
            return answer(say(JSON.stringify({ findings: [finding(there)] })))
          },
        },
      ],
      { disabled: ['read_file_range'] },
    )
    expect(found.method).toBe('model')
  })

  it('reports a failing endpoint', async () => {
    const found = await report([read, step('breaks', say('{"summ'), disconnect)])
    expect(found.method).toBe('search')
    expect(found.notes[0]).toMatch(/^The model failed: .+ These findings come from a search/)
  })

  it('ends at its time limit', async () => {
    const found = await report([step('hangs', say('{'), waitForGate('never'))], { args: { cancel_after_ms: 4000 } })
    expect(found).toMatchObject({ method: 'search', meta: { cancelled: true } })
    expect(found.notes.join('\n')).toContain('Stopped after 4,000 milliseconds')
  })

  it('ends when the user stops the turn', async () => {
    const item = await investigate([read, step('hangs', waitForGate('never'))], {
      during: async (id) => {
        // Other requests list the models and their context sizes.
        const chats = () => endpoint.requests.filter(({ path }) => path.endsWith('/chat/completions')).length
        await expect.poll(chats).toBeGreaterThan(2)
        await core.handlers['conversations.stop']({ id }, new AbortController().signal)
      },
    })
    expect(item).toMatchObject({ state: 'cancelled', result: { text: 'Error (cancelled): The call was cancelled.' } })
    expect(item.result?.view).toMatchObject({ kind: 'calls', calls: [{ tool: 'read_file_range', ok: true }] })
  })

  it('limits the length of an answer', async () => {
    const found = await report([step('babbles', say(variedText(20_000)))])
    expect(found.notes[0]).toContain('did not finish its answer within 100,000 characters')
  })

  it('writes Markdown with the locations', async () => {
    const { result } = await investigate([read, answers(finding(there, 'src/gone.ts:1'))], {
      args: { output_format: 'markdown' },
    })
    expect(result?.text).toContain(
      '# how is a user saved?\n\nThrough saveUser.\n\n## Saved once (high)\nIt looks first.\n- src/users.ts:5: `if (!db.has(user.name)) db.put(user)`',
    )
    expect(result?.text).toContain('1 cited locations were dropped because they do not exist')
    expect(result?.view).toMatchObject({ kind: 'matches', matches: [{ path: 'src/users.ts', line: 5 }] })
  })
})
