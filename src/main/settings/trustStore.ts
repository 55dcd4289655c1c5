import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { openJsonFile } from './jsonFile.ts'

/** Something that a workspace names and that runs or connects only after the user has seen and allowed it. */
export interface TrustSubject {
  /** Real path. */
  workspace: string
  kind: 'mcp'
  name: string
  /** What it is, whole: JSON. Whatever of it changes, it is asked again. */
  definition: unknown
}

export interface TrustAnswer {
  state: 'trusted' | 'refused' | 'unknown'
  /** SHA-256 of workspace, kind, name and definition, in hexadecimal digits. */
  hash: string
  /** The definition that was decided about last, where it was another one. */
  before?: unknown
}

/** What the user decided about the things that workspaces name. */
export interface TrustStore {
  check(subject: TrustSubject): TrustAnswer
  /** Holds until the definition changes. */
  decide(subject: TrustSubject, trusted: boolean): Promise<void>
}

const recordSchema = z.object({
  workspace: z.string(),
  kind: z.enum(['mcp']),
  name: z.string(),
  hash: z.string(),
  trusted: z.boolean(),
  definition: z.unknown(),
})

/** Decisions that are kept; the oldest go first. */
const keep = 1000

/** `trust.json` in the user's data folder, outside every workspace and readable by the user alone. */
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
      return { state: record.trusted ? 'trusted' : 'refused', hash }
    },
    async decide(subject, trusted) {
      const { workspace, kind, name, definition } = subject
      const isSame = sameAs(subject)
      const record = { workspace, kind, name, definition, trusted, hash: hashOf(subject) }
      await file.update((records) => [...records.filter((each) => !isSame(each)), record].slice(-keep))
    },
  }
}

function hashOf({ workspace, kind, name, definition }: TrustSubject): string {
  return createHash('sha256').update(canonicalJson({ workspace, kind, name, definition })).digest('hex')
}

/** JSON with the keys of every object in order: the same value gives the same text, however it was written. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}
