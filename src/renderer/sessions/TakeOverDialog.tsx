import { useEffect, useMemo, useRef, useState } from 'react'
import { toFailure } from '../../shared/errors.ts'
import type { SessionDiff, SessionFileDiff, TakeOverConflict } from '../../shared/git/sessionRequests.ts'
import { plural } from '../../shared/text/plural.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import { request } from '../platform/bridge/bridge.ts'
import { lazyView } from '../platform/layout/lazyView.tsx'
import { Button, Dialog, Icon, IconButton, Spinner } from '../ui/index.ts'
import { DiffCounts } from '../ui/diff/DiffCounts.tsx'
import { DiffHunks } from '../ui/diff/DiffExcerpt.tsx'
import {
  choiceAfterLoad,
  choiceOf,
  chosenCount,
  chosenFiles,
  toggleFile,
  toggleHunk,
  type Choice,
} from './takeOverChoice.ts'
import { useTakeOver, type Pending } from './takeOverStore.ts'
import './takeOver.css'

const LazyMergeEditor = lazyView(
  async () => (await import('./MergeEditor.tsx')).MergeEditor,
  <Spinner label="Loading the editor" />,
)

/** What the user made of a file that cannot be merged. `text: null`: the session's version. */
type Resolution = { current: string; text: string | null }

/** Dialog that `chooseTakeOver()` opens. */
export function TakeOverDialog() {
  const pending = useTakeOver((state) => state.pending)
  return pending && <OpenDialog key={pending.id} {...pending} />
}

/** Loads the changes of a session, and keeps the choice of those that stay the same. */
function useChanges(id: string) {
  const [diff, setDiff] = useState<SessionDiff | null>(null)
  const [choice, setChoice] = useState<Choice>(new Map())
  const [failure, setFailure] = useState<string | null>(null)
  const [loads, setLoads] = useState(0)
  const known = useRef<{ files: readonly SessionFileDiff[]; choice: Choice }>({ files: [], choice })
  known.current = { files: diff?.files ?? [], choice }
  useEffect(() => {
    let isShown = true
    request('sessions.changes', { id }).then(
      (loaded) => {
        if (!isShown) return
        setDiff(loaded)
        setChoice(choiceAfterLoad(loaded.files, known.current.files, known.current.choice))
      },
      (error: unknown) => isShown && setFailure(toFailure(error).message),
    )
    return () => {
      isShown = false
    }
  }, [id, loads])
  return { diff, choice, setChoice, failure, setFailure, loadAgain: () => setLoads(loads + 1) }
}

function OpenDialog({ id, name, answer }: Pending) {
  const { diff, choice, setChoice, failure, setFailure, loadAgain } = useChanges(id)
  const [taking, setTaking] = useState(false)
  const chosen = useMemo(() => chosenFiles(diff?.files ?? [], choice), [diff, choice])
  const [conflicts, setConflicts] = useState<readonly TakeOverConflict[]>([])
  const [resolutions, setResolutions] = useState<ReadonlyMap<string, Resolution>>(new Map())
  const [merged, setMerged] = useState<TakeOverConflict | null>(null)
  const drafts = useRef(new Map<string, string>())

  async function take(): Promise<void> {
    setTaking(true)
    setFailure(null)
    try {
      const selection = chosen.map((each) => ({ ...each, resolution: resolutions.get(each.path) }))
      answer(await request('sessions.takeOver', { id, selection }))
    } catch (error) {
      const found = await conflictsOf(id, chosen, error)
      setConflicts(found)
      setResolutions(new Map([...resolutions].filter(([path, { current }]) => isCurrent(found, path, current))))
      const { message, next } = toFailure(error)
      if (found.length === 0) setFailure([message, next].filter(Boolean).join(' '))
      setTaking(false)
    }
  }
  function reload(): void {
    setFailure(null)
    setConflicts([])
    setResolutions(new Map())
    drafts.current.clear()
    loadAgain()
  }
  /** Forgets conflicts and resolutions of files whose choice changes: they are of other lines. */
  function choose(next: Choice): void {
    const isKept = (path: string) => next.get(path) === choice.get(path)
    setChoice(next)
    setConflicts(conflicts.filter(({ path }) => isKept(path)))
    setResolutions(new Map([...resolutions].filter(([path]) => isKept(path))))
  }
  function resolve({ path, current }: TakeOverConflict, text: string | null): void {
    setResolutions(new Map(resolutions).set(path, { current, text }))
    setMerged(null)
  }
  // What it does then would be reported nowhere.
  const close = () => !taking && answer(null)
  if (merged?.texts)
    return (
      <MergeDialog
        conflict={{ ...merged, texts: merged.texts }}
        drafts={drafts.current}
        revision={diff?.files.find(({ path }) => path === merged.path)?.revision ?? ''}
        onBack={() => setMerged(null)}
        onResolved={(text) => resolve(merged, text)}
      />
    )
  return (
    <Dialog
      title={`Take over from "${name}"`}
      width={860}
      onClose={close}
      footer={
        <>
          <Button disabled={taking} onClick={close}>
            Cancel
          </Button>
          <Button variant="primary" disabled={taking || chosen.length === 0} onClick={() => void take()}>
            {chosen.length === 0 ? 'Take over' : `Take over ${plural(chosen.length, 'file')}`}
          </Button>
        </>
      }
    >
      <p className="take-over-hint">
        Chosen changes are merged into this folder and appear in the review, where each can be undone.
      </p>
      {failure !== null && (
        <p className="take-over-failure" role="alert">
          <Icon name="error" />
          <span>{visibleText(failure)}</span>
          <Button size="small" onClick={reload}>
            Load again
          </Button>
        </p>
      )}
      {conflicts.length > 0 && (
        <Conflicts
          conflicts={conflicts.filter(({ path }) => chosen.some((each) => each.path === path))}
          resolutions={resolutions}
          onMerge={setMerged}
          onTake={(conflict) => resolve(conflict, null)}
          onLeaveOut={({ path }) => choose(new Map(choice).set(path, new Set()))}
        />
      )}
      {diff === null ? (
        failure === null && <Spinner label="Loading changes" />
      ) : (
        <Changes diff={diff} choice={choice} onChange={choose} />
      )}
    </Dialog>
  )
}

/** Returns those of the chosen files that cannot be merged, if that is why they were not taken over. */
async function conflictsOf(
  id: string,
  selection: ReturnType<typeof chosenFiles>,
  error: unknown,
): Promise<TakeOverConflict[]> {
  if (toFailure(error).code !== 'conflict') return []
  // The session may have changed a file. Then the first error is the one to show.
  return request('sessions.conflicts', { id, selection }).catch(() => [])
}

function isCurrent(conflicts: readonly TakeOverConflict[], path: string, current: string): boolean {
  return conflicts.some((each) => each.path === path && each.current === current)
}

interface ConflictsProps {
  conflicts: readonly TakeOverConflict[]
  resolutions: ReadonlyMap<string, Resolution>
  onMerge: (conflict: TakeOverConflict) => void
  onTake: (conflict: TakeOverConflict) => void
  onLeaveOut: (conflict: TakeOverConflict) => void
}

/** The files that cannot be merged, with what the user can do about each. */
function Conflicts({ conflicts, resolutions, onMerge, onTake, onLeaveOut }: ConflictsProps) {
  const left = conflicts.filter(({ path }) => !resolutions.has(path)).length
  return (
    <section className="take-over-conflicts" aria-label="Conflicts">
      <p role="alert">
        {left === 0
          ? 'All conflicts are resolved. Nothing is written until you take over.'
          : `Nothing was taken over yet: ${plural(left, 'file')} changed in the session and here.`}
      </p>
      <ul>
        {conflicts.map((conflict) => {
          const { path, why, texts, replaceable } = conflict
          const resolution = resolutions.get(path)
          return (
            <li key={path}>
              <Icon name={resolution ? 'pass' : 'warning'} label={resolution ? 'Resolved' : 'Conflict'} />
              <span className="take-over-conflict">
                <bdi>{visibleText(path)}</bdi>
                <span className="take-over-count">
                  {resolution === undefined ? visibleText(why) : describeResolution(resolution)}
                </span>
              </span>
              {texts && (
                <Button size="small" onClick={() => onMerge(conflict)}>
                  Resolve…
                </Button>
              )}
              {replaceable && (
                <Button size="small" onClick={() => onTake(conflict)}>
                  Use the session's version
                </Button>
              )}
              <Button size="small" onClick={() => onLeaveOut(conflict)}>
                Leave out
              </Button>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function describeResolution({ text }: Resolution): string {
  return text === null ? "The session's version replaces the file here." : 'Your result replaces the file here.'
}

interface MergeDialogProps {
  conflict: TakeOverConflict & { texts: NonNullable<TakeOverConflict['texts']> }
  /** Unfinished results, by what they were made of. */
  drafts: Map<string, string>
  /** Identifies both sides of the session's change. */
  revision: string
  onBack: () => void
  onResolved: (text: string) => void
}

function MergeDialog({ conflict, drafts, revision, onBack, onResolved }: MergeDialogProps) {
  const { path, current, texts } = conflict
  const key = JSON.stringify([path, current, revision])
  return (
    <Dialog
      title={`Resolve ${visibleText(path)}`}
      width={1200}
      className="take-over-merge-dialog"
      onClose={onBack}
      footer={<Button onClick={onBack}>Back</Button>}
    >
      <LazyMergeEditor
        conflict={conflict}
        draft={drafts.get(key) ?? texts.merged}
        onDraft={(text) => drafts.set(key, text)}
        onResolved={onResolved}
      />
    </Dialog>
  )
}

function Changes({ diff, choice, onChange }: { diff: SessionDiff } & Omit<FileChoiceProps, 'file'>) {
  if (diff.files.length + diff.skipped.length === 0)
    return <p className="take-over-hint">The session has changed nothing.</p>
  return (
    <ul className="take-over-files">
      {diff.files.map((file) => (
        <FileChoice key={file.path} file={file} choice={choice} onChange={onChange} />
      ))}
      {diff.skipped.map(({ path, why }) => (
        <li key={path} className="take-over-skipped">
          {visibleText(path)}: {why}
        </li>
      ))}
    </ul>
  )
}

interface FileChoiceProps {
  file: SessionFileDiff
  choice: Choice
  onChange: (choice: Choice) => void
}

const changeLabels = { created: 'New file', modified: '', deleted: 'Deleted' } as const

/** What a file is, besides its changed lines. */
function notesOf({ change, isProtected, executable, lineEnds, binary, link }: SessionFileDiff): string[] {
  return [
    changeLabels[change],
    isProtected ? 'Protected' : '',
    executable === null ? '' : executable ? 'Executable' : 'No longer executable',
    lineEnds === null ? '' : `Line ends: ${lineEnds}`,
    binary ? 'Binary' : '',
    link ? `Link to ${visibleText(link.target)}` : '',
    link?.leadsOutside === true ? 'Leads outside this folder' : '',
  ].filter((note) => note !== '')
}

/** A file with a checkbox, and below it each of its hunks with one. */
function FileChoice({ file, choice, onChange }: FileChoiceProps) {
  const [open, setOpen] = useState(file.hunks.length > 0 && file.added + file.removed <= 40)
  const { path, hunks, divisible, added, removed } = file
  const state = choiceOf(file, choice)
  const name = visibleText(path)
  return (
    <li className="take-over-file">
      <div className="take-over-header">
        <IconButton
          icon={open ? 'chevron-down' : 'chevron-right'}
          label={`${open ? 'Collapse' : 'Expand'} ${name}`}
          aria-expanded={open}
          disabled={hunks.length === 0}
          onClick={() => setOpen(!open)}
        />
        <label className="take-over-name">
          <input
            type="checkbox"
            checked={state === 'all'}
            ref={(box) => {
              if (box) box.indeterminate = state === 'some'
            }}
            onChange={() => onChange(toggleFile(file, choice))}
          />
          <bdi>{name}</bdi>
        </label>
        {notesOf(file).map((note) => (
          <span key={note} className="ui-badge">
            {note}
          </span>
        ))}
        {divisible && state === 'some' && (
          <span className="take-over-count">
            {chosenCount(file, choice)} of {hunks.length}
          </span>
        )}
        {added + removed > 0 && <DiffCounts added={added} removed={removed} />}
      </div>
      {open &&
        hunks.map((hunk, index) => (
          <div key={`${hunk.oldStart}:${hunk.newStart}`} className="take-over-hunk">
            {divisible && (
              <input
                type="checkbox"
                aria-label={`Change ${index + 1} of ${hunks.length} in ${name}`}
                checked={choice.get(path)?.has(index) === true}
                onChange={() => onChange(toggleHunk(file, index, choice))}
              />
            )}
            <div className="take-over-lines">
              <DiffHunks hunks={[hunk]} label={`${name}, change ${index + 1}`} />
            </div>
          </div>
        ))}
    </li>
  )
}
