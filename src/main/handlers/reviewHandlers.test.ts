import { expect, it } from 'vitest'
import type { Review } from '../review/reviewTypes.ts'
import { createReviewHandlers } from './reviewHandlers.ts'

const never = new AbortController().signal

/** Sends a comment. @returns the message that the agent gets */
async function sent(
  comment: { line: number; text: string } & Record<string, unknown>,
  file: string | null,
  delivery: { interrupt?: boolean } = {},
) {
  let message = ''
  const handlers = createReviewHandlers({
    agent: {
      userMessages: () => [],
      send: (_, text) => {
        message = text
        return { queued: false }
      },
      stopAndSend: async (_, text) => {
        message = `now: ${text}`
        return { queued: false }
      },
    },
    review: () => ({}) as Review, // Comments do not use the review.
    readText: async () => file,
  })
  await handlers['review.comment']({ conversation: 'c', comments: [{ path: 'a.ts', ...comment }], ...delivery }, never)
  return message
}

const comment = {
  line: 1,
  text: 'Why?',
  quote: { removed: ['const a = 1'], added: ['const a = 2'] },
  anchor: ['const a = 2'],
}

it('a comment is sent with the change that it is about, at the line where that is now', async () => {
  expect(await sent(comment, '// new\n// lines\nconst a = 2\n')).toBe(
    'Review comments on your changes:\n\na.ts:3: Why?\n```diff\n-const a = 1\n+const a = 2\n```',
  )
})

it('a comment can stop the turn', async () => {
  expect(await sent({ line: 1, text: 'Why?' }, '', { interrupt: true })).toMatch(/^now: /)
})

it('a comment on lines that have changed since says so, even if the file is gone', async () => {
  const expected = 'a.ts:1 (these lines have changed since): Why?\n```diff\n-const a = 1'
  expect(await sent(comment, 'const a = 3\n')).toContain(expected)
  expect(await sent(comment, null)).toContain(expected)
})

it('the changes of a conversation are those of its own turns, so that a fork has none of the other branch', async () => {
  const scopes: unknown[] = []
  const beginsTurn = true
  const messages: Record<string, string[]> = { first: ['m1', 'm2'], fork: ['m1', 'm3'] }
  const handlers = createReviewHandlers({
    agent: {
      userMessages: (id) => (messages[id] ?? []).map((message) => ({ id: message, beginsTurn })),
      send: () => ({ queued: false }),
      stopAndSend: async () => ({ queued: false }),
    },
    // Only its lists are used.
    review: () => ({ list: async (scope: unknown) => void scopes.push(scope) }) as unknown as Review,
    readText: async () => null,
  })
  for (const conversation of ['first', 'fork'])
    await handlers['review.list']({ scope: { kind: 'conversation', conversation } }, never)
  expect(scopes).toEqual([
    { kind: 'turn', turns: new Set(['m1', 'm2']) },
    { kind: 'turn', turns: new Set(['m1', 'm3']) },
  ])
})

it('quotes code with a fence of its own so that the quote ends where it should', async () => {
  const quote = { removed: [], added: ['```js'] }
  expect(await sent({ ...comment, quote }, 'const a = 2')).toContain('~~~~diff\n+```js\n~~~~')
})
