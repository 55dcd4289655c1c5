import { z } from 'zod'

/** What a checkpoint knows of one name in a folder. Serialised in this order of fields: equal folders must have equal texts. */
export const entrySchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('file'),
    name: z.string(),
    /** SHA-256 of the content, which names its blob. */
    hash: z.string(),
    /** Permission bits. */
    mode: z.number(),
    /** Bytes. */
    size: z.number(),
    /** Time of change and inode while it was read; '' where it may have changed since without its clock showing it. */
    stamp: z.string(),
  }),
  /** A symbolic link as it is written; never followed. */
  z.object({ kind: z.literal('link'), name: z.string(), target: z.string() }),
  /** `hash` names its row among the folders. */
  z.object({ kind: z.literal('folder'), name: z.string(), hash: z.string() }),
  /** Was there and is not kept; a restore leaves it alone. */
  z.object({ kind: z.literal('omitted'), name: z.string(), why: z.string() }),
])
export type Entry = z.output<typeof entrySchema>
export type FileEntry = Extract<Entry, { kind: 'file' }>

/** Entries by their path relative to the workspace, folders before what they hold. */
export type Tree = Map<string, Entry>

/** `folder` is `.` for the workspace itself. */
export function below(folder: string, name: string): string {
  return folder === '.' ? name : `${folder}/${name}`
}

/** Whether a path is one of `paths` or lies below one. Without `paths` every path is. */
export function within(path: string, paths: readonly string[] | undefined): boolean {
  return paths === undefined || paths.some((scope) => scope === '.' || path === scope || path.startsWith(`${scope}/`))
}

/** The system's code of a thrown value, e.g. `ENOENT`; undefined for what the system did not throw. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && 'syscall' in error && typeof error.code === 'string'
    ? error.code
    : undefined
}
