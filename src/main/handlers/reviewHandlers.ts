import { ToolError } from '../../shared/errors.ts'
import type { ReviewComment } from '../../shared/review.ts'
import type { Agent } from '../agent/agent.ts'
import type { Handlers } from './handlers.ts'

type ReviewRequests = Extract<keyof Handlers, `review.${string}`>

/** Handles the requests of the review: lists changes, and keeps, undoes and comments on them. */
export function createReviewHandlers({ send }: Pick<Agent, 'send'>): Pick<Handlers, ReviewRequests> {
  return {
    'review.list': () => ({ files: [], added: 0, removed: 0, canUndo: false, canRedo: false }),
    'review.hunks': ({ path }) => {
      throw noChanges(path)
    },
    'review.file': ({ path }) => {
      throw noChanges(path)
    },
    'review.keep': () => ({ changed: [], skipped: [] }),
    'review.undo': () => ({ changed: [], skipped: [] }),
    'review.revert': () => {
      throw new ToolError('not_found', 'There is no keep or undo to revert.')
    },
    'review.redo': () => {
      throw new ToolError('not_found', 'There is no reverted action to repeat.')
    },
    'review.comment': ({ conversation, comments, text }) => send(conversation, commentMessage(comments, text)),
  }
}

function noChanges(path: string): ToolError {
  return new ToolError('not_found', `"${path}" has no changes to review.`)
}

/** Returns the message that sends comments to the agent. */
function commentMessage(comments: readonly ReviewComment[], text = ''): string {
  const lines = comments.map(({ path, line, text }) => `${path}:${line}: ${text.trim()}`)
  return ['Review comments on your changes:', ...lines, text.trim()].filter(Boolean).join('\n\n')
}
