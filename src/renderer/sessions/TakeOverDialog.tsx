import { useEffect, useMemo, useRef, useState } from 'react'
import { create } from 'zustand'
import { toFailure } from '../../shared/errors.ts'
import type { SessionDiff, SessionFileDiff, TakenOver } from '../../shared/git/sessionRequests.ts'
import { plural } from '../../shared/text/plural.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import { request } from '../platform/bridge/bridge.ts'
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
import './takeOver.css'

interface Pending {
  id: string
  name: string
  answer: (taken: TakenOver | null) => void
}

/** The session whose changes the dialog shows. */
const useTakeOver = create<{ pending: Pending | null }>(() => ({ pending: null }))

/** Lets the user choose which changes of a session to take over. @returns what was taken over; null if cancelled */
export function chooseTakeOver(session: Pick<Pending, 'id' | 'name'>): Promise<TakenOver | null> {
  useTakeOver.getState().pending?.answer(null)
  return new Promise((resolve) => {
    const answer = (taken: TakenOver | null) => {
      useTakeOver.setState({ pending: null })
      resolve(taken)
    }
    useTakeOver.setState({ pending: { ...session, answer } })
  })
}

/** Dialog that `chooseTakeOver()` opens. */
export function TakeOverDialog() {
  const pending = useTakeOver((state) => state.pending)
  return pending && <OpenDialog key={pending.id} {...pending} />
}

function OpenDialog({ id, name, answer }: Pending) {
  const [diff, setDiff] = useState<SessionDiff | null>(null)
  const [choice, setChoice] = useState<Choice>(new Map())
  const [failure, setFailure] = useState<string | null>(null)
  const [taking, setTaking] = useState(false)
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
  const chosen = useMemo(() => chosenFiles(diff?.files ?? [], choice), [diff, choice])

  async function take(): Promise<void> {
    setTaking(true)
    setFailure(null)
    try {
      answer(await request('sessions.takeOver', { id, selection: chosen }))
    } catch (error) {
      const { message, next } = toFailure(error)
      setFailure([message, next].filter(Boolean).join(' '))
      setTaking(false)
    }
  }
  function reload(): void {
    setFailure(null)
    setLoads(loads + 1)
  }
  // What it does then would be reported nowhere.
  const close = () => !taking && answer(null)
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
      {diff === null ? (
        failure === null && <Spinner label="Loading changes" />
      ) : diff.files.length + diff.skipped.length === 0 ? (
        <p className="take-over-hint">The session has changed nothing.</p>
      ) : (
        <ul className="take-over-files">
          {diff.files.map((file) => (
            <FileChoice key={file.path} file={file} choice={choice} onChange={setChoice} />
          ))}
          {diff.skipped.map(({ path, why }) => (
            <li key={path} className="take-over-skipped">
              {visibleText(path)}: {why}
            </li>
          ))}
        </ul>
      )}
    </Dialog>
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
