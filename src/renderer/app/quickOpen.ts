import { on, request } from '../platform/bridge/bridge.ts'
import { openFile } from '../editor/openTab.ts'
import { activePath, listOpenPaths, visibleFile } from '../platform/editor/tabsStore.ts'
import type { Position } from '../platform/editor/editorViews.ts'
import { outlineOf, requestCode } from '../symbols/codeRequests.ts'
import { withIndexProgress } from '../../shared/language/indexProgress.ts'
import type { CodeSymbol } from '../../shared/language/codeNavigation.ts'
import { kindLabel, symbolIcon } from '../ui/symbolIcon.ts'
import { quickPick, updateQuickPick, type QuickPickItem } from '../platform/quickPick/quickPick.ts'
import { commandItems, goToLineItem, lineItems, runCommandItem } from './commandPalette.ts'
import { filterRows } from '../platform/quickPick/quickPickRows.ts'
import { Latest } from '../../shared/async/latest.ts'

/** A picker item with the file, and optionally the position, that it opens. */
interface QuickOpenItem extends QuickPickItem {
  place: { path: string } & Partial<Position>
}

function fileItem(path: string): QuickOpenItem {
  const slash = path.lastIndexOf('/')
  const description = slash < 0 ? '' : path.slice(0, slash)
  return { id: path, label: path.slice(slash + 1), description, file: { path, kind: 'file' }, place: { path } }
}

async function fileItems(query: string): Promise<QuickOpenItem[]> {
  const [, name = '', line] = /^(.*?)(?::(\d*))?$/.exec(query) ?? []
  const toLine = (target: QuickOpenItem): QuickOpenItem =>
    line ? { ...target, place: { ...target.place, line: Number(line) } } : target
  if (name.trim() !== '')
    return (await request('files.find', { query: name, limit: 100 })).map((path) => toLine(fileItem(path)))
  const open = listOpenPaths().map(fileItem)
  const others = (await request('files.find', { query: '', limit: 30 })).filter(
    (path) => !open.some(({ id }) => id === path),
  )
  return [
    ...open.map((item, index) => (index === 0 ? { ...item, heading: 'Open' } : item)),
    ...others.map((path, index) =>
      index === 0 && open.length > 0 ? { ...fileItem(path), heading: 'Files' } : fileItem(path),
    ),
  ].map(toLine)
}

interface ActionItem extends QuickPickItem {
  run: (toSide?: boolean) => void | Promise<void>
}

const openPlace = ({ place }: QuickOpenItem, toSide = false) =>
  openFile(place.path, place.line === undefined ? undefined : { line: place.line, column: place.column ?? 1 }, {
    toSide,
  })

const opening = (items: readonly QuickOpenItem[]): ActionItem[] =>
  items.map((item) => ({ ...item, run: (toSide) => openPlace(item, toSide) }))

/** A row that only shows a hint. */
const hint = (label: string, description?: string): ActionItem[] => [
  { id: 'hint', label, ...(description !== undefined && { description }), disabled: true, run: () => undefined },
]

function symbolItem(symbol: CodeSymbol, description: string): QuickOpenItem {
  const { icon, color } = symbolIcon(symbol.kind)
  return {
    id: symbol.id,
    label: symbol.name,
    description,
    detail: kindLabel(symbol.kind),
    icon,
    iconColor: color,
    place: { path: symbol.path, line: symbol.nameLine, column: symbol.nameColumn },
  }
}

/** Picker items for the symbols of a file, in text order. */
async function fileSymbols(path: string): Promise<QuickOpenItem[]> {
  const { symbols } = await outlineOf(path)
  return symbols.map((symbol) => symbolItem(symbol, symbol.container))
}

/**
 * Picker items for symbols in the folder by name, best first. While the index is being built, `building` describes the
 * progress, which is also the items' heading.
 */
async function folderSymbols(query: string): Promise<{ items: QuickOpenItem[]; building?: string }> {
  const { symbols, building } = await requestCode('code.symbols', { query })
  const heading = building ? withIndexProgress('The index is being built', building) : undefined
  const items = symbols.map((symbol, index) => ({
    ...symbolItem(symbol, [symbol.container, symbol.path].filter(Boolean).join(' · ')),
    ...(index === 0 && heading !== undefined ? { heading } : {}),
  }))
  return { items, ...(heading !== undefined && { building: heading }) }
}

async function symbolItems(query: string): Promise<ActionItem[]> {
  const path = visibleFile()?.path
  if (path === undefined) return hint('Open a file to list its symbols')
  const symbols = await fileSymbols(path)
  const byId = new Map(symbols.map((symbol) => [symbol.id, symbol]))
  return opening(filterRows(query, symbols).flatMap(({ item }) => byId.get(item.id) ?? []))
}

async function folderSymbolItems(query: string): Promise<ActionItem[]> {
  // No symbol matches an empty name, which would look as if the folder had none.
  if (query === '') return hint('Type the name of a function, class or other symbol')
  const { items, building } = await folderSymbols(query)
  if (items.length > 0 || building === undefined) return opening(items)
  // Otherwise an incomplete index would look as if the folder had no such symbol.
  return hint('No matches yet', building)
}

/** What each first character lists, as in VS Code. */
const prefixes: Readonly<Record<string, (rest: string) => ActionItem[] | Promise<ActionItem[]>>> = {
  '>': (rest) => filterRows(rest, commandItems()).map(({ item }) => ({ ...item, run: () => runCommandItem(item.id) })),
  '@': symbolItems,
  '#': folderSymbolItems,
  ':': (rest) =>
    activePath() === null
      ? hint('Open a file to go to a line in it')
      : lineItems(rest).map((item) => ({ ...item, run: () => goToLineItem(item.id) })),
}

/**
 * Opens the picker for files and more. A name finds files by fuzzy match, and `name:12` goes to line 12. `>` lists
 * commands, `@` symbols in the active file, `#` finds symbols in the folder, and `:12` goes to a line in the active
 * file.
 */
export async function quickOpen(initialQuery = ''): Promise<void> {
  let rows: readonly ActionItem[] = []
  const requests = new Latest()
  const title = 'Go to'
  async function items(query: string): Promise<readonly ActionItem[]> {
    const isLatest = requests.begin()
    const listed = prefixes[query.slice(0, 1)]
    const found = await (listed ? listed(query.slice(1).trim()) : fileItems(query).then(opening))
    if (isLatest()) rows = found
    return found
  }
  // The files of a folder that was just opened may not all be known yet.
  const stop = on('files.changed', ({ overflow }) => {
    if (overflow) updateQuickPick(title, (query) => items(query))
  })
  const choice = await quickPick({
    title,
    placeholder: 'File name (add :line), > commands, @ symbols in this file, # symbols in the folder, : line',
    empty: 'No matches. Start with > for commands, @ or # for symbols, or : for a line.',
    initialQuery,
    matched: (query) => (query.slice(0, 1) in prefixes ? query.slice(1) : query.replace(/:\d*$/, '')).trim(),
    items,
  })
  stop()
  await rows.find(({ id }) => id === choice?.id)?.run(choice?.toSide)
}
