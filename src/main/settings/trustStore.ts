import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { openJsonFile } from './jsonFile.ts'

/** Something defined by a workspace that the user must allow before it runs or connects. */
export interface TrustSubject {
  /** Real path of the workspace. */
  workspace: string
  /** `setUp`: the command that prepares a new worktree. */
  kind: 'mcp' | 'setUp' | 'hook'
  name: string
  /** The full definition as JSON. Any change requires a new decision. */
  definition: unknown
  /** Hashes of the workspace files that it starts, by path. Trusting it again is required after any change. */
  programs?: Readonly<Record<string, string>>
}

export interface TrustAnswer {
  state: 'trusted' | 'refused' | 'unknown'
  /** SHA-256 of workspace, kind, name and definition, as hexadecimal digits. */
  hash: string
  /** The definition at the last decision, if it differs. */
  before?: unknown
  /** Hashes at the last decision, if they differ or were not stored then. */
  programsBefore?: Readonly<Record<string, string>> | 'unknown'
}

/** The user's trust decisions about what a workspace defines: its MCP servers and hooks, and how worktrees are set up. */
export interface TrustStore {
  check(subject: TrustSubject): TrustAnswer
  /** Stores a decision, which is valid until the definition changes. */
  decide(subject: TrustSubject, trusted: boolean): Promise<void>
  /** Returns what the user allowed in a workspace, as it was then. */
  trusted(workspace: string, kind: TrustSubject['kind']): Pick<TrustSubject, 'name' | 'definition'>[]
  /** Removes decisions about what no longer exists. */
  forget(workspace: string, kind: TrustSubject['kind'], names: readonly string[]): Promise<void>
}

const recordSchema = z.object({
  workspace: z.string(),
  kind: z.enum(['mcp', 'setUp', 'hook']),
  name: z.string(),
  hash: z.string(),
  trusted: z.boolean(),
  definition: z.unknown(),
  programs: z.record(z.string(), z.string()).optional(),
})

/** Maximum number of decisions. The oldest are removed first. */
const maxDecisions = 1000

/** Opens `trust.json` in the user data folder. Only the user can read it. */
export async function createTrustStore(
  userDataFolder: string,
  onNotice: (message: string) => void,
): Promise<TrustStore> {
  const file = await openJsonFile(join(userDataFolder, 'trust.json'), z.array(recordSchema), [], onNotice)
  const sameAs =
    ({ workspace, kind, name }: TrustSubject) =>
    (record: z.output<typeof recordSchema>) =>
      record.workspace === workspace && record.kind === kind && record.name === name
  return {
    check(subject) {
      const hash = hashOf(subject)
      const record = file.value.find(sameAs(subject))
      if (!record) return { state: 'unknown', hash }
      if (record.hash !== hash) return { state: 'unknown', hash, before: record.definition }
      if (!record.trusted) return { state: 'refused', hash }
      const { programs = {} } = subject
      // Earlier versions stored no programs. Their decisions stay valid.
      if (record.programs === undefined) return { state: 'trusted', hash, programsBefore: 'unknown' }
      return canonicalJson(record.programs) === canonicalJson(programs)
        ? { state: 'trusted', hash }
        : { state: 'unknown', hash, programsBefore: record.programs }
    },
    async decide(subject, trusted) {
      const { workspace, kind, name, definition, programs = {} } = subject
      const isSame = sameAs(subject)
      const record = { workspace, kind, name, definition, programs, trusted, hash: hashOf(subject) }
      await file.update((records) => [...records.filter((each) => !isSame(each)), record].slice(-maxDecisions))
    },
    trusted: (workspace, kind) =>
      file.value.filter((record) => record.trusted && record.workspace === workspace && record.kind === kind),
    async forget(workspace, kind, names) {
      await file.update((records) =>
        records.filter((each) => each.workspace !== workspace || each.kind !== kind || !names.includes(each.name)),
      )
    },
  }
}

function hashOf({ workspace, kind, name, definition }: TrustSubject): string {
  return createHash('sha256').update(canonicalJson({ workspace, kind, name, definition })).digest('hex')
}

/** Serializes JSON with sorted keys, so that equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}
