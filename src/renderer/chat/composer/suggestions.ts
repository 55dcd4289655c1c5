import { isOutsideFile } from '../../../shared/files/outsideFiles.ts'
import type { SpecialMention } from '../../../shared/agent/attachments.ts'
import { mentionText } from '../../../shared/agent/mentions.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { fileIcon } from '../../ui/fileIcon.ts'
import { listOpenPaths } from '../../platform/editor/tabsStore.ts'
import { useMcp } from '../../platform/mcpStore.ts'
import { fuzzyMatch } from '../../platform/quickPick/fuzzyMatch.ts'
import { symbolIcon } from '../../ui/symbolIcon.ts'

/** A row of the suggestion menu. */
export interface Suggestion {
  id: string
  label: string
  detail: string
  icon: string
  /** Text that replaces the typed trigger, for example `@src/app.ts`. */
  insert: string
}

const limits = { files: 10, folders: 3, symbols: 6, open: 5, resources: 8 }

const contextSuggestions: readonly (Suggestion & { insert: `@${SpecialMention}` })[] = [
  {
    id: 'selection',
    label: 'Selection',
    detail: 'The selected text in the editor',
    icon: 'list-selection',
    insert: '@selection',
  },
  {
    id: 'problems',
    label: 'Problems',
    detail: 'Errors and warnings in open files',
    icon: 'warning',
    insert: '@problems',
  },
  { id: 'diff', label: 'Changes', detail: 'Changes since the last commit', icon: 'diff', insert: '@diff' },
  {
    id: 'terminal',
    label: 'Terminal',
    detail: 'Output of the latest command or terminal',
    icon: 'terminal',
    insert: '@terminal',
  },
]

/** Suggests mentions for the text after `@`, best first: editor context, folders, files by fuzzy match, and symbols. */
export async function mentionSuggestions(query: string): Promise<Suggestion[]> {
  const [path = '', symbol] = query.split('#')
  if (symbol !== undefined) return path === '' ? symbolsNamed(symbol) : symbolsIn(path, symbol)
  if (query === '') {
    const open = listOpenPaths().filter((path) => !isOutsideFile(path))
    const others = (await request('files.find', { query: '', limit: limits.files })).filter(
      (name) => !open.includes(name),
    )
    return [...contextSuggestions, ...[...open.slice(0, limits.open), ...others].map(fileSuggestion)]
  }
  const [files, symbols] = await Promise.all([
    request('files.find', { query, limit: 40 }),
    query.length < 2 ? [] : symbolsNamed(query),
  ])
  const shown = contextSuggestions.filter(({ label, insert }) =>
    [label, insert.slice(1)].some((name) => name.toLowerCase().startsWith(query.toLowerCase())),
  )
  return [
    ...shown,
    ...resourceSuggestions(query),
    ...folderSuggestions(query, files),
    ...files.slice(0, limits.files).map(fileSuggestion),
    ...symbols,
  ]
}

/** Suggests resources of MCP servers. The user completes the URI of a template. */
function resourceSuggestions(query: string): Suggestion[] {
  const servers = useMcp.getState().state?.servers ?? []
  return servers
    .flatMap(({ name: server, resources = [] }) => resources.map((resource) => ({ server, resource })))
    .filter(({ server, resource: { name, uri } }) => fuzzyMatch(query, `mcp:${server}/${uri} ${name}`))
    .slice(0, limits.resources)
    .map(({ server, resource: { name, uri, description, template } }) => {
      const complete = template ? uri.slice(0, uri.indexOf('{')) : uri
      return {
        id: `${server} ${uri}`,
        label: name,
        detail: [server, template ? uri : description].filter(Boolean).join(' · '),
        icon: 'plug',
        insert: mentionText({ server, uri: complete === '' ? uri : complete }),
      }
    })
}

function fileSuggestion(path: string): Suggestion {
  const slash = path.lastIndexOf('/')
  return {
    id: path,
    label: path.slice(slash + 1),
    detail: path.slice(0, Math.max(0, slash)),
    icon: fileIcon(path).icon,
    insert: mentionText({ path }),
  }
}

/** Suggests ancestor folders of the found files that match the query, shortest path first. */
function folderSuggestions(query: string, files: readonly string[]): Suggestion[] {
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
    .slice(0, limits.folders)
    .map((path) => ({
      ...fileSuggestion(path),
      id: `${path}/`,
      label: `${path.slice(path.lastIndexOf('/') + 1)}/`,
      icon: 'folder',
      insert: mentionText({ path }),
    }))
}

async function symbolsNamed(query: string): Promise<Suggestion[]> {
  if (query.trim() === '') return []
  const { symbols } = await request('code.symbols', { query, limit: limits.symbols, indexOnly: true })
  return symbols.map(({ name, container, kind, path, line }) =>
    symbolSuggestion(path, container === '' ? name : `${container}.${name}`, name, kind, line),
  )
}

async function symbolsIn(path: string, query: string): Promise<Suggestion[]> {
  const outline = await request('code.outline', { path, indexOnly: true })
  return (outline?.symbols ?? [])
    .filter(({ name }) => query === '' || fuzzyMatch(query, name))
    .slice(0, 20)
    .map(({ name, container, kind, line }) =>
      symbolSuggestion(path, container === '' ? name : `${container}.${name}`, name, kind, line),
    )
}

function symbolSuggestion(path: string, symbol: string, name: string, kind: string, line: number): Suggestion {
  // The mention syntax does not allow every symbol name. Refer to the others by line.
  const plain = /^[^\s"'<>|`]+$/.test(symbol) && !/[.,;:!?)\]}]$/.test(symbol)
  return {
    id: `${path}#${symbol}:${line}`,
    label: name,
    detail: path,
    icon: symbolIcon(kind).icon,
    insert: mentionText(plain ? { path, symbol } : { path, line }),
  }
}
