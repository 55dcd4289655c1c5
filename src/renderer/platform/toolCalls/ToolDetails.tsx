import { useState } from 'react'
import type { ToolResult } from '../../../shared/tools/tool.ts'
import type { JobInfo } from '../../../shared/commands/jobs.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { FoldToggle, Icon } from '../../ui/index.ts'
import { useChat } from '../conversation/chatStore.ts'
import { CollapsibleText } from './CollapsibleText.tsx'
import { CommandView } from './CommandView.tsx'
import { MatchList } from './MatchList.tsx'
import { ResultView } from './ResultView.tsx'
import { callToolName, calledTool, mainArgument } from '../../../shared/tools/callArguments.ts'
import './tool.css'

interface ToolDetailsProps {
  callId: string
  /** Tool name in the model's call. */
  calledName?: string
  /** JSON text of the arguments from the model. */
  argumentsText: string
  result?: ToolResult
  job?: JobInfo
  /** Whether the card already shows the error, so that the model's version of it starts collapsed. */
  errorShown?: boolean
}

/** Details of a call: its result, its arguments and the text that was sent to the model. */
export function ToolDetails({ callId, calledName, argumentsText, result, job, errorShown = false }: ToolDetailsProps) {
  const progress = useChat((state) => state.progress[callId])
  const { values: modelArguments } = calledTool({ name: calledName ?? '', arguments: argumentsText })
  const edited =
    modelArguments &&
    result &&
    typeof result.arguments.command === 'string' &&
    mainArgument(modelArguments) !== mainArgument(result.arguments)
  const collapsed = errorShown && !result?.ok
  return (
    <div className="tool-details">
      {edited && (
        <p className="tool-note">
          <Icon name="edit" />
          You edited the command. The edited command ran, and the model was informed.
        </p>
      )}
      {calledName !== undefined && result && <RepairNote calledName={calledName} result={result} />}
      {job ? (
        <CommandView job={job} result={result} />
      ) : (
        result && <ResultView result={result} callId={callId} errorShown={errorShown} />
      )}
      {!result && !job && progress?.kind === 'matches' && <MatchList matches={progress.matches} />}
      {!result && !job && progress?.kind === 'text' && <CollapsibleText text={progress.text} label="Output so far" />}
      {undoFailure(
        useChat((state) =>
          result?.view.kind === 'diff' && result.view.editId ? state.undo[result.view.editId] : undefined,
        ),
      )}
      <Section title="Arguments">
        <CollapsibleText
          text={modelArguments ? JSON.stringify(result?.arguments ?? modelArguments, null, 2) : argumentsText}
          label="Arguments"
        />
        {result?.repaired && (
          <>
            <p className="tool-note">Original arguments from the model:</p>
            <CollapsibleText text={argumentsText} label="Original arguments" />
          </>
        )}
      </Section>
      {result && (collapsed || differsFromText(result)) && (
        <Section title={result.truncated ? 'Sent to the model (truncated)' : 'Sent to the model'}>
          <CollapsibleText text={result.text} label="Sent to the model" truncated={result.truncated} callId={callId} />
        </Section>
      )}
    </div>
  )
}

/** Describes how Tizona repaired the call before it ran. */
function RepairNote({ calledName, result }: { calledName: string; result: ToolResult }) {
  const { repaired } = result
  // `call_tool` runs the tool that it names.
  const ranTool = calledName === callToolName ? undefined : result.ranTool
  if (ranTool === undefined && !repaired) return null
  return (
    <p className="tool-note">
      <Icon name="wrench" />
      {ranTool === undefined ? (
        'Tizona repaired the arguments of this call.'
      ) : (
        <span>
          The model called <code>{visibleText(calledName)}</code>. Tizona ran <code>{ranTool}</code>.
        </span>
      )}
    </p>
  )
}

function undoFailure(undo: { kind: string; message?: string } | undefined) {
  return undo?.kind === 'failed' ? <p className="tool-note tool-note-failed">{undo.message}</p> : null
}

/** Whether the view differs from the text that was sent to the model. */
function differsFromText(result: ToolResult): boolean {
  const { text, view } = result
  return text !== '' && !['text', 'json', 'file'].includes(view.kind) && !(view.kind === 'calls' && view.report)
}

/** A collapsed section with a heading. */
function Section({ title, children }: { title: string; children: React.ReactNode }) {
  const [open, setOpen] = useState(false)
  return (
    <section className="tool-fold">
      <FoldToggle open={open} onToggle={() => setOpen(!open)}>
        {title}
      </FoldToggle>
      {open && children}
    </section>
  )
}
