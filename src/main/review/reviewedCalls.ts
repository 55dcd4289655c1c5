import { hash, randomUUID } from 'node:crypto'
import { toFailure } from '../../shared/errors.ts'
import { log } from '../base/log/log.ts'
import { thisProcess } from '../base/processIdentity.ts'
import { mayChangePath, mayCommit, type ActiveCall } from './activeCalls.ts'
import type { ChangesBetweenCalls } from './changesBetweenCalls.ts'
import { maxScanMs, type ReadBeforeCalls } from './readBeforeCalls.ts'
import type { CallOrigin, ReviewedCall, UnsavedWrite } from './reviewTypes.ts'
import type { SessionParts } from './sessionParts.ts'
import type { UserChanges } from './userChanges.ts'

/** Records what each agent call changes, compared with the files before it. */
export class ReviewedCalls {
  readonly #parts: SessionParts
  readonly #reads: ReadBeforeCalls
  readonly #between: ChangesBetweenCalls
  readonly #userChanges: UserChanges
  /** Whether reading the folder took too long. */
  #tooLarge = false

  constructor(parts: SessionParts, reads: ReadBeforeCalls, between: ChangesBetweenCalls, userChanges: UserChanges) {
    this.#parts = parts
    this.#reads = reads
    this.#between = between
    this.#userChanges = userChanges
  }

  /** See `Review.begin`. */
  async begin(origin: CallOrigin): Promise<ReviewedCall> {
    const call: ActiveCall = { ...origin, tabs: new Map(), observed: false, ended: false, key: randomUUID() }
    const { deps, folder, operations, active, queued } = this.#parts
    await operations.queue(async () => {
      try {
        await this.#userChanges.catchUp()
        active.add(call)
        for (const { path, text } of deps.unsavedTabs()) call.tabs.set(path, text)
        // Reading the whole folder for the first time takes long. In a turn, its checkpoint has already read it.
        if (!call.paths && (this.#tooLarge || (call.turn === null && !folder.isComplete()))) return
        await this.#reads.read(call)
        call.observed = true
        const { paths } = call
        const tabs = await this.#storedTabs(call)
        const before = await deps.trees.store(folder.within(paths), paths)
        deps.store.addCall(call.key, {
          process: thisProcess(),
          turn: call.turn,
          ...(paths && { paths: [...paths] }),
          before,
          ...(tabs && { tabs }),
        })
      } catch (error) {
        active.add(call)
        this.#tooLarge = isTimeout(error)
        const why = this.#tooLarge
          ? `Reading the folder takes longer than ${maxScanMs / 1000} seconds, so changes by commands are not reviewed until it is reopened.`
          : `The changes of a tool call are not reviewed. ${toFailure(error).message}`
        deps.onProblem(why)
      }
    })
    return {
      end: async (writes, program) => {
        call.ended = true
        const ended = operations.queue(() => this.#end(call, writes, program))
        active.ended()
        if (call.paths !== undefined || queued.size > 0) await ended
      },
    }
  }

  /** Stores the text of unsaved tabs that a call may change. @returns their hashes by path */
  async #storedTabs(call: ActiveCall): Promise<Record<string, string> | undefined> {
    const tabs: Record<string, string> = {}
    if (!call.program)
      for (const [path, text] of call.tabs) {
        if (!mayChangePath(call, path)) continue
        tabs[path] = hash('sha256', text)
        await this.#parts.deps.contents.put(tabs[path], Buffer.from(text))
      }
    return Object.keys(tabs).length > 0 ? tabs : undefined
  }

  async #end(call: ActiveCall, writes: readonly UnsavedWrite[], program?: Promise<unknown>): Promise<void> {
    const { deps, folder, active, recorder, commits, queued, saving } = this.#parts
    const { paths, turn } = call
    const changed: string[] = []
    try {
      if (call.observed) {
        for (const write of writes)
          changed.push(...(await recorder.recordText(write.path, write.before, write.after, turn)))
        if (!call.program)
          for (const path of this.#userChanges.touchedWithin(call)) {
            if (writes.some((write) => write.path === path)) continue
            const text = deps.unsaved(path)
            if (text !== null) changed.push(...(await recorder.recordText(path, call.tabs.get(path), text, turn)))
          }
        const found = await folder.observe(paths)
        // A file that was written while the user typed in its tab is recorded with the tab.
        const inTabs = (path: string) => writes.some((write) => write.path === path) && deps.unsaved(path) !== null
        const observed = { ...found, changes: found.changes.filter(({ path }) => !inTabs(path)) }
        const recorded = paths ? observed : await recorder.withoutIgnored(observed)
        deps.onCallChanges?.(recorded.changes, turn)
        changed.push(...(await recorder.recordCall(recorded, turn)))
      }
      if (mayCommit(call)) await commits.keep('agentRan')
    } catch (error) {
      log.error('The changes of a call could not be recorded for review', error)
      deps.onProblem(`The changes of a tool call cannot be reviewed. ${toFailure(error).message}`)
    } finally {
      active.delete(call)
    }
    if (program !== undefined && turn !== null && call.observed) await this.#between.stay(program, turn)
    const hadQueued = queued.size > 0
    if (!active.isRunning()) await this.#parts.runQueued(queued.take())
    await saving.now()
    deps.store.removeCall(call.key)
    // Null: files whose queued action was refused are no longer queued either.
    if (hadQueued) deps.onChanged(null)
    else if (changed.length > 0) deps.onChanged(changed)
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError'
}
