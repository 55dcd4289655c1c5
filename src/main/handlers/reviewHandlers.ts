import type { ReviewComment, ReviewScope } from '../../shared/review.ts'
import type { Agent } from '../agent/agent.ts'
import type { ResolvedScope, Review } from '../review/reviewTypes.ts'
import type { Handlers } from './handlers.ts'

type ReviewRequests = Extract<keyof Handlers, `review.${string}`>

interface ReviewHandlerDeps {
  agent: Pick<Agent, 'userMessages' | 'send'>
  /** Returns the review of the open folder. @throws ToolError no_workspace */
  review(): Review
}

/** Handles the requests of the review: lists changes, and keeps, undoes and comments on them. */
export function createReviewHandlers({ agent, review }: ReviewHandlerDeps): Pick<Handlers, ReviewRequests> {
  function resolved(scope: ReviewScope): ResolvedScope {
    if (scope.kind === 'pending' || scope.kind === 'checkpoint') return scope
    const messages = agent.userMessages(scope.conversation)
    const ids = (from: number, to?: number) => new Set((from < 0 ? [] : messages.slice(from, to)).map(({ id }) => id))
    if (scope.kind === 'conversation') return { kind: 'turns', turns: ids(0) }
    const first = messages.findIndex(({ id }) => id === scope.message)
    if (scope.kind === 'since') return { kind: 'turns', turns: ids(first) }
    const next = messages.findIndex(({ beginsTurn }, index) => index > first && beginsTurn)
    return { kind: 'turn', turns: ids(first, next === -1 ? undefined : next) }
  }

  return {
    'review.list': ({ scope }) => review().list(resolved(scope)),
    'review.hunks': ({ scope, path }) => review().hunks(resolved(scope), path),
    'review.file': ({ scope, path }) => review().file(resolved(scope), path),
    'review.keep': ({ scope, targets }) => review().keep(resolved(scope), targets),
    'review.undo': ({ scope, targets }) => review().undo(resolved(scope), targets),
    'review.revert': () => review().revert(),
    'review.redo': () => review().redo(),
    'review.comment': ({ conversation, comments, text }) => agent.send(conversation, commentMessage(comments, text)),
  }
}

/** Returns the message that sends comments to the agent. */
function commentMessage(comments: readonly ReviewComment[], text = ''): string {
  const lines = comments.map(({ path, line, text }) => `${path}:${line}: ${text.trim()}`)
  return ['Review comments on your changes:', ...lines, text.trim()].filter(Boolean).join('\n\n')
}
