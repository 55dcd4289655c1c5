/** Arrangement of editor groups: the id of a group, or arrangements in a row (`horizontal`) or column. */
export type GroupLayout = number | GroupLine

/** Has at least two children, and none of them has its own orientation. */
export interface GroupLine {
  orientation: 'horizontal' | 'vertical'
  children: readonly GroupLayout[]
}

export type SplitDirection = 'right' | 'down' | 'left' | 'up'

/** Returns the ids of the groups, from left to right and top to bottom. */
export function groupsIn(layout: GroupLayout): number[] {
  return typeof layout === 'number' ? [layout] : layout.children.flatMap(groupsIn)
}

/** Returns the layout with a new group beside another one. */
export function withSplit(layout: GroupLayout, group: number, added: number, direction: SplitDirection): GroupLayout {
  const orientation = direction === 'right' || direction === 'left' ? 'horizontal' : 'vertical'
  const after = direction === 'right' || direction === 'down' ? 1 : 0
  if (layout === group) return { orientation, children: after ? [group, added] : [added, group] }
  if (typeof layout === 'number') return layout
  const index = layout.children.indexOf(group)
  return index >= 0 && layout.orientation === orientation
    ? { orientation, children: layout.children.toSpliced(index + after, 0, added) }
    : { ...layout, children: layout.children.map((child) => withSplit(child, group, added, direction)) }
}

/** Returns the nearest group on the left or right of another one; undefined at the edge. */
export function neighborOf(layout: GroupLayout, group: number, direction: 'left' | 'right'): number | undefined {
  if (typeof layout === 'number') return undefined
  const index = layout.children.findIndex((child) => groupsIn(child).includes(group))
  const child = layout.children[index]
  const inner = child === undefined ? undefined : neighborOf(child, group, direction)
  if (inner !== undefined || layout.orientation === 'vertical') return inner
  const beside = layout.children[index + (direction === 'right' ? 1 : -1)]
  return beside === undefined ? undefined : edgeOf(beside, direction)
}

/** Returns the group that one meets first when coming from outside in a direction. */
function edgeOf(layout: GroupLayout, direction: 'left' | 'right'): number | undefined {
  if (typeof layout === 'number') return layout
  const isLast = layout.orientation === 'horizontal' && direction === 'left'
  const child = layout.children.at(isLast ? -1 : 0)
  return child === undefined ? undefined : edgeOf(child, direction)
}

/** Returns the layout of those of its groups for which `isKept` holds; null for none. */
export function layoutOf(layout: GroupLayout, isKept: (group: number) => boolean): GroupLayout | null {
  if (typeof layout === 'number') return isKept(layout) ? layout : null
  const { orientation } = layout
  const children = layout.children
    .flatMap((child) => layoutOf(child, isKept) ?? [])
    // A column that lost its other groups can leave a row in a row.
    .flatMap((child) => (typeof child !== 'number' && child.orientation === orientation ? child.children : [child]))
  return children.length > 1 ? { orientation, children } : (children[0] ?? null)
}

/** Returns the layout with other ids for its groups. */
export function withGroupIds(layout: GroupLayout, idOf: (group: number) => number): GroupLayout {
  return typeof layout === 'number'
    ? idOf(layout)
    : { ...layout, children: layout.children.map((child) => withGroupIds(child, idOf)) }
}

/** Returns a valid layout of exactly these groups from a stored one, or else a row. `groups`: at least one id. */
export function checkedLayout(stored: unknown, groups: readonly number[]): GroupLayout {
  const parsed = parse(stored, 0)
  const known = parsed === null ? null : layoutOf(parsed, (group) => groups.includes(group))
  const ids = known === null ? [] : groupsIn(known)
  if (known !== null && ids.length === groups.length && new Set(ids).size === ids.length) return known
  return groups.length === 1 && groups[0] !== undefined
    ? groups[0]
    : { orientation: 'horizontal', children: [...groups] }
}

/** Depth of nested rows and columns that is more than anyone makes. */
const maxDepth = 20

function parse(stored: unknown, depth: number): GroupLayout | null {
  if (typeof stored === 'number') return stored
  if (typeof stored !== 'object' || stored === null || depth > maxDepth) return null
  const { orientation, children } = stored as Partial<Record<keyof GroupLine, unknown>> // Both are checked below.
  if ((orientation !== 'horizontal' && orientation !== 'vertical') || !Array.isArray(children)) return null
  return { orientation, children: children.flatMap((child) => parse(child, depth + 1) ?? []) }
}
