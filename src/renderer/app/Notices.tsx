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

function NoticeCard({ notice, onClose }: { notice: Notice; onClose?: () => void }) {
  return (
    <div className="notice" data-level={notice.level} role={notice.level === 'error' ? 'alert' : 'status'}>
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
                  onClose?.()
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

/** The list of notices, newest first, above the status bar. */
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
          <EmptyState icon="bell" title="Nothing to report">
            Problems and news appear here.
          </EmptyState>
        ) : (
          notices.toReversed().map((notice) => <NoticeCard key={notice.id} notice={notice} />)
        )}
      </div>
    </section>
  )
}

/** A toast. It disappears after a time, but not while it is hovered or focused. */
function Toast({ notice }: { notice: Notice }) {
  const [pointed, setPointed] = useState(false)
  const [focused, setFocused] = useState(false)
  const held = pointed || focused
  useEffect(() => {
    if (held) return
    const timer = setTimeout(() => hideToast(notice.id), toastDurationMs[notice.level])
    return () => clearTimeout(timer)
  }, [held, notice.id, notice.level])
  return (
    <div
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
    >
      <NoticeCard notice={notice} onClose={() => hideToast(notice.id)} />
    </div>
  )
}

/** The toasts, at the bottom right of the editor so that they do not cover the chat's buttons. */
export function NoticeToasts() {
  const { notices, listOpen } = useNotices()
  const toasts = listOpen ? [] : notices.filter((notice) => notice.toast).slice(-3)
  return (
    <div className="notice-toasts" aria-live="polite">
      {toasts.map((notice) => (
        <Toast key={notice.id} notice={notice} />
      ))}
    </div>
  )
}

/** The list of notices, while it is open. */
export function Notices() {
  const { notices, listOpen } = useNotices()
  return listOpen && <NoticeList notices={notices} />
}
