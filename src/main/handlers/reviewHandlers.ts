import { locateLines } from '../../shared/editor/locateLines.ts'
import type { ReviewComment, ReviewScope } from '../../shared/review/review.ts'
import type { Agent } from '../agent/agent.ts'
import type { ResolvedScope, Review } from '../review/reviewTypes.ts'
import type { Handlers } from '../core/coreContract.ts'

type ReviewRequests = Extract<keyof Handlers, `review.${string}`>

interface ReviewHandlerDeps {
  agent: Pick<Agent, 'userMessages' | 'send' | 'stopAndSend'>
  /** Returns the review of the open folder. @throws ToolError no_workspace */
  review(): Review
  /** Returns a file's current text, including unsaved changes; null if it has none. */
  readText(path: string): Promise<string | null>
}

/** Handles review requests: lists changes, and keeps, undoes and comments on them. */
export function createReviewHandlers({ agent, review, readText }: ReviewHandlerDeps): Pick<Handlers, ReviewRequests> {
  function resolved(scope: ReviewScope): ResolvedScope {
    if (scope.kind === 'pending' || scope.kind === 'checkpoint') return scope
    const messages = agent.userMessages(scope.conversation)
    const ids = (from: number, to?: number) => new Set((from < 0 ? [] : messages.slice(from, to)).map(({ id }) => id))
    // A fork shares only the messages before the fork with the other branch.
    if (scope.kind === 'conversation') return { kind: 'turn', turns: ids(0) }
    const first = messages.findIndex(({ id }) => id === scope.message)
    if (scope.kind === 'since') return { kind: 'turns', turns: ids(first) }
    const next = messages.findIndex(({ beginsTurn }, index) => index > first && beginsTurn)
    return { kind: 'turn', turns: ids(first, next === -1 ? undefined : next) }
  }

  return {
    'review.list': ({ scope, paths }) => review().list(resolved(scope), paths),
    'review.hunks': ({ scope, path }) => review().hunks(resolved(scope), path),
    'review.excerpts': ({ scope, path }) => review().excerpts(resolved(scope), path),
    'review.file': ({ scope, path }) => review().file(resolved(scope), path),
    'review.keep': ({ scope, targets }) => review().keep(resolved(scope), targets),
    'review.undo': ({ scope, targets }) => review().undo(resolved(scope), targets),
    'review.revert': () => review().revert(),
    'review.redo': () => review().redo(),
    async 'review.comment'({ conversation, comments, text, serverPrompt, steer, interrupt = false }) {
      const placed = []
      for (const comment of comments) placed.push({ ...comment, ...(await placeOf(comment, readText)) })
      const message = commentMessage(placed, text)
      return interrupt
        ? agent.stopAndSend(conversation, message, { serverPrompt })
        : agent.send(conversation, message, { serverPrompt, steer })
    },
  }
}

type PlacedComment = ReviewComment & { moved?: boolean }

/** Finds the lines of a comment in its file's current text. `moved`: they are no longer there. */
async function placeOf(
  { path, line, anchor }: ReviewComment,
  readText: ReviewHandlerDeps['readText'],
): Promise<Pick<PlacedComment, 'line' | 'moved'>> {
  if (!anchor || anchor.length === 0) return { line }
  const text = await readText(path)
  const found = text === null ? null : locateLines(text, anchor, line)
  return found === null ? { line, moved: true } : { line: found }
}

/** Returns the message that sends comments to the agent, each with the change it refers to. */
function commentMessage(comments: readonly PlacedComment[], text = ''): string {
  const parts = comments.map(({ path, line, text: comment, quote, moved }) => {
    const quoted = [
      ...(quote?.removed ?? []).map((each) => `-${each}`),
      ...(quote?.added ?? []).map((each) => `+${each}`),
    ]
    const fence = quoted.some((each) => each.includes('```')) ? '~~~~' : '```'
    const about = moved ? ' (these lines have changed since)' : ''
    return [
      `${path}:${line}${about}: ${comment.trim()}`,
      ...(quoted.length > 0 ? [`${fence}diff`, ...quoted, fence] : []),
    ].join('\n')
  })
  return ['Review comments on your changes:', ...parts, text.trim()].filter(Boolean).join('\n\n')
}
