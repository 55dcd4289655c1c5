import { useState } from 'react'
import { useApp } from '../../platform/appState.ts'
import { attempt } from '../../platform/notices.ts'
import { Button } from '../../ui/index.ts'
import { CheckField } from '../CheckField.tsx'
import { saveSetting } from '../saveSetting.ts'
import { changeOf, type SettingEditorProps } from '../settingValues.ts'

/** Setting for notifications of pending approvals. Browsers require a click here to ask for permission. */
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
    return <p className="settings-text">This browser does not support notifications at this address.</p>
  if (permission === 'denied')
    return (
      <p className="settings-text" role="status">
        Your browser blocks notifications from this page. Allow them in its settings for this address.
      </p>
    )
  return (
    <div className="endpoints-actions">
      <Button
        onClick={() =>
          attempt(
            async () => setPermission(await Notification.requestPermission()),
            'The permission could not be requested',
          )
        }
      >
        Allow notifications in this browser…
      </Button>
    </div>
  )
}
