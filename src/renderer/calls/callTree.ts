import type { CallHierarchy, CallHierarchyItem } from '../../shared/language/codeNavigation.ts'

/** A function in a call hierarchy tree. Its children load when it is expanded. */
export interface CallNode {
  id: string
  /** Id of the parent node; null for the root. */
  parent: string | null
  item: CallHierarchyItem
  /** Positions of the calls, in the caller's file. Empty for the root. */
  ranges: CallHierarchy['calls'][number]['ranges']
  certain: boolean
  /** `repeated`: the function is also an ancestor, so the calls are recursive. */
  state: 'folded' | 'loading' | 'open' | 'leaf' | 'repeated' | 'failed'
  /** Ids of the child nodes; null before they are loaded. */
  children: readonly string[] | null
  /** Number of functions that are not listed. */
  more: number
}

export type CallTree = ReadonlyMap<string, CallNode>

export interface CallRow {
  node: CallNode
  depth: number
}

export const rootId = '0'

const placeOf = ({ path, range }: CallHierarchyItem): string => `${range.startLine}:${range.startColumn} ${path}`

/** Pure: starts a tree with a function and its calls. */
export function newTree(hierarchy: CallHierarchy): CallTree {
  const root: CallNode = {
    id: rootId,
    parent: null,
    item: hierarchy.item,
    ranges: [],
    certain: true,
    state: 'folded',
    children: null,
    more: 0,
  }
  return withCalls(new Map([[rootId, root]]), rootId, hierarchy)
}

/** Pure: adds the loaded children of a node. */
export function withCalls(
  tree: CallTree,
  id: string,
  { calls, more }: Pick<CallHierarchy, 'calls' | 'more'>,
): CallTree {
  const node = tree.get(id)
  if (!node) return tree
  const above = new Set<string>()
  for (let at: CallNode | undefined = node; at; at = at.parent === null ? undefined : tree.get(at.parent))
    above.add(placeOf(at.item))
  const children = calls.map(({ item, ranges, certain }, index): CallNode => {
    // Calls at the top level of a file have no callers, and libraries are not searched.
    const last = item.library !== undefined || item.kind === 'module'
    const state = above.has(placeOf(item)) ? 'repeated' : last ? 'leaf' : 'folded'
    return { id: `${id}.${index}`, parent: id, item, ranges, certain, state, children: null, more: 0 }
  })
  const state = children.length === 0 && id !== rootId ? 'leaf' : 'open'
  return new Map([
    ...tree,
    [id, { ...node, state, children: children.map((child) => child.id), more }],
    ...children.map((child) => [child.id, child] as const),
  ])
}

export function withState(tree: CallTree, id: string, state: CallNode['state']): CallTree {
  const node = tree.get(id)
  return node ? new Map([...tree, [id, { ...node, state }]]) : tree
}

/** Pure: the visible rows, from top to bottom. */
export function callRows(tree: CallTree): CallRow[] {
  const rows: CallRow[] = []
  const waiting: CallRow[] = []
  const push = (id: string, depth: number): void => {
    const node = tree.get(id)
    if (node) waiting.push({ node, depth })
  }
  push(rootId, 0)
  for (let row = waiting.pop(); row; row = waiting.pop()) {
    rows.push(row)
    if (row.node.state !== 'open') continue
    for (const id of (row.node.children ?? []).toReversed()) push(id, row.depth + 1)
  }
  return rows
}

/** Pure: returns the target of a row: a caller's call, or a called function. */
export function targetOf(
  { item, ranges }: CallNode,
  direction: 'incoming' | 'outgoing',
): { line: number; column: number } {
  const { startLine, startColumn } = (direction === 'incoming' ? ranges[0] : undefined) ?? item.range
  return { line: startLine, column: startColumn }
}
