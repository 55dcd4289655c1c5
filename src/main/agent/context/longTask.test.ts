import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { allFeatures, type Features } from '../../base/features.ts'
import type { ContextUse } from '../../../shared/agent/contextUse.ts'
import type { ConversationItem, TurnOutcome } from '../../../shared/agent/conversation.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import { createCore, type Core } from '../../core.ts'
import { answer, call, say, type ScriptedChatRequest, type Reply } from '../../model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../../model/scripted/scriptedEndpoint.ts'
import { promptTokens } from '../../testing/promptTokens.ts'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { inProcessIndex } from '../../testing/inProcessIndex.ts'

const never = new AbortController().signal
const window = 8192
const parts = 16

let core: Core | undefined
let endpoint: ScriptedEndpoint | undefined
let folder: { root: string; remove(): Promise<void> } | undefined
afterEach(async () => {
  await core?.dispose()
  await endpoint?.close()
  await folder?.remove()
  core = endpoint = folder = undefined
})

const code = (part: number) => `K${(part * 7919).toString(36)}`
/** About 1,000 tokens, with the relevant fact near the beginning. */
const partText = (part: number) =>
  [
    `# Part ${part}`,
    '',
    `PART ${part} CODE ${code(part)}`,
    '',
    ...Array.from({ length: 70 }, (_, line) => `Line ${line} of part ${part} speaks of ships, tides and ropes.`),
  ].join('\n')

interface Played {
  requests: { tokens: number; summary: boolean; texts: string[] }[]
  refused: number
}

/**
 * A model that reads one part after another and then writes all codes. It knows only the content of a request, answers
 * requests for notes with the codes in it, and refuses a prompt that exceeds its context size.
 */
function reader(
  played: Played,
  notes: (known: ReadonlyMap<number, string>, model: string) => Reply,
): (request: ScriptedChatRequest) => Reply {
  return (request) => {
    const tokens = promptTokens(request)
    const summary = request.tools.length === 0
    played.requests.push({ tokens, summary, texts: request.messages.map((message) => JSON.stringify(message)) })
    if (tokens > window) {
      played.refused += 1
      return {
        status: 400,
        body: JSON.stringify({
          error: { message: `the request exceeds the available context size (${window} tokens)` },
        }),
      }
    }
    const text = request.messages
      .slice(1)
      .map(({ content }) => content)
      .join('\n')
    const known = new Map(
      [...text.matchAll(/PART (\d+) CODE (\w+)/g)].map((match) => [Number(match[1]), String(match[2])]),
    )
    const usage = { promptTokens: tokens, completionTokens: 40 }
    if (summary) return { ...notes(known, String(request.body['model'])), usage }
    const next = Array.from({ length: parts }, (_, index) => index + 1).find((part) => !known.has(part))
    const wrote = request.messages.some(
      (message) => message.role === 'assistant' && message.toolCalls?.some(({ name }) => name === 'write_file'),
    )
    if (wrote || /^## Files changed\ncodes.txt$/m.test(text)) return { ...answer(say('All codes are written.')), usage }
    if (next !== undefined) return { ...answer(call('read_file', { path: `part-${next}.txt` })), usage }
    const header = /begin it with the line "([^"]+)"/.exec(text)?.[1] ?? 'the header is forgotten'
    const lines = [...known].toSorted(([a], [b]) => a - b).map(([part, found]) => `${part} ${found}`)
    return {
      ...answer(call('write_file', { path: 'codes.txt', content: `${[header, ...lines].join('\n')}\n` })),
      usage,
    }
  }
}

const goodNotes = (known: ReadonlyMap<number, string>) =>
  answer(
    say(
      `Task and state: reading the parts.\nFacts:\n${[...known].map(([part, found]) => `PART ${part} CODE ${found}`).join('\n')}`,
    ),
  )

async function play(
  notes: (known: ReadonlyMap<number, string>, model: string) => Reply,
  options: { told?: boolean; features?: Partial<Features>; settings?: Partial<Settings> } = {},
) {
  folder = await temporaryFolder(
    Object.fromEntries(
      Array.from({ length: parts }, (_, index) => [`workspace/part-${index + 1}.txt`, partText(index + 1)]),
    ),
  )
  const home = folder.root
  const workspace = join(home, 'workspace')
  const played: Played = { requests: [], refused: 0 }
  endpoint = await startScriptedEndpoint({
    name: 'reader',
    turns: [],
    respond: reader(played, notes),
    ...(options.told !== false && { contextWindow: window }),
  })
  const made = await createCore({
    platform: {
      host: 'headless',
      fork: inProcessIndex,
      version: 'test',
      userData: join(home, 'user'),
      resources: join(import.meta.dirname, '../../../../resources'),
    },
    features: { ...allFeatures, ...options.features },
    settings: {
      endpoints: [{ id: 'e', name: 'E', kind: 'openai', baseUrl: endpoint.url, hasKey: false }],
      model: { endpointId: 'e', model: 'scripted' },
      mode: 'yolo',
      ...options.settings,
    },
  })
  core = made
  const contexts: ContextUse[] = []
  made.subscribe((name, payload) => {
    // The event name determines the type of the payload.
    if (name === 'conversation.context') contexts.push((payload as { context: ContextUse }).context)
  })
  await made.openWorkspace(workspace)
  const { info } = await made.handlers['conversations.create']({}, never)
  const send = (text: string) =>
    new Promise<TurnOutcome>((resolve, reject) => {
      const stop = made.subscribe((name, payload) => {
        if (name !== 'conversation.turnEnded') return
        stop()
        resolve((payload as { outcome: TurnOutcome }).outcome)
      })
      Promise.resolve(made.handlers['conversations.send']({ id: info.id, text }, never)).catch(reject)
    })
  const outcome = await send(
    'Read part-1.txt to part-16.txt and write all codes to codes.txt; begin it with the line "Harbour 7".',
  )
  const items = (await made.handlers['conversations.open']({ id: info.id }, never)).items
  return { made, id: info.id, workspace, outcome, items, played, contexts, send }
}

const wanted = [
  'Harbour 7',
  ...Array.from({ length: parts }, (_, index) => `${index + 1} ${code(index + 1)}`),
  '',
].join('\n')
const summaries = (items: readonly ConversationItem[]) => items.filter((item) => item.kind === 'summary')

describe('a task twice as large as the context window', () => {
  it('succeeds at 8,192 tokens: no request is refused, and the first facts are still known at the end', async () => {
    const { workspace, outcome, items, played, contexts } = await play(goodNotes)
    expect(outcome).toBe('done')
    expect(await readFile(join(workspace, 'codes.txt'), 'utf8')).toBe(wanted)
    expect(played.refused).toBe(0)
    expect(Math.max(...played.requests.map(({ tokens }) => tokens))).toBeLessThanOrEqual(window)
    expect(summaries(items).length).toBeGreaterThan(0)
    for (const summary of summaries(items)) {
      expect(summary).toMatchObject({ by: 'model' })
      expect(summary.tokensAfter).toBeLessThan(summary.tokensBefore * 0.7)
    }
    // Nothing is lost for the user: every read is still shown completely.
    expect(
      items.filter(
        (item) => item.kind === 'tool' && item.name === 'read_file' && item.result?.text.includes('Line 69'),
      ),
    ).toHaveLength(played.requests.filter(({ summary }) => !summary).length - 2)
    expect(
      contexts.every(
        ({ system, tools, files, conversation, answer: room }) =>
          system + tools + files + conversation + room <= window,
      ),
    ).toBe(true)
    expect(contexts[0]).toMatchObject({ window, assumed: false, profile: 'compact' })
  })

  it('sends requests that extend the previous one, except after compaction', async () => {
    const { played, contexts } = await play(goodNotes)
    const requests = played.requests.filter(({ summary }) => !summary)
    const changed = requests.flatMap(({ texts }, index) => {
      const before = requests[index - 1]?.texts ?? []
      return before.every((text, at) => texts[at] === text) ? [] : [index]
    })
    expect(changed).toEqual(contexts.flatMap(({ rewritten }, index) => (rewritten ? [index] : [])))
    expect(changed.length).toBeLessThanOrEqual(requests.length / 3)
  })

  it('continues with a summary of facts when the model gives no usable one, and reports it', async () => {
    const { outcome, items, played } = await play(() => answer(say('')), { settings: { maxTurns: 24 } })
    const [summary] = summaries(items)
    expect(summary).toMatchObject({ by: 'facts', problem: "The model's answer was empty." })
    expect(summary?.text).toContain('begin it with the line "Harbour 7"')
    expect(summary?.text).toContain('read_file {"path":"part-1.txt"}: done')
    expect(played.refused).toBe(0)
    // Without the codes in its notes, this model reads the first part repeatedly, so the turn ends before the context
    // is full.
    expect(['turn_limit', 'done']).toContain(outcome)
  })

  it('learns the context size from a refusal when the server does not list it', async () => {
    const { workspace, outcome, played } = await play(goodNotes, { told: false, settings: { profile: 'compact' } })
    expect(outcome).toBe('done')
    expect(await readFile(join(workspace, 'codes.txt'), 'utf8')).toBe(wanted)
    expect(played.refused).toBeGreaterThan(0)
  })

  it.each([
    ['uses the small model for summaries', false, ['small']],
    ["falls back to the conversation's model when the small one fails", true, ['small', 'scripted']],
  ] as const)('%s', async (_, fails, wantedModels) => {
    const asked = new Set<string>()
    const { outcome, items } = await play(
      (known, model) => {
        asked.add(model)
        return fails && model === 'small'
          ? { status: 400, body: '{"error":{"message":"no such thing"}}' }
          : goodNotes(known)
      },
      { settings: { smallModel: { endpointId: 'e', model: 'small' } } },
    )
    expect(outcome).toBe('done')
    expect(summaries(items).map(({ by }) => by)).toContain('model')
    expect([...asked]).toEqual(wantedModels)
  })

  it('reports an unreachable endpoint, and summarizes when the message is sent again', async () => {
    let gone = true
    const { items, made, id, outcome } = await play((known) =>
      gone ? { status: 401, body: '{"error":{"message":"who are you"}}' } : goodNotes(known),
    )
    expect(outcome).toBe('endpoint_failed')
    expect(summaries(items)).toEqual([])
    expect(items.at(-1)).toMatchObject({ kind: 'notice', level: 'error', action: 'retry' })
    gone = false
    const ended = new Promise((resolve) =>
      made.subscribe((name, payload) => name === 'conversation.turnEnded' && resolve(payload)),
    )
    await made.handlers['conversations.continue']({ id }, never)
    expect(await ended).toMatchObject({ outcome: 'done' })
  })

  it('fails when compaction is disabled', async () => {
    const { outcome, items } = await play(goodNotes, { features: { budget: false } })
    expect(outcome).toBe('endpoint_failed')
    expect(items.at(-1)).toMatchObject({ kind: 'notice', level: 'error' })
  })
})

describe('manual compaction', () => {
  it('summarizes the conversation, and the next message continues from the summary', async () => {
    const { made, id, played, send } = await play(goodNotes)
    const compact = async () => {
      const ended = new Promise((resolve) =>
        made.subscribe((name) => name === 'conversation.turnEnded' && resolve(undefined)),
      )
      await made.handlers['conversations.compact']({ id }, never)
      await ended
      return (await made.handlers['conversations.open']({ id }, never)).items.at(-1)
    }
    expect(await compact()).toMatchObject({ kind: 'summary' })
    const asked = played.requests.length
    expect(await compact()).toMatchObject({ kind: 'notice', text: 'There is nothing to summarize yet.' })
    expect(played.requests).toHaveLength(asked)
    await send('Is it written?')
    const last = played.requests.at(-1)
    expect(last?.texts).toHaveLength(2)
    expect(last?.texts[1]).toContain('Is it written?')
    expect(last?.texts[1]).toContain('PART 1 CODE')
  })

  it('reports a message that is too long before anything is sent', async () => {
    const { items, send, made, id, played } = await play(goodNotes)
    const before = played.requests.length
    expect(await send('long words '.repeat(6000))).toBe('endpoint_failed')
    const after = (await made.handlers['conversations.open']({ id }, never)).items.slice(items.length)
    expect(after.at(-1)).toMatchObject({
      kind: 'notice',
      level: 'error',
      text: expect.stringMatching(/your message of about [\d,]+ tokens does not fit[\s\S]*Send less at once/),
    })
    expect(played.requests.slice(before).every(({ summary }) => summary)).toBe(true)
  })
})
