import { log } from '../base/log/log.ts'
import type { ActiveCall } from './activeCalls.ts'
import type { EntryChange } from './callChanges.ts'
import type { Observation } from './folderState.ts'
import { maxScanMs } from './readBeforeCalls.ts'
import type { SessionParts } from './sessionParts.ts'

/** Attributes and records changes that no call or user action reported. */
export class ChangesBetweenCalls {
  readonly #parts: SessionParts

  constructor(parts: SessionParts) {
    this.#parts = parts
  }

  /**
   * Records changes made before a call. Attributes them to a running call that may have made them, to a program that
   * outlives its call, or to the user.
   */
  async record({ changes, before }: Observation): Promise<void> {
    const ofUser: EntryChange[] = []
    const ofCalls = new Map<ActiveCall, EntryChange[]>()
    for (const change of changes) {
      // The state before the starting call is not known yet.
      const call = this.#parts.active.covering(change.path).find(({ observed }) => observed)
      if (call) ofCalls.set(call, [...(ofCalls.get(call) ?? []), change])
      else ofUser.push(change)
    }
    for (const [{ paths, turn }, made] of ofCalls) {
      const observed = { changes: made, before }
      await this.#parts.recorder.recordCall(
        paths ? observed : await this.#parts.recorder.withoutIgnored(observed),
        turn,
      )
    }
    const late = await this.recordLate({ changes: ofUser, before })
    if (late === undefined) await this.#parts.recorder.recordUser(ofUser)
    else this.#parts.deps.onChanged(late)
  }

  /** Records changes by a program that outlives its call. @returns their paths; undefined if they are the user's */
  async recordLate(observed: Observation): Promise<string[] | undefined> {
    const turn = observed.changes.length > 0 ? await this.#parts.staying.turnOfChanges() : undefined
    if (turn === undefined) return undefined
    return this.#parts.recorder.recordCall(await this.#parts.recorder.withoutIgnored(observed), turn)
  }

  /** Attributes later changes to a turn while its program is running. */
  async stay(program: Promise<unknown>, turn: string): Promise<void> {
    const { staying, operations } = this.#parts
    const known = staying.has(program)
    await staying.add(program, turn)
    if (known) return
    const ended = (): void => void operations.queue(() => this.#programEnded(program))
    program.then(ended, ended)
  }

  /** Records the last changes of a program that outlived its call. */
  async #programEnded(program: Promise<unknown>): Promise<void> {
    const { staying, folder, saving } = this.#parts
    try {
      if (!staying.has(program)) return
      await this.record(await folder.observe(undefined, AbortSignal.timeout(maxScanMs)))
    } catch (error) {
      log.error('The last changes of a program could not be recorded for review', error)
    } finally {
      staying.delete(program)
    }
    await saving.now()
  }

  /** See `Review.changing`. */
  changing(): (paths?: readonly string[]) => void {
    const { staying, operations, recorder, folder } = this.#parts
    const ended = staying.userChanging()
    return (paths) =>
      void operations.queue(async () => {
        try {
          if (!staying.any || paths?.length === 0) return
          await recorder.recordUser((await folder.observe(paths, AbortSignal.timeout(maxScanMs))).changes)
        } catch (error) {
          log.error("The user's changes could not be compared for review", error)
        } finally {
          ended()
        }
      })
  }
}
