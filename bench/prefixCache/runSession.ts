import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createCore } from '../../src/main/core.ts'
import { startOneSlotServer, type OneSlotServerOptions } from '../../src/main/model/testing/oneSlotServer.ts'
import type { TurnOutcome } from '../../src/shared/agent/conversation.ts'
import type { PromptProfile } from '../../src/shared/agent/promptProfile.ts'
import { isSummaryRequest, playSession, sessionFiles, sessionTurns } from './session.ts'
import { inProcessIndex } from '../../src/main/testing/inProcessIndex.ts'

export interface SessionOptions {
  window: number
  profile: PromptProfile
  template?: OneSlotServerOptions['template']
  hybrid?: boolean
  /** Decides whether Tizona sends the model's thinking back. */
  model?: string
}

export interface SessionRun {
  outcomes: TurnOutcome[]
  /** Number of the conversation's requests, without those for summaries. */
  requests: number
  /** Number of requests after a compaction, which rewrites the prompt. */
  compactions: number
  /** Indices of other requests that do not start with the whole previous prompt. */
  broken: number[]
  /** Indices of the first request of each turn. */
  turnStarts: number[]
  /** Requests of the conversation that were refused as too long. */
  refused: number
  /** Share of all prompt characters that were cached. */
  cachedShare: number
  /** For each broken request, the number of characters of the previous prompt that it does not start with. */
  lost: number[]
  /** The first difference in a broken request: the end of the common part, and what followed instead. */
  firstBreak: string | undefined
  /** Characters that the server computed for summaries, and for the requests after a compaction. */
  computedForCompactions: number
  /** Number of requests between compactions. */
  runs: number[]
}

/** Plays the session with one model server, and counts how many prompts start with the previous one. */
export async function runSession({
  window,
  profile,
  template,
  hybrid,
  model = 'one-slot',
}: SessionOptions): Promise<SessionRun> {
  const home = await mkdtemp(join(tmpdir(), 'tizona-prefix-'))
  const root = join(home, 'workspace')
  for (const [path, text] of Object.entries(sessionFiles)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  const player = playSession()
  const server = await startOneSlotServer({
    window,
    respond: (request) => player.respond(request),
    ...(template && { template }),
    ...(hybrid && { hybrid }),
  })
  const core = await createCore({
    platform: {
      host: 'headless',
      version: 'bench',
      userData: join(home, 'user'),
      resources: join(import.meta.dirname, '..', '..', 'resources'),
      fork: inProcessIndex,
    },
    settings: {
      endpoints: [{ id: 'e', name: 'E', kind: 'openai', baseUrl: server.url, hasKey: false }],
      model: { endpointId: 'e', model },
      mode: 'yolo',
      toolset: 'blade',
      profile,
    },
    trustWorkspace: true,
  })
  try {
    await core.openWorkspace(root)
    const { signal } = new AbortController()
    const { info } = await core.handlers['conversations.create']({}, signal)
    const outcomes: TurnOutcome[] = []
    const turnStarts: number[] = []
    const conversationPrompts = () =>
      server.prompts.filter(({ body }) => !isSummaryRequest(body['messages'] as { content: unknown }[]))
    for (const [turn, { message, mode, touched = [] }] of sessionTurns.entries()) {
      player.next(turn)
      turnStarts.push(conversationPrompts().length)
      if (mode) await core.handlers['conversations.update']({ id: info.id, mode }, signal)
      const later = new Date(Date.now() + 5000 * (turn + 1))
      for (const path of touched) await utimes(join(root, path), later, later)
      const ended = Promise.withResolvers<TurnOutcome>()
      const stop = core.subscribe((name, payload) => {
        if (name === 'conversation.turnEnded' && payload !== null && 'outcome' in payload)
          ended.resolve(payload.outcome)
      })
      await core.handlers['conversations.send']({ id: info.id, text: message }, signal)
      outcomes.push(await ended.promise)
      stop()
    }
    const { items } = await core.handlers['conversations.open']({ id: info.id }, signal)
    const contexts = items.flatMap((item) => (item.kind === 'assistant' && item.context ? [item.context] : []))
    const prompts = conversationPrompts()
    const compacted = contexts.flatMap(({ rewritten }, index) => (rewritten ? [index] : []))
    const broken = prompts.flatMap(({ prompt }, index) => {
      const before = prompts[index - 1]
      return before === undefined || prompt.startsWith(before.prompt) || compacted.includes(index) ? [] : [index]
    })
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
    return {
      outcomes,
      requests: prompts.length,
      compactions: compacted.length,
      broken,
      turnStarts,
      refused: server.refused(),
      computedForCompactions: sum(
        [
          ...server.prompts.filter((prompt) => !prompts.includes(prompt)),
          ...compacted.flatMap((at) => prompts[at] ?? []),
        ].map(({ prompt, cached }) => prompt.length - cached),
      ),
      lost: broken.map((index) => lostCharacters(prompts[index - 1]?.prompt, prompts[index]?.prompt)),
      firstBreak:
        broken[0] === undefined ? undefined : difference(prompts[broken[0] - 1]?.prompt, prompts[broken[0]]?.prompt),
      cachedShare:
        sum(prompts.slice(1).map(({ cached }) => cached)) / sum(prompts.slice(1).map(({ prompt }) => prompt.length)),
      runs: compacted.map((index, at) => index - (compacted[at - 1] ?? 0)),
    }
  } finally {
    await core.dispose()
    await server.close()
    await rm(home, { recursive: true, force: true })
  }
}

function commonLength(before: string, after: string): number {
  let at = 0
  while (at < before.length && before[at] === after[at]) at += 1
  return at
}

function lostCharacters(before = '', after = ''): number {
  return before.length - commonLength(before, after)
}

function difference(before = '', after = ''): string {
  const at = commonLength(before, after)
  const show = (text: string) => JSON.stringify(text.slice(at, at + 60))
  return `after ${JSON.stringify(before.slice(Math.max(0, at - 40), at))}: ${show(before)} became ${show(after)}`
}
