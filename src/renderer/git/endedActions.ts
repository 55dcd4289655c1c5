import { ToolError } from '../../shared/errors.ts'
import { useGit } from '../platform/git/gitStore.ts'
import { notify } from '../platform/notices.ts'
import { notifyGitFailure } from './failures.ts'

/** Reports the results of actions that ended after the window was reloaded. @returns a function that stops it */
export function reportEndedActions(): () => void {
  const report = () => {
    const { ended } = useGit.getState()
    if (ended.length === 0) return
    useGit.setState({ ended: [] })
    for (const { label, failure } of ended) {
      if (!failure) notify('info', `${label} finished.`)
      else
        notifyGitFailure(
          new ToolError(failure.code, failure.message, failure.next, {
            ...(failure.reason !== undefined && { reason: failure.reason }),
            ...(failure.detail !== undefined && { detail: failure.detail }),
          }),
          `${label} failed`,
        )
    }
  }
  report()
  return useGit.subscribe(report)
}
