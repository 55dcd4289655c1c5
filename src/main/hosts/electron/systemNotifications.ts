import type { Notification as ElectronNotification } from 'electron'
import type { Platform } from '../../appServices/platform.ts'
import type { DesktopWindow } from './desktopWindow.ts'

type NotificationClass = typeof ElectronNotification

/** Shows system notifications while the window is not focused. */
export function systemNotifications(
  Notification: Pick<NotificationClass, 'isSupported'> &
    (new (options: Electron.NotificationConstructorOptions) => ElectronNotification),
  window: { current(): DesktopWindow | null; show(): void },
): NonNullable<Platform['notifyInBackground']> {
  // Without a reference, a notification is garbage-collected and its click is lost.
  const shown = new Set<ElectronNotification>()
  return ({ title, body, onClick }) => {
    const browserWindow = window.current()?.browserWindow
    if (browserWindow?.isFocused() === true || !Notification.isSupported()) return () => undefined
    const notification = new Notification({ title, body })
    shown.add(notification)
    notification.on('close', () => shown.delete(notification))
    notification.on('click', () => {
      shown.delete(notification)
      window.show()
      onClick()
    })
    notification.show()
    return () => {
      if (shown.delete(notification)) notification.close()
    }
  }
}
