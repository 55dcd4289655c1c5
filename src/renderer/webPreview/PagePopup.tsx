import { useState } from 'react'
import type { PreviewDialog, PreviewPopup, PreviewValueType } from '../../shared/preview/preview.ts'
import { request } from '../platform/bridge/bridge.ts'
import { attempt } from '../platform/notices.ts'
import { Button, Dialog, Menu, TextField, type MenuGroup } from '../ui/index.ts'
import { usePreview } from './previewStore.ts'

const choose = (choice: { options?: number[]; value?: string }) => {
  usePreview.setState({ popup: null })
  attempt(() => request('preview.choose', choice), 'The value could not be set')
}

/** Popups that the browser draws outside the page. */
export function PagePopup({ zoom }: { zoom: number }) {
  const popup = usePreview((state) => state.popup)
  const dialog = usePreview(({ page }) => page.dialog)
  const [anchor, setAnchor] = useState<HTMLSpanElement | null>(null)
  return (
    <>
      {popup && (
        <span
          ref={setAnchor}
          className="web-preview-anchor"
          style={{
            left: popup.box.x * zoom,
            top: popup.box.y * zoom,
            width: popup.box.width * zoom,
            height: popup.box.height * zoom,
          }}
        />
      )}
      {popup?.kind === 'select' && anchor && <OptionMenu popup={popup} anchor={anchor} />}
      {popup?.kind === 'value' && <ValueDialog popup={popup} />}
      {dialog && <PageDialog key={dialog.message} dialog={dialog} />}
    </>
  )
}

function OptionMenu({ popup, anchor }: { popup: Extract<PreviewPopup, { kind: 'select' }>; anchor: Element }) {
  const groups: (MenuGroup & { items: MenuGroup['items'][number][] })[] = []
  popup.options.forEach(({ label, disabled, selected, group }, index) => {
    if (groups.length === 0 || groups.at(-1)?.heading !== (group || undefined))
      groups.push({ heading: group || undefined, items: [] })
    groups.at(-1)?.items.push({
      id: String(index),
      label: label === '' ? '(empty)' : label,
      disabled,
      checked: selected,
      run: () => choose({ options: [index] }),
    })
  })
  return (
    <Menu
      groups={groups}
      anchor={{ element: anchor }}
      label="Options of the page"
      onClose={() => {
        if (usePreview.getState().popup === popup) usePreview.setState({ popup: null })
      }}
    />
  )
}

/** Names of values, and titles that no page can choose. */
const valueNames: Readonly<Record<PreviewValueType, readonly [name: string, title: string]>> = {
  date: ['Date', 'The page requests a date'],
  time: ['Time', 'The page requests a time'],
  month: ['Month', 'The page requests a month'],
  week: ['Week', 'The page requests a week'],
  'datetime-local': ['Date and time', 'The page requests a date and time'],
  color: ['Color', 'The page requests a color'],
}

function ValueDialog({ popup }: { popup: Extract<PreviewPopup, { kind: 'value' }> }) {
  const [value, setValue] = useState(popup.value)
  const [name, title] = valueNames[popup.type]
  return (
    <Dialog
      title={title}
      width={340}
      onClose={() => usePreview.setState({ popup: null })}
      footer={
        <>
          <Button onClick={() => usePreview.setState({ popup: null })}>Cancel</Button>
          <Button variant="primary" onClick={() => choose({ value })}>
            Set
          </Button>
        </>
      }
    >
      {popup.label !== '' && <p className="web-preview-message">{popup.label}</p>}
      <TextField
        label={name}
        type={popup.type}
        value={value}
        min={popup.min || undefined}
        max={popup.max || undefined}
        data-autofocus
        onChange={(event) => setValue(event.target.value)}
      />
    </Dialog>
  )
}

const dialogTitles: Readonly<Record<PreviewDialog['kind'], string>> = {
  alert: 'Message of the page',
  confirm: 'Question from the page',
  prompt: 'Question from the page',
  beforeunload: 'Leave the page?',
}

function PageDialog({ dialog: { kind, message, value } }: { dialog: PreviewDialog }) {
  const [text, setText] = useState(value)
  const answer = (accept: boolean) => attempt(() => request('preview.answerDialog', { accept, text }))
  return (
    <Dialog
      title={dialogTitles[kind]}
      width={440}
      onClose={() => answer(kind === 'alert')}
      footer={
        <>
          {kind !== 'alert' && <Button onClick={() => answer(false)}>Cancel</Button>}
          <Button variant="primary" onClick={() => answer(true)}>
            {kind === 'beforeunload' ? 'Leave' : 'OK'}
          </Button>
        </>
      }
    >
      <p className="web-preview-message">{message || 'The page may have unsaved changes.'}</p>
      {kind === 'prompt' && (
        <TextField label="Answer" data-autofocus value={text} onChange={(event) => setText(event.target.value)} />
      )}
    </Dialog>
  )
}
