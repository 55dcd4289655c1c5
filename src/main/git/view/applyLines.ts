import { isUtf16 } from '../../../shared/files/encodings.ts'
import { ToolError } from '../../../shared/errors.ts'
import { toWorkspacePath, type GitDiscardResult, type GitLineChange, type GitLines } from '../../../shared/git/git.ts'
import { encodeGitText } from '../gitText.ts'
import type { Actions, RunningAction, WorkingFiles } from './actions.ts'
import type { Discarding } from './discarding.ts'
import type { FileVersions } from './fileVersions.ts'
import type { FoundRepository } from './findRepositories.ts'
import { requireGit } from './gitFailures.ts'
import { makePatch, onlyLines, replaceLines, replacements, withoutLines } from './lineChanges.ts'
import { pathArgument } from './names.ts'
import { refuseFiltered } from './staging.ts'

export type LineAction = 'stage' | 'unstage' | 'discard'

interface ApplyLinesDeps {
  actions: Actions
  versions: FileVersions
  discarding: Discarding
  files: WorkingFiles
}

/** The file of an action, and git within this action. */
interface LineTarget extends RunningAction {
  found: FoundRepository
  path: string
}

const empty = Buffer.alloc(0)

/** Stages, unstages or discards individual hunks and lines. */
export function createApplyLines({ actions, versions, discarding, files }: ApplyLinesDeps) {
  const { access, change } = actions

  /** Patches a file in the index. Fails if the index has changed in the meantime. */
  async function patchIndex({ path, act }: LineTarget, before: Buffer, after: Buffer, newMode?: string) {
    const patch = makePatch({ path, before, after, ...(newMode !== undefined && { newMode }) })
    if (!patch) return
    // The options override apply.whitespace and apply.ignoreWhitespace.
    const args = ['apply', '--cached', '--whitespace=nowarn', '--no-ignore-whitespace', '-']
    requireGit('The index could not be changed.', await act(args, { input: patch }))
  }

  async function stage(target: LineTarget, changes: readonly GitLineChange[]): Promise<void> {
    const { found, path, signal } = target
    const file = await versions.working(found, path)
    if (!file || file.link) throw wholeFileOnly(path)
    if (!access.isTrusted(found)) await refuseFiltered(access, found, [path], signal)
    const index = await textBlob(target, `:0:${path}`)
    const working = await cleaned(target, await unsavedContent(target, file.content))
    const after = hasText(index)
      ? replaceLines(index, working, replacements(changes, 'before'))
      : onlyLines(working, newLines(changes))
    const newMode = file.mode & 0o100 ? '100755' : '100644'
    await patchIndex(target, index ?? empty, after, index ? undefined : newMode)
  }

  async function unstage(target: LineTarget, changes: readonly GitLineChange[]): Promise<void> {
    const { path } = target
    const index = await textBlob(target, `:0:${path}`)
    if (!index) throw wholeFileOnly(path)
    const head = await textBlob(target, `HEAD:${path}`)
    const after = hasText(head)
      ? replaceLines(index, head, replacements(changes, 'after'))
      : withoutLines(index, newLines(changes))
    // Without any staged line, a new file becomes untracked again.
    if (!head && after.length === 0)
      requireGit(
        'The changes could not be unstaged.',
        await target.act(['update-index', '--force-remove', '-z', '--stdin'], { input: encodeGitText(`${path}\0`) }),
      )
    else await patchIndex(target, index, after)
  }

  async function discard(target: LineTarget, changes: readonly GitLineChange[]) {
    const { found, path, signal } = target
    const place = toWorkspacePath(found, path)
    const file = await versions.working(found, path)
    const index = await textBlob(target, `:0:${path}`)
    if (!file || file.link || place === null) throw wholeFileOnly(path)
    const content = hasText(index)
      ? replaceLines(file.content, await smudged(target, index), replacements(changes, 'after'))
      : withoutLines(file.content, newLines(changes))
    return discarding.overwrite(found, [path], 'before discarding lines', signal, async ({ id, skipped }) => {
      if (skipped[0])
        throw new ToolError('refused', `Nothing was discarded. ${skipped[0].why}`, 'Change the lines in the editor.')
      await files.documents.restoreVersion(place, content, file.mode)
      return id
    })
  }

  /** Returns a file's unsaved text in its format, or its content on disk. */
  async function unsavedContent({ found, path, signal }: LineTarget, disk: Buffer): Promise<Buffer> {
    const decoded = files.decode(disk, path)
    if (isUtf16(decoded.format.encoding)) throw wholeFileOnly(path)
    const document = await files.documents.read(toWorkspacePath(found, path) ?? path, signal)
    return document.unsaved ? files.encode(document.text, document.format, decoded) : disk
  }

  /** Returns what git would store for a file, with the index's line endings and after filters. */
  async function cleaned(target: LineTarget, content: Buffer): Promise<Buffer> {
    const { path, act } = target
    const args = ['hash-object', '-w', '--stdin', `--path=${pathArgument(path)}`]
    const stored = requireGit('The file could not be loaded.', await act(args, { input: content }))
    return (await textBlob(target, stored.output.toString('utf8').trim())) ?? empty
  }

  /** Returns the content that git would write to disk for a file. */
  async function smudged({ path, act }: LineTarget, index: Buffer): Promise<Buffer> {
    const args = ['cat-file', '--filters', `:0:${pathArgument(path)}`]
    const { output, truncated } = requireGit('The file could not be loaded.', await act(args))
    return truncated ? index : output
  }

  async function textBlob({ found, path, signal }: LineTarget, object: string): Promise<Buffer | null> {
    const blob = await versions.blob(found, object, signal)
    if (!blob) return null
    if (!blob.content || blob.content.includes(0)) throw wholeFileOnly(path)
    return blob.content
  }

  return async (
    id: string,
    path: string,
    action: LineAction,
    changes: readonly GitLineChange[],
    operation?: string,
  ): Promise<GitDiscardResult> => {
    const { result: backup, status } = await change(id, operation, async ({ found }, _git, running) => {
      const target = { ...running, found, path }
      if (action === 'discard') return discard(target, changes)
      await (action === 'stage' ? stage : unstage)(target, changes)
      return null
    })
    return { status, backup, skipped: [] }
  }
}

const hasText = (blob: Buffer | null): blob is Buffer => blob !== null && blob.length > 0

const newLines = (changes: readonly GitLineChange[]): GitLines[] => changes.map(({ after }) => after)

function wholeFileOnly(path: string): ToolError {
  return new ToolError(
    'refused',
    `Single lines of "${path}" cannot be changed here: it is deleted, binary, a link or UTF-16 in one of the versions.`,
    'Stage, unstage or discard the whole file.',
  )
}
