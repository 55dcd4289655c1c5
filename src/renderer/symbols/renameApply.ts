import { ToolError } from '../../shared/errors.ts'
import type { RenamePlan } from '../../shared/symbolRename.ts'
import type { Bridge } from '../platform/bridge/bridge.ts'
import type { Documents } from '../platform/editor/documents.ts'
import { occurrenceKey } from './renameStore.ts'

export interface RenameDeps {
  request: Bridge['request']
  documents: Pick<Documents, 'get' | 'buffer' | 'save'>
}

/** A file before and after a rename. */
interface Change {
  path: string
  before: string
  after: string
}

/** A completed rename, which can be undone as one step. */
export interface AppliedRename {
  files: number
  places: number
  /** Paths that had unsaved changes before and remain unsaved. */
  unsaved: string[]
  /** Restores every file. @throws ToolError `conflict`, without changing anything, if a file has changed since */
  undo(): Promise<void>
}

/**
 * Applies the selected changes of a plan in all files or in none. Changes open files in their buffers and saves those
 * without unsaved changes; changes other files on disk.
 * @throws ToolError `conflict` if a text differs from the preview
 */
export async function applyRename(
  parts: RenameDeps,
  plan: RenamePlan,
  chosen: ReadonlySet<string>,
): Promise<AppliedRename> {
  const changes: Change[] = []
  let places = 0
  for (const { path, occurrences } of plan.files) {
    const wanted = occurrences.filter((occurrence) => chosen.has(occurrenceKey(path, occurrence)))
    if (wanted.length === 0) continue
    const before = await textOf(parts, path)
    const lines = before.split('\n')
    // From the end, so that earlier columns stay valid.
    for (const { line, column, replacement } of wanted.toReversed()) {
      const text = lines[line - 1]
      if (text === undefined || !text.startsWith(plan.name, column - 1)) throw changed(path)
      lines[line - 1] = text.slice(0, column - 1) + replacement + text.slice(column - 1 + plan.name.length)
    }
    places += wanted.length
    changes.push({ path, before, after: lines.join('\n') })
  }
  const unsaved = changes.filter(({ path }) => parts.documents.get(path)?.dirty).map(({ path }) => path)
  await write(parts, changes)
  return {
    files: changes.length,
    places,
    unsaved,
    undo: () =>
      write(
        parts,
        changes.map(({ path, before, after }) => ({ path, before: after, after: before })),
      ),
  }
}

/** Writes all changes or none: restores the files written before a failure. */
async function write(parts: RenameDeps, changes: readonly Change[]): Promise<void> {
  for (const { path, before } of changes) {
    if ((await textOf(parts, path)) !== before) throw changed(path)
    if (parts.documents.get(path)?.readonly)
      throw new ToolError('permission_denied', `${path} is read-only.`, 'Change its permissions, or leave it out.')
  }
  const done: Change[] = []
  try {
    for (const change of changes) {
      await writeOne(parts, change)
      done.push(change)
    }
  } catch (error) {
    for (const { path, before, after } of done.toReversed())
      await writeOne(parts, { path, before: after, after: before })
    throw error
  }
}

async function writeOne({ request, documents }: RenameDeps, { path, before, after }: Change): Promise<void> {
  const buffer = documents.buffer(path)
  if (buffer) {
    const wasDirty = documents.get(path)?.dirty ?? true
    buffer.replace(after)
    if (!wasDirty) await documents.save(path)
    return
  }
  const file = await request('files.read', { path })
  if (file.text !== before) throw changed(path)
  await request('files.write', { path, text: after, format: file.format, stamp: file.stamp, force: false })
}

async function textOf({ request, documents }: RenameDeps, path: string): Promise<string> {
  return documents.buffer(path)?.text() ?? (await request('files.read', { path })).text
}

function changed(path: string): ToolError {
  return new ToolError('conflict', `${path} has changed since the preview.`, 'Nothing was renamed. Rename again.')
}
