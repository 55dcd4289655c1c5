import { request } from '../platform/bridge/bridge.ts'
import { openFile } from '../editor/editorActions.ts'
import { fileIcon } from '../ui/fileIcon.ts'
import { listOpenPaths, visibleFile } from '../platform/editor/tabsStore.ts'
import type { Position } from '../platform/editor/editorViews.ts'
import { fileSymbols, folderSymbols } from '../symbols/quickSymbols.ts'
import { quickPick, type QuickPickItem } from '../platform/quickPick.ts'
import { filterRows } from '../platform/quickPickRows.ts'

/** A picker item with the file, and optionally the position, that it opens. */
interface QuickOpenItem extends QuickPickItem {
  place: { path: string } & Partial<Position>
}

function fileItem(path: string): QuickOpenItem {
  const slash = path.lastIndexOf('/')
  const description = slash < 0 ? '' : path.slice(0, slash)
  return { id: path, label: path.slice(slash + 1), description, icon: fileIcon(path).icon, place: { path } }
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

async function symbolItems(query: string): Promise<QuickOpenItem[]> {
  const path = visibleFile()?.path
  if (path === undefined) return []
  const symbols = await fileSymbols(path)
  const byId = new Map(symbols.map((symbol) => [symbol.id, symbol]))
  return filterRows(query, symbols).flatMap(({ item }) => byId.get(item.id) ?? [])
}

/**
 * Opens the picker for files and symbols. A name finds files by fuzzy match and `name:12` goes to line 12, `@` lists
 * the symbols of the active file, and `#` finds symbols of the folder.
 */
export async function quickOpen(initialQuery = ''): Promise<void> {
  let targets: readonly QuickOpenItem[] = []
  let latestRequest = 0
  const choice = await quickPick({
    title: 'Go to',
    placeholder: 'File name (add :line to go to a line), @ for symbols in this file, # for symbols in the folder',
    empty: 'No matches. Type @ for symbols in this file or # for symbols in the folder.',
    initialQuery,
    async items(query) {
      const thisRequest = ++latestRequest
      const rest = query.slice(1).trim()
      const found = await (query.startsWith('@')
        ? symbolItems(rest)
        : query.startsWith('#')
          ? folderSymbols(rest)
          : fileItems(query))
      if (thisRequest === latestRequest) targets = found
      return found
    },
  })
  const place = targets.find(({ id }) => id === choice?.id)?.place
  if (place)
    await openFile(place.path, place.line === undefined ? undefined : { line: place.line, column: place.column ?? 1 })
}
