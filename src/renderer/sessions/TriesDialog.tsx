import { useEffect, useState } from 'react'
import type { SessionRow } from '../../shared/agent/sessionRows.ts'
import { formatSeconds } from '../../shared/text/formatDuration.ts'
import { formatNumber } from '../../shared/text/formatNumber.ts'
import { plural } from '../../shared/text/plural.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import { modelDisplayName } from '../../shared/models/modelName.ts'
import { toolsetLabels } from '../../shared/tools/toolsetTexts.ts'
import { currentWorkspace } from '../platform/appState.ts'
import { request } from '../platform/bridge/bridge.ts'
import { attempt, notifyFailure } from '../platform/notices.ts'
import { followSessions, useSessions } from '../platform/sessions/sessionsStore.ts'
import { useTaskTries } from '../platform/sessions/taskTries.ts'
import { Button, Dialog, Icon, IconButton, Spinner } from '../ui/index.ts'
import { DiffCounts } from '../ui/diff/DiffCounts.tsx'
import { showComparison } from './compareStore.ts'
import { openSession } from './sessionActions.ts'
import { folderName } from './sessionGroups.ts'
import { dropTries, takeTry } from './tryActions.ts'
import { interruptedText, stateOfTry, testText, triesOf, type TriedRow } from './tryStates.ts'
import './tries.css'

const close = () => useTaskTries.setState({ task: null })

/** Dialog that compares the tries of a task while they work, takes one and drops the others. */
export function TriesDialog() {
  const task = useTaskTries((state) => state.task)
  return task !== null && <OpenDialog key={task} task={task} />
}

function OpenDialog({ task }: { task: string }) {
  const loaded = useSessions((state) => state.rows)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => followSessions((error) => notifyFailure(error, 'The tries could not be loaded')), [])
  const rows = triesOf(loaded ?? [], task)
  const selected = rows.filter(({ worktree }) => chosen.has(worktree.id))
  const running = rows.filter(({ worktree }) => worktree.try.running)
  const [one, other] = selected
  const reasons = reasonsOf(rows[0], loaded ?? [])
  const [dropping, setDropping] = useState(false)

  async function drop(): Promise<void> {
    setDropping(true)
    try {
      await dropTries(task, chosen)
    } finally {
      setDropping(false)
    }
  }
  function toggle(id: string): void {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }
  return (
    <Dialog
      title="Tries of a task"
      width={1080}
      onClose={close}
      footer={
        <>
          <span className="tries-hint">
            {selected.length === 0 ? 'Select two tries to compare them, or those to keep.' : ''}
          </span>
          {running.length > 0 && (
            <Button onClick={() => stop(running)}>{`Stop ${plural(running.length, 'try', 'tries')}`}</Button>
          )}
          <Button
            disabled={reasons.changes !== undefined || selected.length !== 2}
            title={reasons.changes}
            onClick={() => one && other && showComparison(sideOf(one), sideOf(other))}
          >
            Compare changes
          </Button>
          <Button
            variant="danger"
            disabled={
              reasons.drop !== undefined || dropping || selected.length === 0 || selected.length === rows.length
            }
            title={reasons.drop}
            onClick={() => attempt(drop, 'The sessions could not be removed')}
          >
            Drop the rest…
          </Button>
          <Button onClick={close}>Close</Button>
        </>
      }
    >
      {loaded === null ? (
        <Spinner label="Loading tries" />
      ) : rows.length === 0 ? (
        <p>There are no tries of this task any more.</p>
      ) : (
        <>
          <p className="tries-title" dir="auto">
            {visibleText(rows[0]?.worktree.try.title ?? '')}
          </p>
          <TryTable rows={rows} reason={reasons.changes} chosen={chosen} onToggle={toggle} />
        </>
      )}
    </Dialog>
  )
}

/** Returns why this window cannot show or take the changes of tries, and not drop them; undefined if it can. */
function reasonsOf(
  tried: TriedRow | undefined,
  rows: readonly SessionRow[],
): Record<'changes' | 'drop', string | undefined> {
  const root = currentWorkspace()?.root
  const origin = tried?.worktree.origin
  if (tried === undefined || root === origin) return { changes: undefined, drop: undefined }
  const reason = `These tries belong to the repository "${visibleText(folderName(tried))}". Open its folder (${visibleText(tried.worktree.origin)}) first.`
  const isWorktree = rows.some(({ folder, worktree }) => folder === root && worktree?.origin === origin)
  return { changes: reason, drop: isWorktree ? undefined : reason }
}

const sideOf = ({ worktree, branch }: TriedRow) => ({ ...worktree, branch: branch ?? '' })

function stop(rows: readonly TriedRow[]): void {
  const ids = rows.map(({ worktree }) => worktree.id)
  attempt(() => request('sessions.stopTries', { ids }), 'The tries could not be stopped')
}

interface TryTableProps {
  rows: readonly TriedRow[]
  /** Why no changes can be taken over in this window. */
  reason: string | undefined
  /** Ids of the selected worktrees. */
  chosen: ReadonlySet<string>
  onToggle: (id: string) => void
}

function TryTable({ rows, reason, chosen, onToggle }: TryTableProps) {
  const values = (option: keyof ColumnSet) => new Set(rows.map(({ worktree }) => worktree.try[option]))
  const columns: ColumnSet = {
    model: rows.some(({ worktree }) => worktree.try.model !== undefined),
    temperature: values('temperature').size > 1,
    toolset: values('toolset').size > 1,
    test: rows.some(({ worktree }) => worktree.try.test !== undefined),
  }
  return (
    <div className="tries-scroll">
      <table className="tries-table">
        <caption className="visually-hidden">What came of each try</caption>
        <thead>
          <tr>
            <th scope="col">Try</th>
            {columns.model && <th scope="col">Model</th>}
            {columns.temperature && <th scope="col">Temperature</th>}
            {columns.toolset && <th scope="col">Toolset</th>}
            <th scope="col">Outcome</th>
            {columns.test && <th scope="col">Test</th>}
            <th scope="col">Changes</th>
            <th scope="col">Tokens</th>
            <th scope="col">Time</th>
            <th scope="col">Actions</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <TryLine
              key={row.worktree.id}
              row={row}
              reason={reason}
              columns={columns}
              chosen={chosen.has(row.worktree.id)}
              onToggle={() => onToggle(row.worktree.id)}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

type ColumnSet = Record<'model' | 'temperature' | 'toolset' | 'test', boolean>

interface TryLineProps {
  row: TriedRow
  reason: string | undefined
  columns: ColumnSet
  chosen: boolean
  onToggle: () => void
}

function TryLine({ row, reason, columns, chosen, onToggle }: TryLineProps) {
  const { worktree } = row
  const { model, temperature, toolset, test, result, running } = worktree.try
  const { added, removed, tokens } = result ?? { added: null, removed: null, tokens: null }
  const { label, icon, color } = stateOfTry(row)
  const tested = testText(result?.test)
  return (
    <tr data-chosen={chosen}>
      <th scope="row">
        <label className="tries-select">
          <input type="checkbox" checked={chosen} onChange={onToggle} />
          {worktree.name}
        </label>
      </th>
      {columns.model && <td>{model === undefined ? '' : modelDisplayName(model)}</td>}
      {columns.temperature && <td>{temperature ?? 'Default'}</td>}
      {columns.toolset && <td>{toolset === undefined ? '' : toolsetLabels[toolset]}</td>}
      <td title={result?.error === undefined ? undefined : visibleText(result.error)}>
        <span className="tries-state">
          <Icon name={icon} color={color} spin={icon === 'loading'} />
          {label}
        </span>
        {result?.error !== undefined && <span className="tries-reason">{visibleText(result.error)}</span>}
        {label === interruptedText.label && (
          <span className="tries-reason">
            Tizona ended while it worked. Open it and send a message to go on, take what it has, or drop it.
          </span>
        )}
        {running && row.note !== null && <span className="tries-reason">{row.note}</span>}
      </td>
      {columns.test && (
        <td title={result?.test && visibleText(result.test.output)}>{tested ?? (test === undefined ? '' : '–')}</td>
      )}
      <td>{added === null || removed === null ? '–' : <DiffCounts added={added} removed={removed} />}</td>
      <td className="tries-number">{tokens === null ? '–' : formatNumber(tokens)}</td>
      <td className="tries-number">
        <TryTime row={row} />
      </td>
      <td>
        <span className="tries-actions">
          <Button size="small" onClick={() => show(row)}>
            Open
          </Button>
          <Button
            size="small"
            disabled={reason !== undefined || (result === undefined && label !== interruptedText.label)}
            title={reason}
            onClick={() => take(row)}
          >
            Take this one…
          </Button>
          {running && <IconButton icon="debug-stop" label={`Stop ${worktree.name}`} onClick={() => stop([row])} />}
        </span>
      </td>
    </tr>
  )
}

/** Duration of the turn of a try; "–" if it is unknown. */
function TryTime({ row: { worktree, state, since } }: { row: TriedRow }) {
  const { result } = worktree.try
  if (!result && state === 'working') return <Elapsed since={since} />
  const seconds = result?.seconds ?? null
  return seconds === null ? '–' : formatSeconds(seconds)
}

function show(row: TriedRow): void {
  close()
  openSession(row)
}

function take(row: TriedRow): void {
  close()
  attempt(() => takeTry(row.worktree), 'Nothing was taken over')
}

/** Seconds since a turn started. */
function Elapsed({ since }: { since: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return <>{formatSeconds(Math.max(0, now - since) / 1000)}</>
}
