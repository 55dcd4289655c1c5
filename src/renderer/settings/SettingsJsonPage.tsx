import { useCallback } from 'react'
import { request } from '../platform/bridge/bridge.ts'
import { useApp } from '../platform/appState.ts'
import { notify } from '../platform/notices.ts'
import { plural } from '../../shared/text/plural.ts'
import { pageTab } from '../platform/editor/tabsState.ts'
import { JsonTextPage } from './JsonTextPage.tsx'
import { settingsUri } from './settingsSchemas.ts'

const tabId = pageTab('settingsJson').id

async function write(text: string, base: string, overwrite: boolean): Promise<void> {
  const { unused } = await request('settings.setDocument', { text, base, overwrite })
  if (unused.length === 0) return
  notify('warning', `The settings were saved without ${plural(unused.length, 'setting')} of the text.`, {
    detail: unused.join('\n'),
  })
}

export function SettingsJsonPage() {
  const stored = useApp((store) => store.state?.settings)
  const read = useCallback(async () => {
    // Load again after each change of the settings.
    void stored
    return (await request('settings.document', {})).text
  }, [stored])
  return (
    <JsonTextPage tabId={tabId} title="Settings (JSON)" uri={settingsUri} read={read} write={write}>
      Lists settings that differ from the defaults. Model servers, keys and MCP servers are on the settings page. You
      can paste settings of VS Code, which are converted when you save; comments are not kept.
    </JsonTextPage>
  )
}
