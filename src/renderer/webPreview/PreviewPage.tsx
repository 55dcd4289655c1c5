import { useEffect, useId, useRef, useState } from 'react'
import { request } from '../platform/bridge/bridge.ts'
import { shortcutOf } from '../platform/commands.ts'
import { takePageFocus } from '../platform/layout/pages.tsx'
import { attempt } from '../platform/notices.ts'
import { Button, EmptyState, IconButton, MenuButton, Select, Spinner, TextField, ToggleButton } from '../ui/index.ts'
import { PageStage } from './PageStage.tsx'
import {
  attachScreenshot,
  go,
  loadPreview,
  loadServers,
  openAddress,
  openOnlyServer,
  restartBrowser,
  toggleList,
  togglePicking,
  usePreview,
  type Device,
} from './previewStore.ts'
import './webPreview.css'

/** The tab that shows the page of the folder's server, which is also the page of the browser tools. */
export function PreviewPage() {
  const isOpen = usePreview(({ page }) => page.url !== null)
  const list = usePreview((state) => state.list)
  const { isOwner, take } = useStage()
  useEffect(() => attempt(loadPreview, 'The preview could not be loaded'), [])
  return (
    <section className="web-preview" aria-label="Preview">
      <Toolbar />
      <Notes />
      {!isOpen ? <NoPage /> : isOwner ? <PageStage /> : <ShownElsewhere onTake={take} />}
      {list !== null && <LogLines />}
    </section>
  )
}

/** Only one tab shows the page: two would give it two sizes. */
function useStage(): { isOwner: boolean; take: () => void } {
  const id = useId()
  const owner = usePreview((state) => state.owner)
  useEffect(() => {
    if (usePreview.getState().owner === null) usePreview.setState({ owner: id })
  }, [owner, id])
  useEffect(
    () => () => {
      if (usePreview.getState().owner === id) usePreview.setState({ owner: null })
    },
    [id],
  )
  return { isOwner: owner === id, take: () => usePreview.setState({ owner: id }) }
}

function ShownElsewhere({ onTake }: { onTake: () => void }) {
  return (
    <div className="web-preview-empty">
      <EmptyState
        icon="browser"
        title="The page is open in another tab"
        actions={<Button onClick={onTake}>Show it here</Button>}
      >
        Only one tab can show the page at a time, because it has one size.
      </EmptyState>
    </div>
  )
}

const devices: { value: Device; label: string }[] = [
  { value: 'responsive', label: 'Responsive' },
  { value: 'phone', label: 'Phone' },
  { value: 'tablet', label: 'Tablet' },
]
const zooms = ['fit', 0.5, 0.75, 1, 1.25, 1.5, 2] as const

function Toolbar() {
  const { page, device, zoom, colorScheme, list, servers, picking } = usePreview()
  const isOpen = page.url !== null
  return (
    <div className="web-preview-bar" role="toolbar" aria-label="Preview">
      <IconButton icon="arrow-left" label="Back" disabled={!page.canGoBack} onClick={() => go('back')} />
      <IconButton icon="arrow-right" label="Forward" disabled={!page.canGoForward} onClick={() => go('forward')} />
      <IconButton icon="refresh" label="Reload" disabled={!isOpen} onClick={() => go('reload')} />
      <AddressField url={page.url ?? ''} />
      {page.foreignHost !== null && (
        <span className="web-preview-host" title={`The page comes from another host: ${page.foreignHost}`}>
          {page.foreignHost}
        </span>
      )}
      <MenuButton
        icon="server-process"
        label="Servers of this folder"
        align="end"
        groups={() => {
          attempt(loadServers)
          return [
            {
              heading: servers?.length === 0 ? 'No program of this folder listens at a port' : 'Servers of this folder',
              items: (servers ?? []).map(({ url }) => ({ id: url, label: url, run: () => void openAddress(url) })),
            },
            {
              items: [
                { id: 'again', label: 'Look for servers again', icon: 'refresh', run: () => attempt(loadServers) },
                {
                  id: 'close',
                  label: 'Close the page',
                  icon: 'close',
                  disabled: !isOpen,
                  run: () => attempt(() => request('preview.close', {}), 'The page could not be closed'),
                },
              ],
            },
          ]
        }}
      />
      <Select
        label="Size of the page"
        hideLabel
        className="web-preview-device"
        options={devices}
        value={device}
        onChange={(event) => usePreview.setState({ device: event.target.value as Device })}
      />
      <Select
        label="Zoom"
        hideLabel
        className="web-preview-zoom"
        options={zooms.map((each) => ({
          value: String(each),
          label: each === 'fit' ? 'Fit' : `${each * 100} %`,
        }))}
        value={String(zoom)}
        onChange={({ target: { value } }) => usePreview.setState({ zoom: value === 'fit' ? 'fit' : Number(value) })}
      />
      <IconButton
        icon="color-mode"
        label={colorScheme === 'light' ? 'Show the dark page' : 'Show the light page'}
        aria-pressed={colorScheme === 'dark'}
        onClick={() => usePreview.setState({ colorScheme: colorScheme === 'light' ? 'dark' : 'light' })}
      />
      <IconButton
        icon="inspect"
        label="Pick an element"
        shortcut={shortcutOf('preview.pick')}
        aria-pressed={picking}
        disabled={!isOpen}
        onClick={togglePicking}
      />
      <IconButton icon="device-camera" label="Attach a screenshot" disabled={!isOpen} onClick={attachScreenshot} />
      <ToggleButton
        icon="terminal"
        title="Console of the page"
        pressed={list === 'console'}
        onClick={() => toggleList('console')}
      >
        <span className="web-preview-toggle-name">Console</span>
        {page.messages > 0 && ` ${page.messages}`}
      </ToggleButton>
      <ToggleButton
        icon="globe"
        title="Requests of the page"
        pressed={list === 'network'}
        onClick={() => toggleList('network')}
      >
        <span className="web-preview-toggle-name">Network</span>
        {page.requests > 0 && ` ${page.requests}`}
      </ToggleButton>
    </div>
  )
}

function AddressField({ url }: { url: string }) {
  const [text, setText] = useState(url)
  /** Whether the user has typed into the field, so that a page that changes its address does not replace the text. */
  const typed = useRef(false)
  useEffect(() => {
    // The address of a page that is gone stays, to open it again.
    if (!typed.current && url !== '') setText(url)
  }, [url])
  return (
    <form
      className="web-preview-address"
      onSubmit={(event) => {
        event.preventDefault()
        typed.current = false
        if (text.trim() !== '') void openAddress(text)
      }}
    >
      <TextField
        ref={takePageFocus}
        data-autofocus
        label="Address"
        hideLabel
        placeholder="Address or port, such as localhost:5173"
        value={text}
        onChange={(event) => {
          typed.current = true
          setText(event.target.value)
        }}
        onFocus={(event) => event.target.select()}
        onBlur={() => (typed.current = false)}
      />
    </form>
  )
}

/** What failed, and what the page cannot have. */
function Notes() {
  const failure = usePreview((state) => state.failure)
  const notice = usePreview(({ page }) => page.notice)
  const blocked = usePreview(({ page }) => page.blocked)
  const stuck = usePreview(({ page }) => page.stuck)
  const busy = usePreview(({ page, opening }) => opening || page.loading)
  return (
    <>
      <div className="web-preview-progress" data-busy={busy} role="status" aria-label={busy ? 'Loading' : undefined} />
      {failure && (
        <p className="web-preview-note web-preview-failure" role="alert">
          {failure.message} {failure.next}
        </p>
      )}
      {stuck && (
        <p className="web-preview-note" role="status">
          The page does not respond.{' '}
          <Button size="small" onClick={restartBrowser}>
            Restart browser
          </Button>
        </p>
      )}
      {blocked !== null && (
        <p className="web-preview-note" role="status">
          {URL.parse(blocked)?.host} is another host, which you have not allowed yet.{' '}
          <Button size="small" onClick={() => void openAddress(blocked)}>
            Open…
          </Button>
        </p>
      )}
      {notice !== null && (
        <p className="web-preview-note" role="status">
          {notice}
        </p>
      )}
    </>
  )
}

function NoPage() {
  const servers = usePreview((state) => state.servers)
  const opening = usePreview((state) => state.opening)
  if (servers === null || opening)
    return (
      <div className="web-preview-empty">
        <Spinner label="Opening" />
      </div>
    )
  return (
    <div className="web-preview-empty">
      <EmptyState
        icon="browser"
        title={servers.length === 0 ? 'No server runs in this folder' : 'Open a page of this folder'}
        actions={
          <>
            {servers.map(({ url }) => (
              <Button key={url} icon="globe" onClick={() => void openAddress(url)}>
                {url}
              </Button>
            ))}
            <Button icon="refresh" onClick={() => attempt(openOnlyServer)}>
              Look again
            </Button>
          </>
        }
      >
        {servers.length === 0
          ? 'Start the dev server in a terminal, then look again. The model sees the same page.'
          : 'The model sees the same page.'}
      </EmptyState>
    </div>
  )
}

function LogLines() {
  const list = usePreview((state) => state.list)
  const lines = usePreview((state) => state.lines)
  const name = list === 'console' ? 'Console of the page' : 'Requests of the page'
  return (
    <div className="web-preview-log" role="region" aria-label={name} tabIndex={0}>
      {lines.length === 0 && (
        <p className="web-preview-log-empty">
          {list === 'console' ? 'The console is empty.' : 'There were no requests.'}
        </p>
      )}
      <ol>
        {lines.map((line, index) => (
          // The lines have no identity.
          <li key={index} data-level={/^(?:error|uncaught|warning|\w+ failed|\w+ [45]\d\d)/.exec(line)?.[0]}>
            {line}
          </li>
        ))}
      </ol>
    </div>
  )
}
