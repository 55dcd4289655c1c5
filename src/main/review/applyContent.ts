import { ToolError } from '../../shared/errors.ts'
import type { Content } from './reviewContent.ts'

/** Write access of the review. Every method throws a `ToolError` on failure. */
export interface ReviewTargetFiles {
  /** Replaces the text of a file or its tab. @throws ToolError `conflict` if it is not the expected text */
  edit(path: string, expected: string, text: string): Promise<void>
  /** Writes a whole file. @throws ToolError `unsaved_changes` if its tab has unsaved changes */
  write(path: string, content: Buffer, mode: number): Promise<void>
  setMode(path: string, mode: number): Promise<void>
  link(path: string, target: string): Promise<void>
  /** Deletes a file or link. @throws ToolError `unsaved_changes` if its tab has unsaved changes */
  remove(path: string): Promise<void>
  /** Deletes a folder if it is empty. */
  removeFolder(path: string): Promise<unknown>
  /** Renames a file by case only, on a file system that ignores case. */
  rename(from: string, to: string): Promise<unknown>
  /** Whether a file, link or folder exists. */
  exists(path: string): Promise<boolean>
}

interface Place {
  path: string
  content: Content
}

interface ApplyDeps {
  target: ReviewTargetFiles
  /** Encodes content as the bytes of its file. */
  bytesOf(content: Content): Promise<Buffer>
  hasUnsaved(path: string): boolean
}

/**
 * Replaces a file's content, and moves the file if the paths differ.
 * @param newFolders folders to delete with the file if they are empty, innermost first
 */
export async function applyContent(
  { target, bytesOf, hasUnsaved }: ApplyDeps,
  from: Place,
  to: Place,
  newFolders: readonly string[],
): Promise<void> {
  const isOnlyCase = from.path !== to.path && from.path.toLowerCase() === to.path.toLowerCase()
  if (
    isOnlyCase &&
    from.content.kind !== 'missing' &&
    to.content.kind !== 'missing' &&
    (await target.exists(to.path))
  ) {
    // If the file system ignores case, both names are the same file. Otherwise this fails, because both exist.
    if (hasUnsaved(from.path))
      throw new ToolError('unsaved_changes', `"${from.path}" has unsaved changes.`, 'Save the file first.')
    await target.rename(from.path, to.path)
    return applyContent({ target, bytesOf, hasUnsaved }, { ...from, path: to.path }, to, newFolders)
  }
  if (from.path !== to.path) {
    if (to.content.kind !== 'missing') {
      if (await target.exists(to.path))
        throw new ToolError('already_exists', `"${to.path}" exists again.`, 'Rename or move it first.')
      // The old name could then not be removed, and the file would exist twice.
      if (from.content.kind !== 'missing' && hasUnsaved(from.path))
        throw new ToolError('unsaved_changes', `"${from.path}" has unsaved changes.`, 'Save the file first.')
      await create(to)
    }
    if (from.content.kind !== 'missing') await removeFile(from.path)
    return
  }
  const [old, next] = [from.content, to.content]
  if (next.kind === 'missing') return old.kind === 'missing' ? undefined : removeFile(from.path)
  // What exists there must be a folder, which is in the way unless it is empty.
  if (old.kind === 'missing' && (await target.exists(to.path))) await target.removeFolder(to.path)
  if (old.kind !== 'text' || next.kind !== 'text') return create(to)
  const exact = next.hash !== undefined && !hasUnsaved(to.path)
  if (exact) return create(to)
  if (old.text !== next.text) await target.edit(to.path, old.text, next.text)
  if (old.mode !== next.mode) await target.setMode(to.path, next.mode)

  async function create({ path, content }: Place): Promise<void> {
    if (content.kind === 'link') return target.link(path, content.target)
    if (content.kind === 'unknown') throw new ToolError('not_found', content.why)
    if (content.kind !== 'missing') await target.write(path, await bytesOf(content), content.mode)
  }

  async function removeFile(path: string): Promise<void> {
    await target.remove(path)
    for (const folder of newFolders) await target.removeFolder(folder)
  }
}
