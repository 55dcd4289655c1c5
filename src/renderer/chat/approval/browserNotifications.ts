import { approvalNotification } from '../../../shared/tools/approvalNotification.ts'
import { useApp } from '../../platform/appState.ts'
import { on } from '../../platform/bridge/bridge.ts'
import { runCommand } from '../../platform/commands.ts'

/**
 * Shows a browser notification for each call that is waiting for approval while the page is in the background, if the
 * user allowed notifications in the settings. A click focuses the card. The desktop host shows its own.
 * @returns a function that stops it
 */
export function followApprovalNotifications(): () => void {
  const shown = new Map<string, Notification>()
  const close = (requestId: string) => {
    shown.get(requestId)?.close()
    shown.delete(requestId)
  }
  const stops = [
    on('approval.requested', (request) => {
      const state = useApp.getState().state
      if (state?.shell !== 'browser' || !state.settings.approval.notify) return
      if (document.hasFocus() || !canNotify()) return
      const { title, body } = approvalNotification(request)
      const notification = new Notification(title, { body, tag: request.id })
      notification.addEventListener('click', () => {
        window.focus()
        close(request.id)
        runCommand('approval.focus', request.id)
      })
      shown.set(request.id, notification)
    }),
    on('approval.resolved', ({ requestId }) => close(requestId)),
  ]
  return () => {
    for (const stop of stops) stop()
    for (const id of shown.keys()) close(id)
  }
}

function canNotify(): boolean {
  return 'Notification' in window && Notification.permission === 'granted'
}
