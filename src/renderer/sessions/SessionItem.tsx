import { useState } from 'react'
import type { SessionQuestion, SessionRow } from '../../shared/agent/sessionRows.ts'
import { modelDisplayName } from '../../shared/models/modelName.ts'
import { formatSeconds } from '../../shared/text/formatDuration.ts'
import { plural } from '../../shared/text/plural.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import { ApprovalCard } from '../platform/approval/ApprovalCard.tsx'
import { displayPath } from '../platform/appState.ts'
import { request } from '../platform/bridge/bridge.ts'
import { formatAge } from '../platform/formatAge.ts'
import { attempt } from '../platform/notices.ts'
import { Button, CommandText, Icon, IconButton, TextField, type MenuAnchor } from '../ui/index.ts'
import { openSession, renameSession } from './sessionActions.ts'
import { testText } from './tryStates.ts'
import { folderName, stateTexts } from './sessionGroups.ts'

interface SessionItemProps {
  row: SessionRow
  /** Milliseconds since the epoch. */
  now: number
  /** Whether Tab reaches the row. Arrow keys reach the others. */
  current: boolean
  /** Whether the chat shows what the session asks. */
  answered: boolean
  renaming: boolean
  onRenamed: () => void
  onFocus: () => void
  onMenu: (anchor: MenuAnchor) => void
}

/** A session in the list, with what it asks below. */
export function SessionItem({ row, now, current, answered, renaming, onRenamed, onFocus, onMenu }: SessionItemProps) {
  const { icon, color, label } = stateTexts[row.state]
  const title = visibleText(row.title)
  return (
    <li className="sessions-item" data-state={row.state}>
      {renaming ? (
        <RenameField row={row} onDone={onRenamed} />
      ) : (
        <div
          className="sessions-row"
          onContextMenu={(event) => {
            event.preventDefault()
            onMenu({ x: event.clientX, y: event.clientY })
          }}
        >
          <button
            type="button"
            className="sessions-open"
            data-key={row.key}
            data-autofocus={current || undefined}
            tabIndex={current ? 0 : -1}
            title={`${title}\n${displayPath(row.folder)}`}
            onClick={() => openSession(row)}
            onFocus={onFocus}
          >
            <Icon name={icon} color={color} label={label} spin={row.state === 'working'} />
            <span className="sessions-words">
              <span className="sessions-title">
                <span className="sessions-name" dir="auto">
                  {title}
                </span>
                {row.pinned && <Icon name="pinned" label="Pinned" />}
                <span className="sessions-age">{timeOf(row, now)}</span>
              </span>
              <Facts row={row} />
            </span>
          </button>
          <IconButton
            icon="ellipsis"
            className="sessions-more"
            label={`Actions for ${title}`}
            aria-haspopup="menu"
            tabIndex={current ? 0 : -1}
            onClick={(event) => onMenu({ element: event.currentTarget, align: 'end' })}
          />
        </div>
      )}
      {!answered && row.place !== 'elsewhere' && <Answers row={row} />}
    </li>
  )
}

/** How long a session works, or when it was used last. */
function timeOf({ state, since }: SessionRow, now: number): string {
  if (state !== 'working') return formatAge(since, now)
  return formatSeconds(Math.max(0, now - since) / 1000)
}

const placeTexts: Partial<Record<SessionRow['place'], string>> = {
  elsewhere: 'in another Tizona',
  closed: 'not open',
}

function Facts({ row }: { row: SessionRow }) {
  const { branch, changedFiles, tokens, place, state, note, worktree } = row
  const facts = [
    note ?? (state === 'done' || state === 'idle' ? undefined : stateTexts[state].label),
    changedFiles ? plural(changedFiles, 'file') : undefined,
    ...triedFacts(row),
    tokens > 0 ? plural(tokens, 'token') : undefined,
    placeTexts[place],
  ].filter((fact) => fact !== undefined)
  return (
    <>
      <span className="sessions-place">
        <Icon name={worktree ? 'worktree' : 'folder'} label={worktree ? 'Worktree' : 'Folder'} />
        <span className="sessions-folder">{visibleText(folderName(row))}</span>
        {branch !== null && (
          <>
            <Icon name="git-branch" label="Branch" />
            <span className="sessions-branch">{visibleText(branch)}</span>
          </>
        )}
      </span>
      {facts.length > 0 && <span className="sessions-facts">{facts.join(' · ')}</span>}
    </>
  )
}

/** How a try differs from the others of its task, and how its test ended. */
function triedFacts({ worktree }: SessionRow): string[] {
  const tried = worktree?.try
  const test = testText(tried?.result?.test)
  return [
    ...(test === null ? [] : [`test ${test.toLowerCase()}`]),
    ...(tried?.temperature === undefined ? [] : [`temperature ${tried.temperature}`]),
    ...(tried?.model === undefined ? [] : [modelDisplayName(tried.model)]),
  ]
}

function RenameField({ row, onDone }: { row: SessionRow; onDone: () => void }) {
  const [title, setTitle] = useState(row.title)
  function save(): void {
    const wanted = title.trim().slice(0, 200)
    if (wanted !== '' && wanted !== row.title) renameSession(row, wanted)
    onDone()
  }
  return (
    <input
      dir="auto"
      className="ui-input sessions-rename"
      aria-label="Title of the session"
      value={title}
      autoFocus
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => setTitle(event.target.value)}
      onBlur={save}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === 'Enter') save()
        else if (event.key === 'Escape') onDone()
      }}
    />
  )
}

/** What a session asks: the oldest call that waits for approval, and commands that wait for input. */
function Answers({ row }: { row: SessionRow }) {
  const { approvals, questions, place, folder } = row
  const [first] = approvals
  const other = place === 'here' ? {} : { folder: displayPath(folder) }
  return (
    <>
      {first && (
        <div className="sessions-card">
          <ApprovalCard request={first} waiting={approvals.length - 1} takesFocus={false} {...other} />
        </div>
      )}
      {questions.map((question) => (
        <Question key={question.jobId} question={question} {...other} />
      ))}
    </>
  )
}

function Question({ question, folder }: { question: SessionQuestion; folder?: string }) {
  const { jobId, command, output } = question
  const [text, setText] = useState('')
  return (
    <form
      className="sessions-card sessions-answer"
      aria-label="A command waits for input"
      onSubmit={(event) => {
        event.preventDefault()
        attempt(async () => {
          await request('sessions.answer', { jobId, text })
          setText('')
        }, 'The answer was not sent')
      }}
    >
      {folder !== undefined && <p className="approval-folder">In {visibleText(folder)}</p>}
      <p className="sessions-command">
        <CommandText text={command} />
      </p>
      <pre tabIndex={0} role="region" aria-label="Output of the command">
        {visibleText(output)}
      </pre>
      <div className="sessions-answer-row">
        <TextField
          label="Answer to the command"
          hideLabel
          placeholder="Answer"
          type={/pass(?:word|phrase)/i.test(output.slice(output.lastIndexOf('\n') + 1)) ? 'password' : 'text'}
          value={text}
          maxLength={10_000}
          autoComplete="off"
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit">Send</Button>
      </div>
    </form>
  )
}
