import { useEffect, useRef, type KeyboardEvent } from 'react'
import type { GitStatusSummary } from '../../shared/git/git.ts'
import { useChat } from '../platform/conversation/chatStore.ts'
import { useGit } from '../platform/git/gitStore.ts'
import { formatKeys } from '../platform/keymap/keyNotation.ts'
import { useLayout } from '../platform/layout/layoutStore.ts'
import { Button, Icon, IconButton, MenuButton, type MenuGroup } from '../ui/index.ts'
import { attemptGit } from './failures.ts'
import { cancelAction, commit, draftMessage, setMessage, type CommitOptions } from './gitActions.ts'
import { messageFieldId, takeMessageFocus } from './messageFocus.ts'
import { publish, sync } from './remoteActions.ts'

const draftingLabel = 'Drafting a message'
const maxHeight = 160

/** The message field with a button that drafts a message, and the commit button with its variants. */
export function CommitBox({ status }: { status: GitStatusSummary }) {
  const repository = status.repository.id
  const message = useLayout(({ git }) => git.messages[repository] ?? '')
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    const element = field.current
    if (!element) return
    element.style.height = ''
    // Without text, the height is one line, even if the placeholder is longer.
    if (message !== '') element.style.height = `${Math.min(maxHeight, element.scrollHeight + 2)}px`
  }, [message])

  useEffect(takeMessageFocus, [])

  const run = (options?: CommitOptions) => attemptGit(() => commit(status, options), 'Commit failed')
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    run()
  }
  const target = status.branch === null ? 'detached HEAD' : `"${status.branch}"`
  const commitKeys = formatKeys('Mod+Enter')
  const prepared = status.operation?.message?.split('\n')[0]
  return (
    <div className="git-commit">
      <div className="git-message">
        <textarea
          ref={field}
          dir="auto"
          id={messageFieldId}
          className="ui-input"
          rows={1}
          aria-label="Commit message"
          placeholder={prepared ?? `Message (${status.branch === null ? target : commitKeys})`}
          title={message === '' ? `${commitKeys} commits to ${target}` : undefined}
          value={message}
          data-autofocus
          onChange={(event) => setMessage(repository, event.target.value)}
          onKeyDown={onKeyDown}
        />
        <DraftButton status={status} />
      </div>
      <CommitButton status={status} message={message} run={run} />
    </div>
  )
}

function DraftButton({ status }: { status: GitStatusSummary }) {
  const repository = status.repository.id
  const drafting = useGit(({ running }) =>
    running.find((action) => action.label === draftingLabel && action.repository === repository),
  )
  const conversation = useChat((state) => state.info?.id)
  if (drafting)
    return <IconButton icon="stop-circle" label="Stop drafting" onClick={() => cancelAction(drafting.operation)} />
  return (
    <IconButton
      icon="sparkle"
      label="Draft message"
      disabled={status.counts.staged === 0}
      onClick={() => attemptGit(() => draftMessage(repository, conversation), 'The message could not be drafted')}
    />
  )
}

interface CommitButtonProps {
  status: GitStatusSummary
  message: string
  run: (options?: CommitOptions) => void
}

function CommitButton({ status, message, run }: CommitButtonProps) {
  const repository = status.repository.id
  const busy = useGit(({ running }) => running.some((action) => action.repository === repository))
  const signOff = useLayout(({ git }) => git.signOff)
  const { counts, upstream } = status
  const clean = counts.staged + counts.changes + counts.untracked + counts.merge === 0
  const menu = (): MenuGroup[] => [
    {
      items: [
        { id: 'commit', label: 'Commit', icon: 'check', run: () => run() },
        {
          id: 'amend',
          label: 'Amend last commit',
          icon: 'edit',
          disabled: status.head === null,
          run: () => run({ amend: true }),
        },
        { id: 'push', label: 'Commit and push', icon: 'repo-push', run: () => run({ after: 'push' }) },
        { id: 'sync', label: 'Commit and sync', icon: 'sync', run: () => run({ after: 'sync' }) },
      ],
    },
    {
      items: [
        {
          id: 'signOff',
          label: 'Add Signed-off-by',
          checked: signOff,
          run: () => useLayout.setState(({ git }) => ({ git: { ...git, signOff: !signOff } })),
        },
      ],
    },
  ]
  if (clean && message === '' && status.operation === null && upstream && upstream.ahead + upstream.behind > 0)
    return (
      <Button
        variant="primary"
        icon="sync"
        className="git-commit-button"
        disabled={busy}
        onClick={() => attemptGit(() => sync(repository), 'Sync failed')}
      >
        Sync changes {upstream.behind > 0 && `${upstream.behind}↓`} {upstream.ahead > 0 && `${upstream.ahead}↑`}
      </Button>
    )
  if (
    clean &&
    message === '' &&
    status.operation === null &&
    !upstream &&
    status.branch !== null &&
    status.head !== null
  )
    return (
      <Button
        icon="cloud-upload"
        className="git-commit-button"
        disabled={busy}
        onClick={() => attemptGit(() => publish(repository), 'Publish failed')}
      >
        Publish branch
      </Button>
    )
  return (
    <div className="git-split-button">
      <Button variant="primary" icon="check" className="git-commit-button" disabled={busy} onClick={() => run()}>
        Commit
      </Button>
      <MenuButton
        icon="chevron-down"
        label="More commit actions"
        align="end"
        groups={menu}
        className="ui-button ui-button-primary git-split-more"
      >
        <Icon name="chevron-down" />
      </MenuButton>
    </div>
  )
}
