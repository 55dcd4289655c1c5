import { createContext, memo, type ReactNode, useContext, useState } from 'react'
import { visibleText } from '../../../shared/text/visibleText.ts'
import type { CallLine, FileDiff, Picture, SyntaxProblem, ToolResult, ToolView } from '../../../shared/tools/tool.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { openChange, openLocation } from '../editor/openLocation.ts'
import { DiffExcerpts } from '../../ui/diff/DiffExcerpt.tsx'
import { Button, Icon } from '../../ui/index.ts'
import { CollapsibleText } from './CollapsibleText.tsx'
import { CommandView } from './CommandView.tsx'
import { MatchList } from './MatchList.tsx'
import { SymbolList } from './SymbolList.tsx'
import { TodoList } from './TodoList.tsx'
import { plural } from '../../../shared/text/plural.ts'
import { useTools } from '../conversation/toolsStore.ts'
import { formatDuration } from '../../../shared/text/formatDuration.ts'
import { mainArgument } from '../../../shared/tools/callArguments.ts'
import { outcomeText, summarizeCall } from './toolSummary.ts'

/** Whether paths lead to files of the open folder. Not for a call of another one. */
export const FileLinks = createContext(true)

interface ResultViewProps {
  result: ToolResult
  callId: string
  /** Whether the error is shown elsewhere. */
  errorShown?: boolean
}

/** Shows a call's result: the tool's view, or the error and the calls made before it. */
export const ResultView = memo(function ResultView({ result, callId, errorShown = false }: ResultViewProps) {
  if (!result.ok)
    return (
      <>
        {!errorShown && (
          <CollapsibleText text={result.text} label="Result" truncated={result.truncated} callId={callId} />
        )}
        {result.view.kind === 'calls' && <Calls calls={result.view.calls} />}
      </>
    )
  const text = (
    <CollapsibleText
      text={result.view.kind === 'json' ? prettyJson(result.text) : result.text}
      label="Result"
      truncated={result.truncated}
      callId={callId}
    />
  )
  return (
    <View view={result.view} result={result}>
      {text}
    </View>
  )
})

/** Previews the effect of a call before it is approved. */
export function PreviewView({ view }: { view: ToolView }) {
  return (
    <View view={view} planned>
      {null}
    </View>
  )
}

interface ViewProps {
  view: ToolView
  result?: ToolResult
  /** Whether the call has not run yet. */
  planned?: boolean
  /** The result's text, for views that do not replace it. */
  children: ReactNode
}

function View({ view, result, planned = false, children }: ViewProps) {
  switch (view.kind) {
    case 'diff':
      return <DiffResult view={view} planned={planned} />
    case 'matches':
      return (
        <>
          {view.summary !== undefined && <CollapsibleText text={view.summary} label="Findings" />}
          <MatchList
            matches={view.matches}
            pattern={view.pattern}
            note={moreNote(view.matches.length, view.total, view.truncated)}
          />
          {view.calls && <Calls calls={view.calls} />}
          {view.note !== undefined && <p className="tool-note">{view.note}</p>}
        </>
      )
    case 'files':
      return <FileList paths={view.paths} note={moreNote(view.paths.length, view.total, view.truncated)} />
    case 'symbols':
      return <SymbolList symbols={view.symbols} note={view.note} />
    case 'calls':
      return (
        <>
          <Calls calls={view.calls} />
          {view.report && children}
          {view.note !== undefined && <p className="tool-note">{view.note}</p>}
        </>
      )
    case 'page':
      return (
        <>
          <CollapsibleText text={view.text} label={planned ? 'Preview' : 'Result'} />
          {view.note && <p className="tool-note">{view.note}</p>}
        </>
      )
    case 'pictures':
      return (
        <>
          <Pictures pictures={view.pictures} />
          {children}
        </>
      )
    case 'command':
      return <CommandView job={view.job} result={result} />
    case 'file':
      return (
        <>
          <FileRange view={view} />
          {children}
        </>
      )
    case 'todos':
      return <TodoList todos={view.todos} />
    case 'editor':
      return (
        <>
          {view.path !== undefined && <EditorLocation path={view.path} line={view.line} />}
          {view.text ? <CollapsibleText text={view.text} label="Text" /> : children}
        </>
      )
    default:
      return children
  }
}

/** Calls made by another call. */
function Calls({ calls }: { calls: readonly CallLine[] }) {
  return (
    <CallList calls={calls}>
      {(call) => (
        <View view={call.view}>
          <CollapsibleText text={call.view.kind === 'json' ? prettyJson(call.text) : call.text} label="Result" />
        </View>
      )}
    </CallList>
  )
}

const openEdit = (file: FileDiff) => openChange(file)

function DiffResult({ view, planned }: { view: ToolView & { kind: 'diff' }; planned: boolean }) {
  const hasLinks = useContext(FileLinks)
  return (
    <>
      {view.note && <p className="tool-note">{visibleText(view.note)}</p>}
      {view.unsaved && (
        <p className="tool-note">
          <Icon name="circle-filled" />
          {planned
            ? 'The tab has unsaved changes, so this edit changes the tab and is not saved.'
            : 'Changed in the open tab and not saved yet.'}
        </p>
      )}
      {view.problems && <Problems problems={view.problems} />}
      <DiffExcerpts files={view.files} {...(hasLinks && { onOpenFile: openLocation, onOpenDiff: openEdit })} />
    </>
  )
}

function Pictures({ pictures }: { pictures: readonly Picture[] }) {
  return pictures.map(({ mimeType, data }, index) => (
    <img
      key={index}
      className="tool-picture"
      src={`data:${mimeType};base64,${data}`}
      alt={`Result image ${index + 1}`}
    />
  ))
}

function FileRange({ view }: { view: ToolView & { kind: 'file' } }) {
  return (
    <div className="tool-place">
      <PlaceLink path={view.path} line={view.startLine} label={view.path} />
      <span>
        {`Lines ${view.startLine}–${view.endLine} of ${formatNumber(view.totalLines)}`}
        {view.unsaved && ' (with unsaved changes)'}
      </span>
    </div>
  )
}

function EditorLocation({ path, line }: { path: string; line: number | undefined }) {
  return (
    <div className="tool-place">
      <PlaceLink path={path} line={line} label={line === undefined ? path : `${path}:${line}`} />
    </div>
  )
}

function PlaceLink({ path, line, label }: { path: string; line: number | undefined; label: string }) {
  if (!useContext(FileLinks)) return <span>{label}</span>
  return (
    <Button size="small" variant="ghost" icon="go-to-file" onClick={() => openLocation(path, line)}>
      {label}
    </Button>
  )
}

/** Errors that an edit introduced. They are also sent to the model. */
function Problems({ problems }: { problems: readonly SyntaxProblem[] }) {
  const hasLinks = useContext(FileLinks)
  return (
    <ul className="tool-problems" aria-label="Errors after this edit">
      {problems.map(({ path, line, message }) => (
        <li key={`${path}:${line}:${message}`}>
          <Icon name="error" />
          <button type="button" className="tool-problem" disabled={!hasLinks} onClick={() => openLocation(path, line)}>
            {path}:{line}
          </button>
          <span>{message}</span>
        </li>
      ))}
    </ul>
  )
}

function moreNote(shown: number, total: number, truncated: boolean): string | undefined {
  if (!truncated && total <= shown) return undefined
  return total > shown ? `Showing ${formatNumber(shown)} of ${formatNumber(total)}.` : 'More results exist.'
}

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    // The text is not a single JSON value, for example because it ends with a note.
    return text
  }
}

/** Number of rows shown before the list is expanded. */
const collapsedRows = 100

/** Lists paths. A click opens the file. Paths that end in `/` are folders, which cannot be opened. */
function FileList({ paths, note }: { paths: readonly string[]; note?: string }) {
  const [expanded, setExpanded] = useState(false)
  if (paths.length === 0) return <p className="tool-note">Nothing was found.</p>
  return (
    <div className="match-list">
      {(expanded ? paths : paths.slice(0, collapsedRows)).map((path) =>
        path.endsWith('/') ? (
          <div key={path} className="match-file match-folder">
            <Icon name="folder" />
            <span className="match-path">{path}</span>
          </div>
        ) : (
          <button
            key={path}
            type="button"
            className="match-file"
            title={`Open ${path}`}
            onClick={() => openLocation(path)}
          >
            <Icon name="file" />
            <span className="match-path">{path}</span>
          </button>
        ),
      )}
      {!expanded && paths.length > collapsedRows && (
        <Button size="small" variant="ghost" onClick={() => setExpanded(true)}>
          {`Show all ${plural(paths.length, 'entry', 'entries')}`}
        </Button>
      )}
      {note && <p className="tool-note">{note}</p>}
    </div>
  )
}

/** Lists the calls of a batch or a sub-agent. Each row expands to the result. */
function CallList({ calls, children }: { calls: readonly CallLine[]; children: (call: CallLine) => ReactNode }) {
  return (
    <ol className="call-list">
      {calls.map((call, index) => (
        // Calls can be identical. The order does not change.
        <CallRow key={index} call={call}>
          {children(call)}
        </CallRow>
      ))}
    </ol>
  )
}

function CallRow({ call, children }: { call: CallLine; children: ReactNode }) {
  const [open, setOpen] = useState(false)
  const info = useTools((state) => state.byName.get(call.tool))
  const { icon, title } = summarizeCall({ name: call.tool, arguments: '{}' }, info)
  const argument = mainArgument(call.arguments)
  return (
    <li
      className={`call-item ${call.ok ? '' : 'call-item-failed'}`}
      data-testid="nested-call"
      data-tool={call.tool}
      data-ok={call.ok}
    >
      <button type="button" className="call-row" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? 'chevron-down' : 'chevron-right'} />
        <Icon name={icon} className="tool-card-icon" />
        <span className="call-title">{title}</span>
        <span className="tool-card-argument" title={argument}>
          <bdi>{visibleText(argument)}</bdi>
        </span>
        {call.ok && <span className="tool-card-outcome">{outcomeText(call.view)}</span>}
        <span className="tool-card-time">{formatDuration(call.elapsedMs)}</span>
        <Icon
          name={call.ok ? 'check' : 'error'}
          label={call.ok ? 'Done' : 'Failed'}
          className={call.ok ? 'tool-card-check' : 'call-failed'}
        />
      </button>
      {!call.ok && <p className="call-error">{call.text}</p>}
      {open && call.ok && <div className="call-result">{children}</div>}
    </li>
  )
}
