import { isAbort, toFailure, type Failure } from '../../shared/errors.ts'
import type { GitFailureReason } from '../../shared/git/git.ts'
import { runCommand } from '../platform/commands.ts'
import { reviewFolder } from '../platform/folderTrust.ts'
import { useGit } from '../platform/git/gitStore.ts'
import { attempt, notify, type NoticeAction } from '../platform/notices.ts'
import { askIdentity, useGitOutput } from './dialogStores.ts'

async function askForSelected(): Promise<void> {
  const { selected } = useGit.getState()
  if (selected !== null && (await askIdentity(selected))) notify('success', 'Your name and email address are set.')
}

/** Next steps to offer in a notice, by failure reason. */
export type NextSteps = Partial<Record<GitFailureReason, readonly NoticeAction[]>>

const commonSteps: NextSteps = {
  restricted: [{ label: 'Review folder', run: () => attempt(reviewFolder) }],
  no_identity: [{ label: 'Set name and email…', run: () => attempt(askForSelected) }],
  conflicts: [{ label: 'Show conflicts', run: () => runCommand('view.git') }],
}

/** Shows a failed action as a notice with next steps and git's output. Ignores cancellations. */
export function notifyGitFailure(error: unknown, context: string, nextSteps: NextSteps = {}): void {
  if (isAbort(error)) return
  const failure: Failure = toFailure(error)
  const { message, next, detail, reason } = failure
  const steps =
    reason === undefined ? [] : (nextSteps[reason as GitFailureReason] ?? commonSteps[reason as GitFailureReason] ?? [])
  const details: NoticeAction[] = detail
    ? [
        {
          label: 'Show details',
          stays: true,
          run: () => showGitOutput(context, failure),
        },
      ]
    : []
  // Most of main's messages name the action, as in "The pull failed." and "The branch could not be created."
  notify('error', /failed|could not be|was refused/.test(message) ? message : `${context}: ${message}`, {
    ...(next ? { detail: next } : {}),
    actions: [...steps, ...details],
  })
}

/** Shows git's output before an action failed. */
export function showGitOutput(context: string, { detail = '' }: Failure): void {
  useGitOutput.setState({ shown: { title: `${context}: Git output`, output: detail } })
}

/** Runs an action and shows its failure. @param context what failed, for example "Push failed" */
export function attemptGit(action: () => Promise<unknown>, context: string, nextSteps?: NextSteps): void {
  action().catch((error: unknown) => notifyGitFailure(error, context, nextSteps))
}
