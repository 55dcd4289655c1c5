import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { create } from 'zustand'
import type { OutlineSymbol } from '../../shared/language/codeNavigation.ts'
import { request } from '../platform/bridge/bridge.ts'
import { documentSymbols } from '../platform/editor/documentSymbols.ts'
import { useEditorStatus, viewOf } from '../platform/editor/editorViews.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { attempt } from '../platform/notices.ts'
import { quickPick, type QuickPickItem } from '../platform/quickPick/quickPick.ts'
import { Icon } from '../ui/index.ts'
import { FileIcon } from '../ui/FileIcon.tsx'
import { kindLabel, symbolIcon } from '../ui/symbolIcon.ts'
import { pathCrumbs, siblings, symbolTrail, type PathCrumb } from './breadcrumbs.ts'
import { openFile } from './openTab.ts'
import { Delayer } from '../../shared/async/delayer.ts'

/** Milliseconds without typing before the symbols are loaded again. */
const typingDelay = 400

/** Whether the active group's breadcrumbs should take the focus. */
export const useBreadcrumbFocus = create<{ requested: boolean }>(() => ({ requested: false }))

/** A file's symbols. Keeps the previous ones while new ones load after an edit. */
function useSymbols(path: string): readonly OutlineSymbol[] {
  const [loaded, setLoaded] = useState<{ path: string; symbols: readonly OutlineSymbol[] }>({ path, symbols: [] })
  useEffect(() => {
    let current = true
    const load = () =>
      void documentSymbols(path).then(
        (symbols) => current && setLoaded({ path, symbols }),
        // Without symbols, the breadcrumbs show only the path. The outline shows the error.
        () => undefined,
      )
    const reload = new Delayer(load, typingDelay)
    const stop = documents.buffer(path)?.onChange(() => reload.restart())
    load()
    return () => {
      current = false
      reload.cancel()
      stop?.()
    }
  }, [path])
  return loaded.path === path ? loaded.symbols : []
}

/** Returns the cursor's line in a group. Only the active group's is tracked, so other groups keep their last one. */
function useCursorLine(groupId: number, active: boolean): number {
  const activeLine = useEditorStatus(({ cursor }) => cursor?.line)
  const last = useRef<number | null>(null)
  // Only once: a long notebook counts all its lines.
  last.current ??= viewOf(groupId)?.cursor().line ?? 1
  if (active && activeLine !== undefined) last.current = activeLine
  return last.current
}

/** Asks for an entry of a folder. A subfolder opens another picker. */
async function pickEntry(folder: string, current: string): Promise<void> {
  const entries = await request('files.list', { path: folder === '' ? '.' : folder })
  const items = entries.map(({ name, path, type, directory }): QuickPickItem => {
    const isFolder = type === 'directory' || directory
    return { id: path, label: name, file: { path, kind: isFolder ? 'folder' : 'file' }, current: path === current }
  })
  const choice = await quickPick({
    title: folder === '' ? 'Files in the open folder' : `Files in ${folder}`,
    placeholder: 'Type a name',
    empty: 'No file matches.',
    items,
  })
  const chosen = entries.find(({ path }) => path === choice?.id)
  if (!chosen) return
  if (chosen.type === 'directory' || chosen.directory) await pickEntry(chosen.path, current)
  else await openFile(chosen.path, undefined, { preview: true })
}

/** Asks for a symbol with the same parent and goes to it. */
async function pickSymbol(symbols: readonly OutlineSymbol[], symbol: OutlineSymbol): Promise<void> {
  const rows = siblings(symbols, symbol)
  const choice = await quickPick({
    title: symbol.container === '' ? 'Symbols in this file' : `Symbols in ${symbol.container}`,
    placeholder: 'Type a name',
    empty: 'No symbol matches.',
    items: rows.map(({ id, name, kind }) => ({
      id,
      label: name,
      description: kindLabel(kind),
      icon: symbolIcon(kind).icon,
      iconColor: symbolIcon(kind).color,
      current: id === symbol.id,
    })),
  })
  const chosen = rows.find(({ id }) => id === choice?.id)
  if (chosen) await openFile(chosen.path, { line: chosen.nameLine, column: chosen.nameColumn }, { preview: true })
}

/** Moves the focus within the breadcrumbs, or back to the text. */
function onKeyDown(event: KeyboardEvent<HTMLElement>, groupId: number): void {
  if (event.ctrlKey || event.altKey || event.metaKey) return
  const crumbs = [...event.currentTarget.querySelectorAll<HTMLElement>('button')]
  const at = crumbs.findIndex((crumb) => crumb === document.activeElement)
  if (event.key === 'ArrowRight') crumbs[Math.min(at + 1, crumbs.length - 1)]?.focus()
  else if (event.key === 'ArrowLeft') crumbs[Math.max(at - 1, 0)]?.focus()
  else if (event.key === 'Home') crumbs[0]?.focus()
  else if (event.key === 'End') crumbs.at(-1)?.focus()
  else if (event.key === 'ArrowDown') crumbs[at]?.click()
  else if (event.key === 'Escape') viewOf(groupId)?.focus()
  else return
  event.preventDefault()
}

interface BreadcrumbsProps {
  groupId: number
  path: string
  active: boolean
}

/** The file's path and the symbols around the cursor. Each opens a picker with its siblings. */
export function Breadcrumbs({ groupId, path, active }: BreadcrumbsProps) {
  const symbols = useSymbols(path)
  const trail = symbolTrail(symbols, useCursorLine(groupId, active))
  const nav = useRef<HTMLElement>(null)
  const focusRequested = useBreadcrumbFocus((state) => state.requested)
  useEffect(() => {
    if (!focusRequested || !active) return
    useBreadcrumbFocus.setState({ requested: false })
    ;[...(nav.current?.querySelectorAll('button') ?? [])].at(-1)?.focus()
  }, [focusRequested, active])
  const crumbs = pathCrumbs(path)
  return (
    <nav
      ref={nav}
      className="editor-breadcrumbs"
      aria-label="Breadcrumbs"
      onKeyDown={(event) => onKeyDown(event, groupId)}
    >
      <ol>
        {crumbs.map((crumb) => (
          <PathButton key={crumb.path} crumb={crumb} last={trail.length === 0 && crumb === crumbs.at(-1)} />
        ))}
        {trail.map((symbol, index) => {
          const { icon, color } = symbolIcon(symbol.kind)
          return (
            <li key={symbol.id}>
              <button
                type="button"
                className="editor-breadcrumb"
                tabIndex={index === trail.length - 1 ? 0 : -1}
                aria-label={`${symbol.name}, ${kindLabel(symbol.kind)}`}
                title={symbol.signature}
                onClick={() => attempt(() => pickSymbol(symbols, symbol))}
              >
                <Icon name={icon} color={color} />
                <span>{symbol.name}</span>
              </button>
            </li>
          )
        })}
      </ol>
    </nav>
  )
}

function PathButton({ crumb: { name, path, folder }, last }: { crumb: PathCrumb; last: boolean }) {
  const slash = path.lastIndexOf('/')
  return (
    <li>
      <button
        type="button"
        className="editor-breadcrumb"
        tabIndex={last ? 0 : -1}
        title={path}
        onClick={() => attempt(() => pickEntry(slash < 0 ? '' : path.slice(0, slash), path))}
      >
        {!folder && <FileIcon path={path} />}
        <span>{name}</span>
      </button>
    </li>
  )
}
