import { isRunning, thisProcess } from '../base/processIdentity.ts'
import type { QueuedAction, SeenTarget } from './reviewActions.ts'
import type { ReviewStore, StoredQueue } from './reviewStore.ts'
import type { ResolvedScope } from './reviewTypes.ts'

/** Keeps and undos that wait until a running call has ended. They are stored, because the process may end first. */
export interface QueuedActions {
  readonly size: number
  add(action: QueuedAction): void
  /** Takes the waiting actions. */
  take(): QueuedAction[]
  /** Takes the actions that dead processes left behind. */
  takeLeft(): QueuedAction[]
  /** Leaves the actions to the next process that opens the folder. */
  close(): void
}

/** @param key identifies this session in the store */
export function createQueuedActions(store: Pick<ReviewStore, 'queues' | 'setQueue'>, key: string): QueuedActions {
  let actions: QueuedAction[] = []
  const save = (process: StoredQueue['process']) =>
    store.setQueue(key, actions.length === 0 ? undefined : { process, actions: actions.map(packed) })
  return {
    get size() {
      return actions.length
    },
    add(action) {
      actions.push(action)
      save(thisProcess())
    },
    take() {
      const taken = actions
      actions = []
      if (taken.length > 0) save(null)
      return taken
    },
    takeLeft() {
      const left = store
        .queues()
        .filter((each) => each.key !== key && !(each.queue.process && isRunning(each.queue.process)))
      for (const each of left) store.setQueue(each.key, undefined)
      return left.flatMap(({ queue }) => queue.actions.map(unpacked))
    },
    close: () => save(null),
  }
}

function packed({ kind, scope, targets }: QueuedAction): StoredQueue['actions'][number] {
  return {
    kind,
    scope: 'turns' in scope ? { kind: scope.kind, turns: [...scope.turns] } : scope,
    // Revisions are only valid in one process.
    targets: targets === 'all' ? targets : targets.map(({ path, hunks, seen }): SeenTarget => ({ path, hunks, seen })),
  }
}

function unpacked({ kind, scope, targets }: StoredQueue['actions'][number]): QueuedAction {
  const resolved: ResolvedScope = 'turns' in scope ? { kind: scope.kind, turns: new Set(scope.turns) } : scope
  return { kind, scope: resolved, targets }
}
