import type { SpecialMention } from '../../../shared/attachments.ts'
import { mentionText } from '../../../shared/mentions.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { fileIcon } from '../../ui/fileIcon.ts'
import { openPaths } from '../../platform/editor/tabsStore.ts'
import { fuzzyMatch } from '../../platform/fuzzyMatch.ts'
import { symbolKindIcon } from '../../platform/toolCalls/symbolKindIcon.ts'

/** A row of the menu over the composer. */
export interface Suggestion {
  id: string
  label: string
  detail: string
  icon: string
  /** Stands in the message in place of what was typed. */
  insert: string
}

const most = { files: 10, folders: 3, symbols: 6, open: 5 }

const special: readonly (Suggestion & { insert: `@${SpecialMention}` })[] = [
  {
    id: 'selection',
    label: 'Selection',
    detail: 'What is selected in the editor',
    icon: 'list-selection',
    insert: '@selection',
  },
  { id: 'problems', label: 'Problems', detail: 'What is marked in open files', icon: 'warning', insert: '@problems' },
  { id: 'diff', label: 'Changes', detail: 'Against the last commit', icon: 'diff', insert: '@diff' },
  {
    id: 'terminal',
    label: 'Terminal',
    detail: 'Output of the latest command or terminal',
    icon: 'terminal',
    insert: '@terminal',
  },
]

/** What `@` and a few letters may mean, best first: files and folders by fuzzy name, symbols by name, and what the window shows. */
export async function mentionSuggestions(query: string): Promise<Suggestion[]> {
  const [path = '', symbol] = query.split('#')
  if (symbol !== undefined) return path === '' ? symbolsNamed(symbol) : symbolsIn(path, symbol)
  if (query === '') {
    const others = (await request('files.find', { query: '', limit: most.files })).filter(
      (name) => !openPaths().includes(name),
    )
    return [...special, ...[...openPaths().slice(0, most.open), ...others].map(file)]
  }
  const [files, symbols] = await Promise.all([
    request('files.find', { query, limit: 40 }),
    query.length < 2 ? [] : symbolsNamed(query),
  ])
  const shown = special.filter(({ label, insert }) =>
    [label, insert.slice(1)].some((name) => name.toLowerCase().startsWith(query.toLowerCase())),
  )
  return [...shown, ...folders(query, files), ...files.slice(0, most.files).map(file), ...symbols]
}

function file(path: string): Suggestion {
  const slash = path.lastIndexOf('/')
  return {
    id: path,
    label: path.slice(slash + 1),
    detail: path.slice(0, Math.max(0, slash)),
    icon: fileIcon(path).icon,
    insert: mentionText({ path }),
  }
}

/** Folders above the found files whose own name has the letters. */
function folders(query: string, files: readonly string[]): Suggestion[] {
  const wanted = query.toLowerCase().replace(/\/$/, '')
  const above = files.flatMap((path) => {
    const parts = path.split('/').slice(0, -1)
    return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
  })
  const matching = [...new Set(above)].filter(
    (path) =>
      path.toLowerCase().endsWith(wanted) ||
      path
        .slice(path.lastIndexOf('/') + 1)
        .toLowerCase()
        .startsWith(wanted),
  )
  return matching
    .toSorted((a, b) => a.length - b.length)
    .slice(0, most.folders)
    .map((path) => ({
      ...file(path),
      id: `${path}/`,
      label: `${path.slice(path.lastIndexOf('/') + 1)}/`,
      icon: 'folder',
      insert: mentionText({ path }),
    }))
}

async function symbolsNamed(query: string): Promise<Suggestion[]> {
  if (query.trim() === '') return []
  const { symbols } = await request('code.symbols', { query, limit: most.symbols })
  return symbols.map(({ name, container, kind, path, line }) =>
    symbolRow(path, container === '' ? name : `${container}.${name}`, name, kind, line),
  )
}

async function symbolsIn(path: string, query: string): Promise<Suggestion[]> {
  const { symbols } = await request('code.outline', { path })
  return symbols
    .filter(({ name }) => query === '' || fuzzyMatch(query, name))
    .slice(0, 20)
    .map(({ name, container, kind, line }) =>
      symbolRow(path, container === '' ? name : `${container}.${name}`, name, kind, line),
    )
}

function symbolRow(path: string, symbol: string, name: string, kind: string, line: number): Suggestion {
  // A symbol of a name that cannot stand in a mention is named by its lines.
  const plain = /^[^\s"'<>|`]+$/.test(symbol) && !/[.,;:!?)\]}]$/.test(symbol)
  return {
    id: `${path}#${symbol}:${line}`,
    label: name,
    detail: path,
    icon: symbolKindIcon(kind),
    insert: mentionText(plain ? { path, symbol } : { path, line }),
  }
}
