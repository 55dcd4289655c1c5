import { z } from 'zod'
import type { GitRepository, GitStatusSummary } from './git.ts'
import { request } from './requestType.ts'

// Requests of the git view. Every action returns the status after it. `operation`: an id that the window chooses for
// `git.cancel` and the event `git.progress`. A failure has a `reason` (GitFailureReason) and git's output as `detail`.

const path = z.string().min(1).max(4096)
const id = z.string().min(1).max(200)
const repository = z.string().max(4096)
const paths = z.array(path).min(1).max(20_000)
const message = z.string().max(1_000_000)
const ofRepository = z.object({ repository })
const action = ofRepository.extend({ operation: id })

export const gitRequests = {
  /** Finds the repositories of the open folder, at most three folders deep, and submodules. `again`: searches again. */
  'git.repositories': request<GitRepository[]>()(z.object({ again: z.boolean().default(false) })),
  /** Returns the latest status. `refresh`: runs git first. Later changes arrive as `git.changed`. */
  'git.status': request<GitStatusSummary>()(ofRepository.extend({ refresh: z.boolean().default(false) })),
  /** Stages files, untracked and deleted ones included. Without paths: all. Staging a conflict marks it as resolved. */
  'git.stage': request<GitStatusSummary>()(ofRepository.extend({ paths: paths.optional() })),
  'git.unstage': request<GitStatusSummary>()(ofRepository.extend({ paths: paths.optional() })),
  /** Commits the staged changes. `all`: stages all changes of tracked files first. `skipHooks`: without pre-commit and commit-msg. */
  'git.commit': request<{ hash: string; status: GitStatusSummary }>()(
    action.extend({
      message,
      amend: z.boolean().default(false),
      signOff: z.boolean().default(false),
      all: z.boolean().default(false),
      skipHooks: z.boolean().default(false),
    }),
  ),
  /** Cancels a running action. The action then fails with `cancelled`. */
  'git.cancel': request<void>()(z.object({ operation: id })),
} as const
