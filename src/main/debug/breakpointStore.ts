import { z } from 'zod'
import { Sequencer } from '../../shared/async/sequencer.ts'
import type { Breakpoints } from '../../shared/debug/debug.ts'
import type { JsonFile } from '../settings/jsonFile.ts'

const line = z.number().int().min(1)
const text = z.string().max(2000).exactOptional()
const breakpointsSchema = z.object({
  lines: z
    .array(
      z.object({
        id: z.string(),
        path: z.string(),
        line,
        enabled: z.boolean(),
        condition: text,
        hitCondition: text,
        logMessage: text,
      }),
    )
    .default([]),
  functions: z
    .array(z.object({ id: z.string(), name: z.string(), enabled: z.boolean(), condition: text, hitCondition: text }))
    .default([]),
  exceptions: z.record(z.string(), z.array(z.string())).default({}),
})

/** Content of `breakpoints.json` in the user data folder: the breakpoints of each folder, latest last. */
export const breakpointFileSchema = z.array(z.object({ workspace: z.string(), breakpoints: breakpointsSchema }))
export type BreakpointFile = JsonFile<z.output<typeof breakpointFileSchema>>

/** Maximum number of folders. The oldest are removed first. */
const maxFolders = 1000

/** The breakpoints of one folder, which survive a restart. */
export interface BreakpointStore {
  get(): Breakpoints
  /** Changes them, and stores them soon. */
  update(change: (breakpoints: Breakpoints) => Breakpoints): void
  /** Resolves once all changes are stored. */
  flush(): Promise<void>
}

/**
 * Loads the breakpoints of a folder. Changes before that are kept.
 * @param root real path of the folder
 * @param carried returns those of a workspace that has none yet, from those of other folders
 * @param onProblem called with a message if they cannot be read or stored
 */
export function createBreakpointStore(
  root: string,
  file: Promise<BreakpointFile>,
  {
    carried,
    onLoaded,
    onProblem,
  }: {
    carried?(breakpointsOf: (workspace: string) => Breakpoints | undefined): Breakpoints | undefined
    onLoaded(): void
    onProblem(message: string): void
  },
): BreakpointStore {
  let breakpoints: Breakpoints = { lines: [], functions: [], exceptions: {} }
  let changed = false
  const writing = new Sequencer()
  const failed = (error: unknown): void => onProblem(`Breakpoints cannot be stored: ${String(error)}`)
  const loaded = file.then(({ value }) => {
    const breakpointsOf = (folder: string): Breakpoints | undefined =>
      value.find(({ workspace }) => workspace === folder)?.breakpoints
    const stored = breakpointsOf(root) ?? carried?.(breakpointsOf)
    if (changed || stored === undefined) return
    breakpoints = stored
    onLoaded()
  }, failed)

  async function store(): Promise<void> {
    await (
      await file
    ).update((folders) => {
      const others = folders.filter(({ workspace }) => workspace !== root)
      const { lines, functions, exceptions } = breakpoints
      const mutable = {
        lines: [...lines],
        functions: [...functions],
        exceptions: Object.fromEntries(Object.entries(exceptions).map(([id, filters]) => [id, [...filters]])),
      }
      return [...others, { workspace: root, breakpoints: mutable }].slice(-maxFolders)
    })
  }

  return {
    get: () => breakpoints,
    update(change) {
      changed = true
      breakpoints = change(breakpoints)
      writing.queue(store).catch(failed)
    },
    async flush() {
      await loaded
      await writing.queue(async () => undefined)
    },
  }
}
