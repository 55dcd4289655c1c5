import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createCore } from '../../src/main/core.ts'
import type { ChatTemplate } from '../../src/main/model/testing/chatTemplates.ts'
import { startOneSlotServer } from '../../src/main/model/testing/oneSlotServer.ts'
import type { TurnOutcome } from '../../src/shared/conversation.ts'
import type { PromptProfile } from '../../src/shared/promptProfile.ts'
import { playSession, sessionFiles, sessionTurns } from './session.ts'
import { inProcessIndex } from '../../src/main/testing/inProcessIndex.ts'

export interface SessionOptions {
  window: number
  profile: PromptProfile
  template?: ChatTemplate
  hybrid?: boolean
  /** Decides whether Tizona sends the model's thinking back. */
  model?: string
}

export interface SessionRun {
  outcomes: TurnOutcome[]
  /** Requests of the conversation, without those for summaries. */
  requests: number
  /** Requests that followed a compaction, which rewrites the prompt. */
  compactions: number
  /** Indexes of other requests that did not begin with the whole previous prompt. */
  broken: number[]
  /** Indexes of the first request of each turn. */
  turnStarts: number[]
  /** Requests of the conversation that were refused as too long. */
  refused: number
  /** Share of all prompt characters that the server had computed before. */
  cachedShare: number
  /** Number of requests up to each compaction, since the one before. */
  runs: number[]
}

/** Plays the session with one model server and counts how many prompts begin with the previous one. */
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
    // A request without tools is for a summary.
    const conversationPrompts = () => server.prompts.filter(({ body }) => body['tools'] !== undefined)
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
