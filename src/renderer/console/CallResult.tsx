import { useEffect, useRef } from 'react'
import { outerCallId } from '../../shared/tools/approval.ts'
import { ApprovalCard } from '../platform/approval/ApprovalCard.tsx'
import { useChat } from '../platform/conversation/chatStore.ts'
import { LinkedCode } from '../platform/textLinks/LinkedCode.tsx'
import { ToolDetails } from '../platform/toolCalls/ToolDetails.tsx'
import { formatDuration } from '../../shared/text/formatDuration.ts'
import { useJobs } from '../platform/jobs/jobsStore.ts'
import { Icon, Spinner } from '../ui/index.ts'
import type { ConsoleCall } from './consoleStore.ts'

/** State, approval card and result of a call. */
export function CallResult({ call }: { call: ConsoleCall }) {
  const approval = useChat((state) => state.approvals.find(({ callId }) => outerCallId(callId) === call.callId))
  const progress = useChat((state) => state.progress[call.callId])
  const started =
    call.result?.view.kind === 'command' ? call.result.view.job : progress?.kind === 'job' ? progress.job : undefined
  const job = useJobs((state) => (started ? (state.jobs[started.id] ?? started) : undefined))
  const element = useRef<HTMLElement>(null)
  useEffect(() => {
    element.current?.scrollIntoView({ block: 'nearest' })
  }, [call.state, approval])
  const { result } = call
  return (
    <section
      ref={element}
      tabIndex={-1}
      className="console-result"
      aria-label="Result"
      data-testid="console-result"
      data-state={call.state}
      data-ok={result?.ok}
    >
      {approval && <ApprovalCard request={approval} onFocusLost={() => element.current?.focus()} />}
      <h3>
        {call.state === 'running' ? (
          <>
            <Spinner label="Running" />
            {approval ? 'Waiting for your approval' : 'Running'}
          </>
        ) : result?.ok ? (
          <>
            <Icon name="pass" className="job-tone-success" />
            Done in {formatDuration(result.elapsedMs)}
          </>
        ) : (
          <>
            <Icon name="error" className="job-tone-failure" />
            {result?.error?.code ?? 'Failed'}
          </>
        )}
      </h3>
      {call.problem && <p className="tool-note tool-note-failed">{call.problem}</p>}
      {result?.error && (
        <div className="tool-card-error">
          <span>
            <LinkedCode text={result.error.message} />
          </span>
          {result.error.next && <span className="tool-card-next">{result.error.next}</span>}
        </div>
      )}
      <ToolDetails
        callId={call.callId}
        argumentsText={JSON.stringify(call.arguments)}
        result={result}
        job={job}
        errorShown={result?.error !== undefined}
      />
    </section>
  )
}
