import { hash } from 'node:crypto'
import { ToolError } from '../../../shared/errors.ts'
import type { CommittedFile } from '../../git/committedFiles.ts'
import { parentFolders } from '../../base/parentFolders.ts'
import type { Entry, Tree } from '../../history/checkpoints/entries.ts'
import type { ReviewRow, ReviewRows } from '../../history/storedReviewRows.ts'
import { decodeText } from '../../base/textFormat.ts'
import { createTextCodec } from '../../workspaceServices/reviewFiles.ts'
import { createReview } from '../review.ts'
import type { Review } from '../reviewTypes.ts'
import { createReviewStore } from '../reviewStore.ts'

interface MemoryFile {
  content: Buffer
  mode: number
}

/** A review of files in memory, for tests with many steps. */
export interface MemoryReview {
  readonly review: Review
  /** Files on disk. */
  readonly disk: Map<string, MemoryFile>
  /** Texts of unsaved tabs. */
  readonly tabs: Map<string, string>
  /** Messages for the user. */
  readonly problems: string[]
  /** Number of files whose content was read from the store. */
  reads: number
  /** Path whose write or deletion never ends, for a kill in the middle of an action. */
  hangingPath?: string
  /** Makes reading the whole folder fail. */
  scanFailure?: Error
  text(path: string): string | null
  write(path: string, text: string): void
  /** Changes the text of a tab, as the user types. */
  type(path: string, text: string): void
  /** Changes files as a call of the agent. */
  agent(turn: string | null, paths: readonly string[] | undefined, change: () => void): Promise<void>
  /** Commits the files on disk. @param paths default: all files */
  commit(paths?: readonly string[]): void
  /** Moves HEAD to an earlier commit, counted from 1, without changing the files on disk. */
  reset(commit: number): void
  restart(): Promise<void>
  /** Stops while calls are still running, like a killed process. Another process then opens the folder. */
  kill(): void
  /** Returns the review of another process on the same folder. */
  otherProcess(): Review
  checkpoint(): number
}

/** @param options `foldsCase`: names that differ only in case are the same file */
export function memoryReview({
  foldsCase = false,
  ...options
}: { maxBytes?: number; foldsCase?: boolean } = {}): MemoryReview {
  const disk = new Map<string, MemoryFile>()
  const tabs = new Map<string, string>()
  const problems: string[] = []
  const blobs = new Map<string, Buffer>()
  const rows = memoryRows()
  const checkpoints: Tree[] = []
  const commits: { parent: string | undefined; files: ReadonlyMap<string, Buffer> }[] = []
  let head: string | undefined
  const commitOf = (id: string | undefined) => (id === undefined ? undefined : commits[Number(id) - 1])
  const isAncestor = (id: string, of: string | undefined): boolean =>
    of !== undefined && (id === of || isAncestor(id, commitOf(of)?.parent))
  const entryOf = (path: string, { content, mode }: MemoryFile): Entry => {
    const key = hash('sha256', content)
    blobs.set(key, content)
    return { kind: 'file', name: path.split('/').at(-1) ?? '', hash: key, mode, size: content.length, stamp: '' }
  }
  const tree = (): Tree => {
    const entries: Tree = new Map()
    for (const [path, file] of disk) {
      for (const parent of parentFolders(path)) entries.set(parent, { kind: 'folder', name: parent, hash: '' })
      entries.set(path, entryOf(path, file))
    }
    return entries
  }
  const refuseUnsaved = (path: string) => {
    if (tabs.has(path)) throw new ToolError('unsaved_changes', `"${path}" has unsaved changes.`)
  }
  const hangAt = async (path: string) => {
    if (path === made.hangingPath) await new Promise(() => {})
  }
  const contents = {
    put: async (key: string, content: Buffer) => void blobs.set(key, content),
    async get(key: string) {
      made.reads += 1
      const content = blobs.get(key)
      if (!content) throw new ToolError('not_found', 'Not stored.')
      return content
    },
    bytes: async (keys?: ReadonlySet<string>) =>
      [...blobs].reduce((sum, [key, { length }]) => sum + (keys?.has(key) === false ? 0 : length), 0),
  }
  const codec = createTextCodec(decodeText)
  const open = () =>
    createReview({
      store: createReviewStore({ rows, contents, codec, ...options }),
      contents,
      codec,
      target: {
        async edit(path, expected, text) {
          if ((tabs.get(path) ?? made.text(path)) !== expected) throw new ToolError('conflict', 'It has changed.')
          if (tabs.has(path)) tabs.set(path, text)
          else made.write(path, text)
        },
        async write(path, content, mode) {
          refuseUnsaved(path)
          await hangAt(path)
          disk.set(path, { content, mode })
        },
        async setMode(path, mode) {
          const file = disk.get(path)
          if (file) disk.set(path, { ...file, mode })
        },
        link: async () => undefined,
        async remove(path) {
          refuseUnsaved(path)
          await hangAt(path)
          disk.delete(path)
        },
        removeFolder: async () => undefined,
        async rename(from, to) {
          const file = disk.get(from)
          if (!foldsCase || !file) throw new ToolError('already_exists', `"${to}" already exists.`)
          disk.delete(from)
          disk.set(to, file)
        },
        exists: async (path) =>
          disk.has(path) || (foldsCase && [...disk.keys()].some((each) => each.toLowerCase() === path.toLowerCase())),
      },
      async scan(paths) {
        if (paths === undefined && made.scanFailure) throw made.scanFailure
        return new Map(
          [...tree()].filter(
            ([path]) => paths === undefined || paths.some((each) => path === each || path.startsWith(`${each}/`)),
          ),
        )
      },
      trees: {
        store: async (stored) => ({ entries: Object.fromEntries(stored) }),
        read: async ({ entries }) =>
          new Map(Object.entries(entries).flatMap(([path, entry]) => (entry ? [[path, entry] as const] : []))),
      },
      treeAt: async (id) => checkpoints[id] ?? new Map(),
      changesSince: async (id) =>
        [...new Set([...disk.keys(), ...(checkpoints[id]?.keys() ?? [])])].map((path) => ({ path })),
      commits: {
        repositoryOf: async () => '.',
        head: async () => head,
        async compare(_, { known, head: latest, files }) {
          const compared = new Map<string, CommittedFile>()
          if (known !== undefined && !isAncestor(known, latest)) return compared
          for (const [path, content] of files) {
            const before = commitOf(known)?.files.get(path)
            const there = commitOf(latest)?.files.get(path)
            if (known !== undefined && (before && there ? before.equals(there) : before === there)) continue
            if (there)
              compared.set(path, content?.equals(there) === true ? { kind: 'same' } : { kind: 'other', content: there })
            else compared.set(path, { kind: before && content === null ? 'same' : 'missing' })
          }
          return compared
        },
      },
      watched: false,
      unsaved: (path) => tabs.get(path) ?? null,
      unsavedTabs: () => [...tabs].map(([path, text]) => ({ path, text })),
      onChanged: () => undefined,
      onProblem: (message) => problems.push(message),
    })
  let review = open()
  const made: MemoryReview = {
    get review() {
      return review
    },
    disk,
    tabs,
    problems,
    reads: 0,
    text: (path) => disk.get(path)?.content.toString('utf8') ?? null,
    write: (path, text) => void disk.set(path, { content: Buffer.from(text), mode: disk.get(path)?.mode ?? 0o644 }),
    type(path, text) {
      tabs.set(path, text)
      review.touched(path)
    },
    async agent(turn, paths, change) {
      const call = await review.begin({ paths, turn, program: paths === undefined })
      change()
      await call.end([])
    },
    commit(paths) {
      const files = new Map(commitOf(head)?.files)
      for (const path of paths ?? new Set([...files.keys(), ...disk.keys()])) {
        const content = disk.get(path)?.content
        if (content) files.set(path, content)
        else files.delete(path)
      }
      commits.push({ parent: head, files })
      head = String(commits.length)
    },
    reset: (commit) => void (head = String(commit)),
    async restart() {
      await review.close()
      review = open()
    },
    kill() {
      for (const { key, json } of rows.all('state'))
        if (/^(?:call|queue|restoring)\/|^actions$/.test(key))
          rows.set('state', key, json.replace(/"pid":\d+/g, '"pid":0'))
      review = open()
    },
    otherProcess: open,
    checkpoint: () => checkpoints.push(tree()) - 1,
  }
  return made
}

function memoryRows(): ReviewRows {
  const rows = new Map<string, ReviewRow>()
  let time = 0
  return {
    get: (kind, key) => rows.get(`${kind}/${key}`)?.json,
    all: (kind) =>
      [...rows]
        .filter(([name]) => name.startsWith(`${kind}/`))
        .map(([, row]) => row)
        .toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    set: (kind, key, json) => void rows.set(`${kind}/${key}`, { key, at: (time += 1), json }),
    remove: (kind, key) => void rows.delete(`${kind}/${key}`),
    inTransaction: (act) => act(),
  }
}
