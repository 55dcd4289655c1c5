import { expect, it } from 'vitest'
import { answerReserve } from '../../../shared/agent/contextAllocation.ts'
import type { AssistantItem, ConversationItem } from '../../../shared/agent/conversation.ts'
import { ModelError } from '../../model/modelClient.ts'
import { estimateTokens } from '../../model/tokens/usage.ts'
import { createMemoryTranscript, type Transcript } from '../conversation/transcript.ts'
import { createCompaction, type Compaction } from './compaction.ts'
import { assistant, toolCall, user } from './testing/items.ts'

const window = 6000

/** A conversation in which system prompt, tools and instructions take `fixed` tokens. */
function conversation(fixed: number) {
  const items: ConversationItem[] = [user('u', 'Read everything.')]
  const transcript = createMemoryTranscript(items)
  let summaries = 0
  // Each turn has a compaction of its own.
  const turn = (): Compaction =>
    createCompaction({
      transcript,
      profileFor: () => 'minimal',
      promptFor: (profile) => ({ profile, system: 'x'.repeat(Math.floor(fixed * 3.5)), tools: [] }),
      contextWindow: window,
      compactAt: 0.8,
      tokens: {
        estimate: estimateTokens,
        count: (texts) => Promise.resolve(texts.reduce((sum, text) => sum + estimateTokens(text), 0)),
        observe: () => undefined,
        exact: false,
        ratio: 1,
        learned: false,
      },
      signal: new AbortController().signal,
      changedAt: () => Promise.resolve(0),
      enabled: true,
      newId: () => `s${summaries}`,
      requestNarrative: () => {
        summaries += 1
        return Promise.resolve({ text: 'Notes: some parts were read, and nothing was found in them so far.' })
      },
    })
  return { transcript, turn, summaries: () => summaries }
}

/** The model reads one more file. */
function readNext(transcript: Transcript, at: number): void {
  const answer: AssistantItem = { ...assistant(`a${at}`, ''), at }
  transcript.put(answer)
  transcript.put(
    toolCall(`t${at}`, 'read_file', 'word and word again\n'.repeat(120), { kind: 'text' }, { assistantId: `a${at}` }),
  )
}

/** Sends requests until one fails. @returns the error and the number of requests */
async function untilError({ transcript, turn }: ReturnType<typeof conversation>, max: number) {
  let compaction = turn()
  for (let request = 0; request < max; request += 1) {
    try {
      await compaction.request()
    } catch (error) {
      if (error instanceof ModelError) return { error, requests: request }
      throw error
    }
    readNext(transcript, request)
    if (request % 5 === 4) compaction = turn()
  }
  return { requests: max }
}

it('a conversation without room ends with what takes the room and how to make more, without one summary after another', async () => {
  const crowded = conversation(window - answerReserve(window) - 900)
  const { error } = await untilError(crowded, 60)
  expect(error?.code).toBe('context_exceeded')
  expect(error?.message).toMatch(
    /context of 6,000 tokens leaves too little room for the conversation\. The system prompt takes 4,\d{3} tokens\. The answer needs 750 tokens\./,
  )
  expect(error?.hint).toContain('Give the model a larger context')
  expect(crowded.summaries()).toBeLessThanOrEqual(4)
  const before = crowded.summaries()
  await expect(crowded.turn().request()).rejects.toThrow(/too little room/)
  expect(crowded.summaries()).toBe(before)
})

it('a conversation with room never ends that way', async () => {
  const roomy = conversation(2000)
  expect(await untilError(roomy, 60)).toEqual({ requests: 60 })
  expect(roomy.summaries()).toBeGreaterThan(0)
})

it('short messages that fill a small room are summarized before the conversation ends', async () => {
  const { transcript, turn, summaries } = conversation(4400)
  for (let at = 0; at < 40; at += 1) {
    transcript.put(user(`u${at}`, `A question of ordinary length about the harbour number ${at}?`))
    await turn().request()
    transcript.put({ ...assistant(`a${at}`, 'An answer of ordinary length about harbours, ships and numbers.'), at })
  }
  expect(summaries()).toBeGreaterThan(0)
  expect(summaries()).toBeLessThanOrEqual(5)
})
