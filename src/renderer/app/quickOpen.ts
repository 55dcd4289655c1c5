import { request } from '../platform/bridge/bridge.ts'
import { openFile } from '../editor/editorActions.ts'
import { fileIcon } from '../ui/fileIcon.ts'
import { openPaths, visibleFile } from '../platform/editor/tabsStore.ts'
import type { Position } from '../platform/editor/editorViews.ts'
import { fileSymbols, folderSymbols } from '../symbols/quickSymbols.ts'
import { quickPick, type QuickPickItem } from '../platform/quickPick.ts'
import { filterRows } from '../platform/quickPickRows.ts'

/** A target: a file, or a place in a file. */
interface Target extends QuickPickItem {
  place: { path: string } & Partial<Position>
}

function fileTarget(path: string): Target {
  const slash = path.lastIndexOf('/')
  const description = slash < 0 ? '' : path.slice(0, slash)
  return { id: path, label: path.slice(slash + 1), description, icon: fileIcon(path).icon, place: { path } }
}

async function files(query: string): Promise<Target[]> {
  const [, name = '', line] = /^(.*?)(?::(\d*))?$/.exec(query) ?? []
  const toLine = (target: Target): Target =>
    line ? { ...target, place: { ...target.place, line: Number(line) } } : target
  if (name.trim() !== '')
    return (await request('files.find', { query: name, limit: 100 })).map((path) => toLine(fileTarget(path)))
  const open = openPaths().map(fileTarget)
  const others = (await request('files.find', { query: '', limit: 30 })).filter(
    (path) => !open.some(({ id }) => id === path),
  )
  return [
    ...open.map((item, index) => (index === 0 ? { ...item, heading: 'Open' } : item)),
    ...others.map((path, index) =>
      index === 0 && open.length > 0 ? { ...fileTarget(path), heading: 'Files' } : fileTarget(path),
    ),
  ].map(toLine)
}

async function symbolsHere(query: string): Promise<Target[]> {
  const path = visibleFile()?.path
  if (path === undefined) return []
  const symbols = await fileSymbols(path)
  const byId = new Map(symbols.map((symbol) => [symbol.id, symbol]))
  return filterRows(query, symbols).flatMap(({ item }) => byId.get(item.id) ?? [])
}

/**
 * Quick open as in VS Code: files by fuzzy name (`name:12` goes to a line; open files first), `@` for symbols of the
 * file, `#` for symbols of the folder.
 */
export async function quickOpen(initialQuery = ''): Promise<void> {
  let targets: readonly Target[] = []
  let asked = 0
  const choice = await quickPick({
    title: 'Go to',
    placeholder: 'A file name, add :line to go to a line. @ for symbols of this file, # for symbols of the folder',
    empty: 'Nothing matches. @ lists the symbols of this file, # finds symbols of the folder by name.',
    initialQuery,
    async items(query) {
      const mine = ++asked
      const rest = query.slice(1).trim()
      const found = await (query.startsWith('@')
        ? symbolsHere(rest)
        : query.startsWith('#')
          ? folderSymbols(rest)
          : files(query))
      if (mine === asked) targets = found
      return found
    },
  })
  const place = targets.find(({ id }) => id === choice?.id)?.place
  if (place)
    await openFile(place.path, place.line === undefined ? undefined : { line: place.line, column: place.column ?? 1 })
}
