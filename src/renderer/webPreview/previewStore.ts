import { create } from 'zustand'
import { Latest } from '../../shared/async/latest.ts'
import { toFailure, type Failure } from '../../shared/errors.ts'
import {
  noPreview,
  type PreviewDisplay,
  type PreviewPopup,
  type PreviewServer,
  type PreviewState,
  type PreviewTarget,
} from '../../shared/preview/preview.ts'
import { request } from '../platform/bridge/bridge.ts'
import { runCommand } from '../platform/commands.ts'
import { confirm } from '../platform/confirm.ts'
import { attempt } from '../platform/notices.ts'
import { showFileRequest } from './fileRequest.ts'

export type Device = 'responsive' | 'phone' | 'tablet'
export type LogList = 'console' | 'network'

/** Sizes of devices in CSS pixels. */
export const deviceSizes: Readonly<Record<Exclude<Device, 'responsive'>, { width: number; height: number }>> = {
  phone: { width: 390, height: 844 },
  tablet: { width: 820, height: 1180 },
}

interface PreviewStore {
  page: PreviewState
  /** Id of the tab that shows the page. */
  owner: string | null
  /** Null until they are known. */
  servers: readonly PreviewServer[] | null
  /** Why the page could not be opened. */
  failure: Failure | null
  opening: boolean
  device: Device
  /** Size of the page on the screen. `fit`: as large as the tab allows, at most 1. */
  zoom: number | 'fit'
  colorScheme: PreviewDisplay['colorScheme']
  list: LogList | null
  /** Messages of the page, or its requests, as shown in the list. */
  lines: readonly string[]
  popup: PreviewPopup | null
  /** Whether the user is picking an element. */
  picking: boolean
  /** Element that the user points at. */
  target: PreviewTarget | null
}

export const usePreview = create<PreviewStore>(() => ({
  page: noPreview,
  owner: null,
  servers: null,
  failure: null,
  opening: false,
  device: 'responsive',
  zoom: 'fit',
  colorScheme: 'light',
  list: null,
  lines: [],
  popup: null,
  picking: false,
  target: null,
}))

/** Shows what main reports about the page. */
export function showPage(page: PreviewState): void {
  const before = usePreview.getState().page
  usePreview.setState({ page, ...(page.url !== before.url && { popup: null, failure: null, target: null }) })
  showFileRequest(page.fileRequest)
  if (before.messages !== page.messages || before.requests !== page.requests || before.url !== page.url) loadLines()
}

/** Loads the state and the servers of the folder. A tab that is restored at start opens no page by itself. */
export async function loadPreview(): Promise<void> {
  showPage(await request('preview.state', {}))
  await loadServers()
}

/** Opens the folder's server if it is the only one and no page is open. */
export async function openOnlyServer(): Promise<void> {
  await loadPreview()
  const { page, servers, opening } = usePreview.getState()
  if (page.url === null && !opening && servers?.length === 1 && servers[0]) await openAddress(servers[0].url)
}

export async function loadServers(): Promise<void> {
  usePreview.setState({ servers: await request('preview.servers', {}) })
}

/** Completes what the user typed, as browsers do: a port or a host alone is enough. */
export function completeAddress(text: string): string {
  const typed = text.trim()
  if (/^\d{1,5}$/.test(typed)) return `http://localhost:${typed}/`
  if (/^:\d{1,5}(?:\/|$)/.test(typed)) return `http://localhost${typed}`
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(typed)) return typed
  return `${/^(?:localhost|[\w.-]+\.localhost|127\.|\[)/i.test(typed) ? 'http' : 'https'}://${typed}`
}

const openings = new Latest()

/** Opens an address. Asks for another host than this machine. */
export async function openAddress(text: string): Promise<void> {
  const isLatest = openings.begin()
  usePreview.setState({ opening: true, failure: null })
  try {
    const url = completeAddress(text)
    const { host } = await request('preview.open', { url, approved: false })
    if (host !== null && isLatest()) {
      const choice = await confirm({
        title: `Open a page of ${host}?`,
        message:
          'The preview reaches the servers of this folder only. The page could load from this host and send it data, until you open another page.',
        choices: [{ id: 'open', label: 'Open page', variant: 'primary' }],
      })
      if (choice === 'open') await request('preview.open', { url, approved: true })
    }
  } catch (error) {
    if (isLatest()) usePreview.setState({ failure: toFailure(error) })
  } finally {
    if (isLatest()) usePreview.setState({ opening: false })
  }
}

export const go = (to: 'back' | 'forward' | 'reload') =>
  attempt(() => request('preview.go', { to }), 'The page could not be loaded')

/** Opens the page again, in a new browser. */
export function restartBrowser(): void {
  const { url } = usePreview.getState().page
  attempt(async () => {
    await request('preview.close', {})
    if (url !== null) await openAddress(url)
  }, 'The browser could not be restarted')
}

/** Shows a list below the page, or hides it. */
export function toggleList(list: LogList): void {
  usePreview.setState((state) => ({ list: state.list === list ? null : list, lines: [] }))
  loadLines()
}

const loads = new Latest()

function loadLines(): void {
  const { list } = usePreview.getState()
  if (list === null) return
  const isLatest = loads.begin()
  attempt(async () => {
    const log = await request('preview.log', {})
    if (isLatest()) usePreview.setState({ lines: log[list] })
  }, 'The messages of the page could not be loaded')
}

/** Starts picking an element of the page, or ends it. */
export function togglePicking(): void {
  if (usePreview.getState().picking) stopPicking()
  else usePreview.setState({ picking: true, target: null })
}

/** Ends picking. */
export function stopPicking(): void {
  usePreview.setState({ picking: false, target: null })
}

/** Attaches a picture of the page to the message that the user writes. */
export function attachScreenshot(): void {
  attempt(async () => {
    const { data } = await request('preview.screenshot', {})
    runCommand('chat.addPicture', new File([bytesOf(data)], 'page.png', { type: 'image/png' }))
  }, 'The screenshot could not be taken')
}

/** Decodes base64. */
export const bytesOf = (data: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
