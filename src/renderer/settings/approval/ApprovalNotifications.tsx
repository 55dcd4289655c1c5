import { useState } from 'react'
import { useApp } from '../../platform/appState.ts'
import { attempt } from '../../platform/notices.ts'
import { Button } from '../../ui/index.ts'
import { CheckField } from '../CheckField.tsx'
import { saveSetting } from '../saveSetting.ts'
import { changeOf, type SettingEditorProps } from '../settingValues.ts'

/** Whether waiting approvals are notified. In a browser, the permission is requested only by a click here. */
export function ApprovalNotifications({ settings, row }: SettingEditorProps) {
  const inBrowser = useApp((store) => store.state?.shell === 'browser')
  const { notify } = settings.approval
  return (
    <div className="settings-checks settings-wide">
      <CheckField
        label={row.declaration.title}
        checked={notify}
        onChange={(checked) => saveSetting(changeOf(settings, row, checked))}
      />
      {inBrowser && notify && <BrowserPermission />}
    </div>
  )
}

function BrowserPermission() {
  const [permission, setPermission] = useState(() =>
    'Notification' in window ? Notification.permission : 'unsupported',
  )
  if (permission === 'granted') return null
  if (permission === 'unsupported')
    return <p className="settings-text">This browser has no notifications for this address.</p>
  if (permission === 'denied')
    return (
      <p className="settings-text" role="status">
        Your browser blocks notifications of this page. Allow them in its settings for this address.
      </p>
    )
  return (
    <div className="endpoints-actions">
      <Button
        onClick={() =>
          attempt(async () => setPermission(await Notification.requestPermission()), 'The permission was not requested')
        }
      >
        Allow notifications in this browser…
      </Button>
    </div>
  )
}
