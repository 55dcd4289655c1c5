import { onAppState } from '../platform/appState.ts'
import { on, request } from '../platform/bridge/bridge.ts'
import { handleCommand } from '../platform/commands.ts'
import { openPage } from '../platform/editor/tabsStore.ts'
import { attempt, notify } from '../platform/notices.ts'
import { openAddress, openOnlyServer, showPage, togglePicking, usePreview } from './previewStore.ts'

/** Registers the commands of the Preview tab. @returns a function that unregisters them */
export function registerWebPreview(): () => void {
  const stops = [
    on('preview.changed', showPage),
    onAppState(() => attempt(async () => showPage(await request('preview.state', {})))),
    handleCommand('preview.page', async (url) => {
      openPage('preview')
      await (typeof url === 'string' ? openAddress(url) : openOnlyServer())
    }),
    handleCommand('preview.pick', () => {
      if (usePreview.getState().page.url === null)
        return notify('info', 'No page is open.', { detail: 'Open one with the command "Open page preview".' })
      openPage('preview')
      return togglePicking()
    }),
  ]
  return () => stops.forEach((stop) => stop())
}
