import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { allFeatures } from '../../base/features.ts'
import type { ContextUse } from '../../../shared/agent/contextUse.ts'
import type { NoticeItem, TurnOutcome } from '../../../shared/agent/conversation.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { createCore, type Core } from '../../core.ts'
import { answer, call, say, type ScriptedChatRequest, type Reply } from '../../model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../../model/scripted/scriptedEndpoint.ts'
import { promptTokens } from '../../testing/promptTokens.ts'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { inProcessIndex } from '../../testing/inProcessIndex.ts'

const never = new AbortController().signal

let core: Core | undefined
let endpoint: ScriptedEndpoint | undefined
let folder: { root: string; remove(): Promise<void> } | undefined
afterEach(async () => {
  await core?.dispose()
  await endpoint?.close()
  await folder?.remove()
  core = endpoint = folder = undefined
})

interface Server {
  /** Tokens that fit. */
  window: number
  /** Refuses a prompt with this number of tokens. */
  refusal(prompt: number): string
  /** Factor by which its tokenizer counts more tokens. */
  factor?: number
}

const named = (window: number): Server => ({
  window,
  refusal: (prompt) =>
    JSON.stringify({
      object: 'error',
      message: `This model's maximum context length is ${window} tokens. However, your request has ${prompt} input tokens.`,
    }),
})
const unnamed = (window: number): Server => ({
  window,
  refusal: () => '{"error":"the input length exceeds the context length"}',
})

/** A server that lists no context size and refuses long requests, with a model that reads one file and answers. */
async function play(
  { window, refusal, factor = 1 }: Server,
  options: { settings?: Partial<Settings>; files?: Record<string, string> } = {},
) {
  const prompts: { tokens: number; tools: number; refused: boolean }[] = []
  const respond = (request: ScriptedChatRequest): Reply => {
    const tokens = Math.ceil(promptTokens(request) * factor)
    const refused = tokens > window
    prompts.push({ tokens, tools: request.tools.length, refused })
    if (refused) return { status: 400, body: refusal(tokens) }
    const last = request.messages.at(-1)
    const usage = { promptTokens: tokens, completionTokens: 20 }
    return last?.role === 'user'
      ? { ...answer(call('read_file', { path: 'notes.txt' })), usage }
      : { ...answer(say('The harbour is number 7.')), usage }
  }
  folder = await temporaryFolder({ 'workspace/notes.txt': 'harbour 7\n', ...options.files })
  endpoint = await startScriptedEndpoint({ name: 'strict', turns: [], respond })
  const made = await createCore({
    platform: {
      host: 'headless',
      fork: inProcessIndex,
      version: 'test',
      userData: join(folder.root, 'user'),
      resources: join(import.meta.dirname, '../../../../resources'),
    },
    features: allFeatures,
    settings: {
      endpoints: [{ id: 'e', name: 'E', kind: 'openai', baseUrl: endpoint.url, hasKey: false }],
      model: { endpointId: 'e', model: 'scripted' },
      toolset: 'blade',
      suggestToolset: false,
      mode: 'yolo',
      profile: 'full',
      ...options.settings,
    },
  })
  core = made
  const contexts: ContextUse[] = []
  made.subscribe((name, payload) => {
    // The event name determines the type of the payload.
    if (name === 'conversation.context') contexts.push((payload as { context: ContextUse }).context)
  })
  await made.openWorkspace(join(folder.root, 'workspace'))
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
  const notices = async () =>
    (await made.handlers['conversations.open']({ id: info.id }, never)).items.filter(
      (item): item is NoticeItem => item.kind === 'notice',
    )
  const listed = async () =>
    (await made.handlers['endpoints.list']({ probe: false }, never)).find(({ endpoint: { id } }) => id === 'e')
      ?.models[0]
  return { send, notices, prompts, contexts, listed }
}

const sent = (context?: ContextUse) =>
  context ? context.system + context.tools + context.files + context.conversation : 0
const refusals = (prompts: readonly { refused: boolean }[]) => prompts.filter(({ refused }) => refused).length

describe('a server that refuses the first request as too long', () => {
  it.each([
    ['vLLM', named(4096)],
    [
      'llama-server',
      {
        window: 4096,
        refusal: (prompt: number) =>
          `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":${prompt},"n_ctx":4096}}`,
      },
    ],
    [
      'LM Studio',
      {
        window: 4096,
        refusal: (prompt: number) => `{"error":"Cannot truncate prompt with n_keep (${prompt}) >= n_ctx (4096)"}`,
      },
    ],
  ])(
    'and names the size as %s does: the request is sent again smaller, and no other one is refused',
    async (_, server) => {
      const { window } = server
      const { send, notices, prompts, contexts, listed } = await play(server)
      expect(await send('Which harbour?')).toBe('done')
      expect(refusals(prompts)).toBe(1)
      expect(prompts[1]?.tools).toBeLessThan(prompts[0]?.tools ?? 0)
      expect(contexts.at(-1)).toMatchObject({ window, assumed: false, profile: 'medium' })
      expect(await notices()).toMatchObject([
        {
          level: 'info',
          action: 'contextSize',
          cause: 'refitted',
          text: expect.stringContaining(`context size of ${formatNumber(window)} tokens`),
        },
      ])
      // The detected size applies to the next turn and to the list of models.
      expect(await send('Are you sure?')).toBe('done')
      expect(refusals(prompts)).toBe(1)
      expect(await notices()).toHaveLength(1)
      expect(await listed()).toMatchObject({ contextWindow: window })
    },
  )

  it('without a number: the request shrinks until it fits', async () => {
    const { send, notices, prompts, contexts } = await play(unnamed(4096))
    expect(await send('Which harbour?')).toBe('done')
    expect(contexts.at(-1)?.window).toBeLessThan(4096)
    const before = refusals(prompts)
    expect(before).toBeLessThanOrEqual(2)
    expect(await notices()).toMatchObject([
      { action: 'contextSize', text: expect.stringContaining('without reporting its context size') },
    ])
    // The next turn knows the size, so that its prompt extends the last one.
    expect(await send('Are you sure?')).toBe('done')
    expect(refusals(prompts)).toBe(before)
  })

  it('although it fits by our count: the count is corrected, once', async () => {
    const { send, prompts, contexts } = await play({ ...named(8192), factor: 2.5 })
    expect(await send('Which harbour?')).toBe('done')
    const before = refusals(prompts)
    expect(before).toBeLessThanOrEqual(3)
    expect(await send('Are you sure?')).toBe('done')
    expect(refusals(prompts)).toBe(before)
    // What the server reports about later requests teaches the same as its rejection.
    for (const [at, { tokens, refused }] of prompts.entries())
      if (!refused) expect(sent(contexts[at])).toBeLessThan(tokens * 1.3)
  })

  it('because of a large chosen profile: a smaller one is used', async () => {
    const { send, contexts } = await play(named(4096))
    expect(await send('Which harbour?')).toBe('done')
    expect(contexts.at(-1)).toMatchObject({ window: 4096 })
    expect(contexts.at(-1)?.profile).not.toBe('full')
  })

  it('because of long workspace instructions: they are truncated', async () => {
    const { send, prompts } = await play(named(4096), {
      files: { 'workspace/AGENTS.md': 'Write short sentences about ships. '.repeat(400) },
    })
    expect(await send('Which harbour?')).toBe('done')
    expect(refusals(prompts)).toBe(1)
  })
})

describe('a context too small for the smallest request', () => {
  it('ends the turn with one notice that offers to set the context size, and sends nothing', async () => {
    const { send, notices, prompts } = await play(named(512))
    expect(await send('Which harbour?')).toBe('endpoint_failed')
    expect(prompts).toHaveLength(1)
    expect(await notices()).toMatchObject([
      {
        level: 'error',
        action: 'contextSize',
        text: expect.stringMatching(
          /context of 512 tokens leaves too little room for the conversation\. The system prompt takes \d+ tokens\. Tools take \d+ tokens \(9 tools, largest: [\w ,]+\)\. The answer needs 256 tokens\.\nTo make room, take any of these steps\. Turn off tools/,
        ),
      },
    ])
  })

  it('does not loop when the server refuses everything', async () => {
    const { send, notices, prompts } = await play({
      window: 0,
      refusal: () => '{"error":"the input length exceeds the context length"}',
    })
    expect(await send('Which harbour?')).toBe('endpoint_failed')
    expect(prompts.length).toBeLessThanOrEqual(5)
    expect((await notices()).at(-1)).toMatchObject({ level: 'error', action: 'contextSize' })
  })
})
