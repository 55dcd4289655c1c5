import { useState } from 'react'
import type { JobInfo, ToolResult } from '../../../shared/tool.ts'
import { visibleText } from '../../../shared/visibleText.ts'
import { Icon } from '../../ui/index.ts'
import { useChat } from '../conversation/chatStore.ts'
import { BoundedText } from './BoundedText.tsx'
import { CommandView } from './CommandView.tsx'
import { MatchList } from './Lists.tsx'
import { ResultView } from './ResultView.tsx'
import { mainArgument, parseArguments } from './toolSummary.ts'
import './tool.css'

interface ToolDetailsProps {
  callId: string
  /** The tool's name as the model wrote it. */
  calledName?: string
  /** As the model wrote them. */
  argumentsText: string
  result?: ToolResult
  job?: JobInfo
  /** The failure stands above already: the model's wording of it is folded. */
  errorShown?: boolean
}

/** Everything about a call: what it shows, what it was asked, what the model read. The console draws its results with it too. */
export function ToolDetails({ callId, calledName, argumentsText, result, job, errorShown = false }: ToolDetailsProps) {
  const progress = useChat((state) => state.progress[callId])
  const written = parseArguments(argumentsText)
  const edited =
    written &&
    result &&
    typeof result.arguments.command === 'string' &&
    mainArgument(written) !== mainArgument(result.arguments)
  const folded = errorShown && !result?.ok
  return (
    <div className="tool-details">
      {edited && (
        <p className="tool-note">
          <Icon name="edit" />
          You changed the command; this is what ran. The model knows.
        </p>
      )}
      {calledName !== undefined && result && <RepairNote calledName={calledName} result={result} />}
      {job ? (
        <CommandView job={job} result={result} />
      ) : (
        result && !folded && <ResultView result={result} callId={callId} />
      )}
      {!result && !job && progress?.kind === 'matches' && <MatchList matches={progress.matches} />}
      {!result && !job && progress?.kind === 'text' && <BoundedText text={progress.text} label="Output so far" />}
      {undoFailure(
        useChat((state) =>
          result?.view.kind === 'diff' && result.view.editId ? state.undo[result.view.editId] : undefined,
        ),
      )}
      <Fold title="Arguments">
        <BoundedText
          text={written ? JSON.stringify(result?.arguments ?? written, null, 2) : argumentsText}
          label="Arguments"
        />
        {result?.repaired && (
          <>
            <p className="tool-note">As the model wrote them:</p>
            <BoundedText text={argumentsText} label="Arguments as the model wrote them" />
          </>
        )}
      </Fold>
      {result && (folded || showsOther(result)) && (
        <Fold title={result.truncated ? 'What the model read (shortened)' : 'What the model read'}>
          <BoundedText text={result.text} label="What the model read" truncated={result.truncated} callId={callId} />
        </Fold>
      )}
    </div>
  )
}

/** What Tizona changed of the call before it ran. */
function RepairNote({ calledName, result: { ranTool, repaired } }: { calledName: string; result: ToolResult }) {
  if (ranTool === undefined && !repaired) return null
  return (
    <p className="tool-note">
      <Icon name="wrench" />
      {ranTool === undefined ? (
        'Tizona repaired the arguments of this call.'
      ) : (
        <span>
          Called as <code>{visibleText(calledName)}</code>; ran as <code>{ranTool}</code>.
        </span>
      )}
    </p>
  )
}

function undoFailure(undo: { kind: string; message?: string } | undefined) {
  return undo?.kind === 'failed' ? <p className="tool-note tool-note-failed">{undo.message}</p> : null
}

/** Text views show what the model read already. */
function showsOther(result: ToolResult): boolean {
  return result.text !== '' && !['text', 'json', 'file'].includes(result.view.kind)
}

function Fold({ title, children }: { title: string; children: React.ReactNode }) {
  const [open, setOpen] = useState(false)
  return (
    <section className="tool-fold">
      <button type="button" className="tool-fold-toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? 'chevron-down' : 'chevron-right'} />
        {title}
      </button>
      {open && children}
    </section>
  )
}
