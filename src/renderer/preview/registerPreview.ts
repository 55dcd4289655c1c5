import { handleCommand } from '../platform/commands.ts'
import { previewOf } from '../platform/editor/fileViews.tsx'
import { previewTab, type PreviewTab } from '../platform/editor/tabsState.ts'
import { activePath, showBeside, showPreview } from '../platform/editor/tabsStore.ts'
import { notify } from '../platform/notices.ts'

function pathOf(argument: unknown): string | null {
  const path = typeof argument === 'string' ? argument : activePath()
  if (path === null) notify('info', 'No file is open.', { detail: 'Open a file first.' })
  return path
}

function openPreview(argument: unknown, show: (tab: PreviewTab) => void): void {
  const path = pathOf(argument)
  if (path === null) return
  const view = previewOf(path)
  if (view) show(previewTab(path, view))
  else
    notify('info', `There is no preview for ${path}.`, {
      detail: 'Markdown, CSV, TSV and image files have one.',
      actions: [{ label: 'Show bytes', run: () => showPreview(path, 'hex') }],
    })
}

/** Registers the commands that open previews. @returns a function that unregisters them */
export function registerPreview(): () => void {
  const stops = [
    handleCommand('preview.show', (argument) => openPreview(argument, ({ path, view }) => showPreview(path, view))),
    handleCommand('preview.open', (argument) => openPreview(argument, showBeside)),
    handleCommand('preview.bytes', (argument) => {
      const path = pathOf(argument)
      if (path !== null) showPreview(path, 'hex')
    }),
  ]
  return () => stops.forEach((stop) => stop())
}
