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
  /** Names of what it came in place of, stored with each decision about it. */
  replaces?: readonly string[]
}

export interface TrustAnswer {
  state: 'trusted' | 'refused' | 'unknown'
  /** SHA-256 of workspace, kind, name and definition, as hexadecimal digits. */
  hash: string
  /** The definition at the last decision, if it differs. */
  before?: unknown
  /** Whether the last decision was a refusal of another definition. */
  refusedBefore?: boolean
  /** Hashes at the last decision, if they differ or were not stored then. */
  programsBefore?: Readonly<Record<string, string>> | 'unknown'
}

/** The user's trust decisions about what a workspace defines: its MCP servers and hooks, and how worktrees are set up. */
export interface TrustStore {
  check(subject: TrustSubject): TrustAnswer
  /**
   * Stores a decision, which is valid until the definition or a program changes. What was trusted before under the same
   * name stays trusted, because other branches have it, until the user refuses.
   */
  decide(subject: TrustSubject, trusted: boolean): Promise<void>
  /** Returns the user's decisions about a workspace, each as its subject was then. */
  decisions(workspace: string, kind: TrustSubject['kind']): TrustDecision[]
}

export interface TrustDecision extends Pick<TrustSubject, 'name' | 'definition' | 'replaces'> {
  trusted: boolean
}

const programsSchema = z.record(z.string(), z.string())

const recordSchema = z.object({
  workspace: z.string(),
  kind: z.enum(['mcp', 'setUp', 'hook']),
  name: z.string(),
  hash: z.string(),
  trusted: z.boolean(),
  definition: z.unknown(),
  programs: programsSchema.optional(),
  /** What was trusted before, newest last. */
  earlier: z.array(z.object({ hash: z.string(), programs: programsSchema })).optional(),
  replaces: z.array(z.string()).optional(),
})

/** Maximum number of decisions. The oldest are removed first. */
const maxDecisions = 1000
/** Maximum number of definitions with their programs that are trusted under one name. */
const maxTrusted = 10

/** Opens `trust.json` in the user data folder. Only the user can read it. */
export async function createTrustStore(
  userDataFolder: string,
  onNotice: (message: string) => void,
): Promise<TrustStore> {
  const file = await openJsonFile(join(userDataFolder, 'trust.json'), z.array(recordSchema), [], onNotice)
  const sameAs =
    ({ workspace, kind, name }: TrustSubject) =>
    (record: TrustRecord) =>
      record.workspace === workspace && record.kind === kind && record.name === name
  return {
    check(subject) {
      const hash = hashOf(subject)
      const record = file.value.find(sameAs(subject))
      if (!record) return { state: 'unknown', hash }
      if (!record.trusted)
        return record.hash === hash
          ? { state: 'refused', hash }
          : { state: 'unknown', hash, before: record.definition, refusedBefore: true }
      // Earlier versions stored no programs. Their decisions stay valid.
      if (record.hash === hash && record.programs === undefined)
        return { state: 'trusted', hash, programsBefore: 'unknown' }
      const known = [record, ...(record.earlier ?? [])].filter((each) => each.hash === hash)
      if (known.length === 0) return { state: 'unknown', hash, before: record.definition }
      const programs = canonicalJson(subject.programs ?? {})
      return known.some((each) => canonicalJson(each.programs) === programs)
        ? { state: 'trusted', hash }
        : { state: 'unknown', hash, programsBefore: known[0]?.programs ?? 'unknown' }
    },
    async decide(subject, trusted) {
      const { workspace, kind, name, definition, programs = {}, replaces = [] } = subject
      const isSame = sameAs(subject)
      await file.update((records) => {
        const last = records.find(isSame)
        const now = { hash: hashOf(subject), programs }
        const record = {
          workspace,
          kind,
          name,
          definition,
          trusted,
          ...now,
          earlier: trusted && last?.trusted ? earlierOf(last, now) : [],
          replaces: [...new Set([...(last?.replaces ?? []), ...replaces])].slice(-maxDecisions),
        }
        return [...records.filter((each) => !isSame(each)), record].slice(-maxDecisions)
      })
    },
    decisions: (workspace, kind) =>
      file.value.filter((record) => record.workspace === workspace && record.kind === kind),
  }
}

type TrustRecord = z.output<typeof recordSchema>
type Trusted = NonNullable<TrustRecord['earlier']>[number]

/** Returns what stays trusted beside the new state of a record. */
function earlierOf({ hash, programs, earlier = [] }: TrustRecord, now: Trusted): Trusted[] {
  const before = programs === undefined ? earlier : [...earlier, { hash, programs }]
  return before.filter((each) => canonicalJson(each) !== canonicalJson(now)).slice(1 - maxTrusted)
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
