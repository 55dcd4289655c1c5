import type { SessionRow, SessionState } from '../../shared/agent/sessionRows.ts'

export interface SessionGroup {
  /** For a task: the first line of its prompt. */
  title: string
  /** Id of the task that its sessions try. */
  task?: string
  rows: readonly SessionRow[]
}

/** Label, icon and color token of each state. */
export const stateTexts: Readonly<Record<SessionState, { label: string; icon: string; color: string }>> = {
  working: { label: 'Working', icon: 'loading', color: 'var(--color-accent)' },
  approval: { label: 'Needs approval', icon: 'bell-dot', color: 'var(--color-warning)' },
  asking: { label: 'Asks you', icon: 'question', color: 'var(--color-warning)' },
  done: { label: 'Done', icon: 'pass', color: 'var(--color-success)' },
  stopped: { label: 'Stopped', icon: 'debug-stop', color: 'var(--color-text-muted)' },
  failed: { label: 'Failed', icon: 'error', color: 'var(--color-danger)' },
  outOfContext: { label: 'Out of context', icon: 'warning', color: 'var(--color-danger)' },
  idle: { label: 'Not started', icon: 'circle-outline', color: 'var(--color-text-muted)' },
}

/** Returns the last part of a folder's path, or the name of a workspace. */
export function folderName({ folder, workspace, worktree }: SessionRow): string {
  const root = worktree?.origin ?? folder
  if (workspace !== undefined && worktree === null) return workspace
  return root.slice(Math.max(root.lastIndexOf('/'), root.lastIndexOf('\\')) + 1) || root
}

/** Whether a session contains all words of a filter in its title, folder, branch or state. */
function matches(row: SessionRow, words: readonly string[]): boolean {
  const text = [row.title, folderName(row), row.branch ?? '', row.worktree?.name ?? '', stateTexts[row.state].label]
    .join('\n')
    .toLowerCase()
  return words.every((word) => text.includes(word))
}

const needsUser: ReadonlySet<SessionState> = new Set<SessionState>(['approval', 'asking'])

/**
 * Groups the sessions that match a filter: those that need the user first, also if they are archived. The one that has
 * waited longest is the first of them, so that a new one does not move the others from under the pointer. The sessions
 * that try a task are a group of their own, except those that need the user.
 */
export function groupSessions(rows: readonly SessionRow[], filter: string, archived: boolean): SessionGroup[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  const found = rows.filter((row) => matches(row, words)).toSorted(byUse)
  const waiting = found.filter(({ state }) => needsUser.has(state)).toSorted(byWaiting)
  const tasks = taskGroups(found.filter((row) => !needsUser.has(row.state) && !row.archived))
  const tried = new Set(tasks.flatMap((group) => group.rows))
  const working = found.filter((row) => row.state === 'working' && !tried.has(row))
  const others = found.filter((row) => row.state !== 'working' && !needsUser.has(row.state) && !tried.has(row))
  const rest = others.filter((row) => !row.archived)
  const groups: SessionGroup[] = [
    { title: 'Needs you', rows: waiting },
    ...tasks,
    { title: 'Working', rows: working },
    { title: 'Pinned', rows: rest.filter(({ pinned }) => pinned) },
    { title: 'Recent', rows: rest.filter(({ pinned }) => !pinned) },
    { title: 'Archived', rows: archived ? others.filter((row) => row.archived) : [] },
  ]
  return groups.filter((group) => group.rows.length > 0)
}

/** Groups sessions by the task that they try, the latest task first. */
function taskGroups(rows: readonly SessionRow[]): SessionGroup[] {
  const groups = new Map<string, { title: string; task: string; rows: SessionRow[] }>()
  for (const row of rows) {
    const tried = row.worktree?.try
    if (!tried) continue
    const [title = ''] = tried.title.split('\n')
    const group = groups.get(tried.task) ?? { title, task: tried.task, rows: [] }
    group.rows.push(row)
    groups.set(tried.task, group)
  }
  const numberOf = (row: SessionRow) => row.worktree?.try?.number ?? 0
  return [...groups.values()].map((group) => ({
    ...group,
    rows: group.rows.toSorted((one, other) => numberOf(one) - numberOf(other)),
  }))
}

function byWaiting(one: SessionRow, other: SessionRow): number {
  const waitsSince = ({ approvals, since }: SessionRow) => approvals[0]?.requestedAt ?? since
  return waitsSince(one) - waitsSince(other)
}

function byUse(one: SessionRow, other: SessionRow): number {
  return Number(other.pinned) - Number(one.pinned) || other.since - one.since
}
