import { create, type StoreApi, type UseBoundStore } from 'zustand'
import type { DebugScope, DebugValue, DebugVariable } from '../../../shared/debug/debug.ts'
import { toFailure } from '../../../shared/errors.ts'
import { request } from '../../platform/bridge/bridge.ts'

/** A value in a tree: a scope, a variable, the result of an expression, or a range of a long array. */
export interface ValueNode {
  /** The names from the root. Unique in its tree, and the same after a step, unlike references. */
  key: string
  kind: 'scope' | 'variable' | 'result' | 'range'
  name: string
  value: string
  type?: string
  /** Reference of its children; 0 if it has none. */
  reference: number
  indexed?: number
  named?: number
  evaluateName?: string
  readOnly: boolean
  /** Reference of the value that contains it, in which it can be set. */
  container?: number
  /** Elements of a range. */
  range?: { start: number; count: number }
  /** Whether it is expanded until the user collapses it. */
  open?: boolean
  /** Whether `value` is the message of an error. */
  failed?: boolean
  /** Whether there is no value because the program is running. `value` then says so. */
  unavailable?: boolean
}

/** State of a value's children. `next`: index of the first child on the next page. */
export type Children =
  | { state: 'loading' }
  | { state: 'failed'; message: string }
  | { state: 'loaded'; nodes: readonly ValueNode[]; next?: number }

export interface ValueTreeState {
  /** The session that the references belong to. */
  sessionId: string | null
  roots: readonly ValueNode[]
  /** By key of the parent. */
  children: ReadonlyMap<string, Children>
  /** Values that the user expanded or collapsed, by key. Survives steps and sessions. */
  toggled: ReadonlyMap<string, boolean>
  /** Values at the previous stop in the same function, by key. */
  previous: ReadonlyMap<string, string>
}

export type ValueRow =
  | { kind: 'value'; id: string; depth: number; node: ValueNode; expanded: boolean | null; changed: boolean }
  | { kind: 'more'; id: string; depth: number; parent: ValueNode }
  | { kind: 'note'; id: string; depth: number; text: string; failed: boolean }

/** Children per request, and elements per range. */
const pageSize = 100
/** Maximum number of pages that are reloaded after a step. */
const maxReloads = 200
const maxToggled = 2000
const maxPlaces = 50

/** Separates the names of a key. No debugger uses it in a name. */
const separator = '\u001f'

export function scopeNode(scope: DebugScope, open: boolean): ValueNode {
  const { name, reference, named, indexed } = scope
  return {
    key: name,
    kind: 'scope',
    name,
    value: '',
    reference,
    readOnly: true,
    open,
    ...(named !== undefined && { named }),
    ...(indexed !== undefined && { indexed }),
  }
}

/** Creates a root node for the value of an expression. */
export function resultNode(key: string, name: string, result: DebugValue | { failure: string }): ValueNode {
  const common = { key, kind: 'result', name, readOnly: true } as const
  if ('failure' in result) return { ...common, value: result.failure, reference: 0, failed: true }
  return { ...common, evaluateName: name, ...result }
}

/** Converts variables to nodes. Names that occur several times get different keys. */
function variableNodes(parent: ValueNode, variables: readonly DebugVariable[], used: Set<string>): ValueNode[] {
  return variables.map((variable) => {
    let key = `${parent.key}${separator}${variable.name}`
    for (let copy = 2; used.has(key); copy += 1) key = `${parent.key}${separator}${variable.name}${separator}${copy}`
    used.add(key)
    return { ...variable, key, kind: 'variable', container: parent.reference }
  })
}

/**
 * Pure: splits elements into at most `pageSize` ranges, whose length is a power of `pageSize`.
 * @returns none if they fit on a page
 */
export function rangesOf(parent: ValueNode, start: number, count: number): ValueNode[] {
  if (count <= pageSize) return []
  let length = pageSize
  while (Math.ceil(count / length) > pageSize) length *= pageSize
  return Array.from({ length: Math.ceil(count / length) }, (_, index) => {
    const first = start + index * length
    const size = Math.min(length, start + count - first)
    const name = `[${first}…${first + size - 1}]`
    return {
      key: `${parent.key}${separator}${name}`,
      kind: 'range',
      name,
      value: '',
      reference: parent.reference,
      readOnly: true,
      range: { start: first, count: size },
    }
  })
}

const hasChildren = (node: ValueNode): boolean => node.reference > 0

/** Loads the first page of a value's children. Never throws. */
async function loadChildren(sessionId: string, node: ValueNode): Promise<Children> {
  const { reference, range, indexed = 0, named = 0 } = node
  const used = new Set<string>()
  try {
    if (range) {
      const ranges = rangesOf(node, range.start, range.count)
      if (ranges.length > 0) return { state: 'loaded', nodes: ranges }
      const elements = await request('debug.variables', { sessionId, reference, filter: 'indexed', ...range })
      return { state: 'loaded', nodes: variableNodes(node, elements, used) }
    }
    const ranges = rangesOf(node, 0, indexed)
    if (ranges.length > 0) {
      const members =
        named === 0
          ? []
          : await request('debug.variables', { sessionId, reference, filter: 'named', start: 0, count: pageSize })
      return { state: 'loaded', nodes: [...variableNodes(node, members, used), ...ranges] }
    }
    return await loadPage(sessionId, node, [], 0)
  } catch (error) {
    return { state: 'failed', message: toFailure(error).message }
  }
}

/** Loads the page of children from `start`. Another page may follow a full one. */
async function loadPage(
  sessionId: string,
  node: ValueNode,
  known: readonly ValueNode[],
  start: number,
): Promise<Children> {
  const page = await request('debug.variables', { sessionId, reference: node.reference, start, count: pageSize })
  // A debugger without paging sends the same children again.
  const isRepeated = start > 0 && page[0]?.name === known[0]?.name && page.at(-1)?.name === known[pageSize - 1]?.name
  const added = isRepeated ? [] : variableNodes(node, page, new Set(known.map(({ key }) => key)))
  return {
    state: 'loaded',
    nodes: [...known, ...added],
    ...(added.length >= pageSize && { next: start + pageSize }),
  }
}

const isOpen = (toggled: ReadonlyMap<string, boolean>, node: ValueNode): boolean =>
  hasChildren(node) && (toggled.get(node.key) ?? node.open ?? false)

/** Pure: the visible rows of a tree, from top to bottom. */
export function valueRows(
  { children, toggled, previous }: Omit<ValueTreeState, 'roots' | 'sessionId'>,
  roots: readonly ValueNode[],
  depth = 1,
): ValueRow[] {
  const rows: ValueRow[] = []
  const visit = (node: ValueNode, level: number): void => {
    const own = children.get(node.key)
    const expanded = hasChildren(node) ? isOpen(toggled, node) && own !== undefined : null
    const before = previous.get(node.key)
    const changed = before !== undefined && before !== node.value && node.failed !== true
    rows.push({ kind: 'value', id: node.key, depth: level, node, expanded, changed })
    if (expanded !== true || own === undefined) return
    const below = { depth: level + 1 }
    const id = `${node.key}${separator}${separator}`
    if (own.state === 'loading') rows.push({ kind: 'note', id, ...below, text: 'Loading…', failed: false })
    else if (own.state === 'failed') rows.push({ kind: 'note', id, ...below, text: own.message, failed: true })
    else {
      if (own.nodes.length === 0) rows.push({ kind: 'note', id, ...below, text: 'Empty', failed: false })
      for (const child of own.nodes) visit(child, level + 1)
      if (own.next !== undefined) rows.push({ kind: 'more', id, ...below, parent: node })
    }
  }
  for (const root of roots) visit(root, depth)
  return rows
}

/** Roots of a tree, and the stop at which they were read. */
export interface NewRoots {
  sessionId: string
  roots: readonly ValueNode[]
  /** Identifies the function, so that its values are compared between stops. */
  place: string
  /** Identifies the stop. */
  stop: string
  isCurrent: () => boolean
}

export interface ValueTree {
  use: UseBoundStore<StoreApi<ValueTreeState>>
  /** Loads all expanded values, then shows the new roots at once. */
  replace(next: NewRoots): Promise<void>
  clear(): void
  toggle(node: ValueNode): Promise<void>
  loadMore(node: ValueNode): Promise<void>
}

/**
 * A tree whose values are loaded when they are expanded, a page at a time.
 * @param sessionOf returns the session of a root's key if the tree has several. Default: that of the state
 */
export function createValueTree(sessionOf?: (key: string) => string | undefined): ValueTree {
  const initial: ValueTreeState = {
    sessionId: null,
    roots: [],
    children: new Map(),
    toggled: new Map(),
    previous: new Map(),
  }
  const use = create<ValueTreeState>()(() => initial)
  /** Values of the last stop and of the one before, by place. */
  const places = new Map<string, { stop: string; values: Map<string, string>; before: Map<string, string> }>()
  let current: Map<string, string> | null = null

  function remember(nodes: readonly ValueNode[]): void {
    for (const { key, value } of nodes) current?.set(key, value)
  }

  function enter(place: string, stop: string): Map<string, string> {
    const entry = places.get(place)
    const before = entry === undefined ? new Map<string, string>() : entry.stop === stop ? entry.before : entry.values
    current = new Map()
    places.delete(place)
    places.set(place, { stop, values: current, before })
    const [oldest] = places.keys()
    if (places.size > maxPlaces && oldest !== undefined) places.delete(oldest)
    return before
  }

  function setChildren(key: string, own: Children): void {
    use.setState(({ children }) => ({ children: new Map(children).set(key, own) }))
    if (own.state === 'loaded') remember(own.nodes)
  }

  /** Shows the result of a request, unless the tree has been replaced in the meantime. */
  async function show(node: ValueNode, load: (sessionId: string) => Promise<Children>): Promise<void> {
    const sessionId = sessionOf?.(node.key) ?? use.getState().sessionId
    if (sessionId === null) return
    const { roots } = use.getState()
    const loaded = await load(sessionId)
    if (sessionOf !== undefined || use.getState().roots === roots) setChildren(node.key, loaded)
  }

  return {
    use,
    async replace({ sessionId, roots, place, stop, isCurrent }) {
      const { toggled } = use.getState()
      const children = new Map<string, Children>()
      let left = maxReloads
      const visit = async (node: ValueNode): Promise<void> => {
        if (!isOpen(toggled, node) || left <= 0) return
        left -= 1
        const own = await loadChildren(sessionId, node)
        children.set(node.key, own)
        if (own.state === 'loaded') await Promise.all(own.nodes.map(visit))
      }
      await Promise.all(roots.map(visit))
      if (!isCurrent()) return
      const previous = enter(place, stop)
      remember(roots)
      for (const own of children.values()) if (own.state === 'loaded') remember(own.nodes)
      use.setState({ sessionId, roots, children, previous })
    },
    clear: () => use.setState({ sessionId: null, roots: [], children: new Map(), previous: new Map() }),
    async toggle(node) {
      const { toggled, children } = use.getState()
      if (!hasChildren(node)) return
      const own = children.get(node.key)
      const opens = !isOpen(toggled, node) || own === undefined
      const kept = new Map([...toggled].slice(-maxToggled))
      kept.delete(node.key)
      use.setState({ toggled: kept.set(node.key, opens) })
      if (!opens || (own !== undefined && own.state !== 'failed')) return
      setChildren(node.key, { state: 'loading' })
      await show(node, (sessionId) => loadChildren(sessionId, node))
    },
    async loadMore(node) {
      const own = use.getState().children.get(node.key)
      if (own?.state !== 'loaded' || own.next === undefined) return
      const { nodes, next } = own
      await show(node, (sessionId) => loadPage(sessionId, node, nodes, next))
    },
  }
}
