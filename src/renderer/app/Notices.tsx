import { useEffect, useState } from 'react'
import {
  clearNotices,
  toastDurationMs,
  showNoticeList,
  hideToast,
  useNotices,
  type Notice,
} from '../platform/notices.ts'
import { Button, EmptyState, Icon, IconButton } from '../ui/index.ts'

const icons: Record<Notice['level'], string> = { info: 'info', success: 'pass', warning: 'warning', error: 'error' }

/** A notice. Screen readers announce it if it can be closed, but not in the list. */
function NoticeCard({ notice, onClose }: { notice: Notice; onClose?: () => void }) {
  const role = !onClose ? 'listitem' : notice.level === 'error' ? 'alert' : 'status'
  return (
    <div className="notice" data-level={notice.level} role={role}>
      <Icon name={icons[notice.level]} className="notice-icon" />
      <div className="notice-body">
        <div className="notice-message">{notice.message}</div>
        {notice.detail && <div className="notice-detail">{notice.detail}</div>}
        {notice.actions.length > 0 && (
          <div className="notice-actions">
            {notice.actions.map((action) => (
              <Button
                key={action.label}
                size="small"
                onClick={() => {
                  if (!action.stays) onClose?.()
                  action.run()
                }}
              >
                {action.label}
              </Button>
            ))}
          </div>
        )}
      </div>
      {onClose && <IconButton icon="close" label="Dismiss notice" onClick={onClose} />}
    </div>
  )
}

/** All notices, newest first. Opens above the status bar. */
function NoticeList({ notices }: { notices: Notice[] }) {
  return (
    <section
      className="notice-list"
      aria-label="Notices"
      data-region="notices"
      onKeyDown={(event) => {
        if (event.key === 'Escape') showNoticeList(false)
      }}
    >
      <header className="notice-list-header">
        <h2>Notices</h2>
        <IconButton icon="clear-all" label="Clear all notices" onClick={clearNotices} data-autofocus />
        <IconButton icon="close" label="Close notices" onClick={() => showNoticeList(false)} />
      </header>
      <div className="notice-list-body">
        {notices.length === 0 ? (
          <EmptyState icon="bell" title="No notices">
            Errors and messages appear here.
          </EmptyState>
        ) : (
          <div role="list" aria-label="Notices, newest first">
            {notices.toReversed().map((notice) => (
              <NoticeCard key={notice.id} notice={notice} />
            ))}
          </div>
        )}
      </div>
    </section>
  )
}

/** A notice that floats over the editor. Moves to the list after a delay, except while hovered or focused. */
function Toast({ notice }: { notice: Notice }) {
  const [hovered, setHovered] = useState(false)
  const [focused, setFocused] = useState(false)
  const paused = hovered || focused
  useEffect(() => {
    if (paused) return
    const timer = setTimeout(() => hideToast(notice.id), toastDurationMs[notice.level])
    return () => clearTimeout(timer)
  }, [paused, notice.id, notice.level])
  return (
    <div
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
    >
      <NoticeCard notice={notice} onClose={() => hideToast(notice.id)} />
    </div>
  )
}

/** The three latest floating notices, at the bottom right of the editor, where they do not cover the chat's buttons. */
export function NoticeToasts() {
  const { notices, listOpen } = useNotices()
  const toasts = listOpen ? [] : notices.filter((notice) => notice.toast).slice(-3)
  return (
    <div className="notice-toasts">
      {toasts.map((notice) => (
        <Toast key={notice.id} notice={notice} />
      ))}
    </div>
  )
}

/** Renders the notice list while it is open. */
export function Notices() {
  const { notices, listOpen } = useNotices()
  return listOpen && <NoticeList notices={notices} />
}
