import type { FileVersion } from '../../shared/files/localHistory.ts'
import { ToolError, toFailure } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'
import { request } from '../platform/bridge/bridge.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { openDiff, openFile } from '../platform/editor/editorService.ts'
import type { DiffTab } from '../platform/editor/tabsState.ts'
import { isOpenInTab, listOpenDiffs, updateDiff } from '../platform/editor/tabsStore.ts'
import { formatAge, formatDate, formatTime } from '../platform/formatAge.ts'
import { notify } from '../platform/notices.ts'
import { quickPick } from '../platform/quickPick/quickPick.ts'
import { versionIcons, versionLabel } from './versionTexts.ts'

/** The version on the left side of a diff (`DiffTab.source.detail`). */
interface VersionDetail {
  path: string
  version: FileVersion
}

/** Returns the version that a diff compares with the current text; null for other diffs. */
export function versionOf({ source }: DiffTab): VersionDetail | null {
  // Only this module creates diffs with the source `localHistory`.
  return source?.feature === 'localHistory' ? (source.detail as VersionDetail) : null
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
/** Names a version in the title of a diff. */
const shortName = ({ source, at }: FileVersion): string => `${versionLabel({ source })}, ${formatTime(at)}`
const textOf = async (path: string, { id }: FileVersion): Promise<string> =>
  (await request('localHistory.read', { path, id })).text

/** Shows a version beside the current text, which can be edited. A deleted file has no current text. */
export async function compareWithCurrent(path: string, version: FileVersion): Promise<void> {
  const original = await textOf(path, version)
  await documents.open(path)
  const state = documents.get(path)
  if (state?.status === 'failed') {
    if (!isOpenInTab(path)) documents.close(path)
    if (state.failure && state.failure.code !== 'not_found')
      throw new ToolError(state.failure.code, state.failure.message, 'Restore the version, or copy its content.')
  }
  openDiff({
    title: `${nameOf(path)} (${shortName(version)} ↔ current)`,
    path,
    original,
    modified: state?.status === 'ready' ? null : '',
    source: { feature: 'localHistory', detail: { path, version } satisfies VersionDetail },
  })
}

/** Shows what a version changed. */
export async function compareWithPrevious(path: string, previous: FileVersion, version: FileVersion): Promise<void> {
  const [original, modified] = await Promise.all([textOf(path, previous), textOf(path, version)])
  const title = `${nameOf(path)} (${shortName(previous)} ↔ ${shortName(version)})`
  openDiff({ title, path, original, modified })
}

export async function copyContent(path: string, version: FileVersion): Promise<void> {
  await navigator.clipboard.writeText(await textOf(path, version))
  notify('success', `Copied the content of ${nameOf(path)}`)
}

/** Puts a version into the tab of the file, as one undo step. Without such a tab, main writes the file. */
export async function restoreContent(path: string, version: FileVersion): Promise<void> {
  const text = await textOf(path, version).catch((error: unknown) => {
    if (toFailure(error).code === 'binary_file') return null
    throw error
  })
  if (text !== null) {
    await documents.open(path)
    const buffer = documents.get(path)?.status === 'ready' ? documents.buffer(path) : undefined
    if (buffer) {
      await openFile(path)
      if (buffer.text() === text) return notify('info', `${nameOf(path)} has this content already.`)
      buffer.replace(text, { highlight: true })
      return notify('info', `${nameOf(path)} has its earlier content. Save it to keep it, or undo it.`)
    }
    if (!isOpenInTab(path)) documents.close(path)
  }
  await request('localHistory.restore', { path, id: version.id })
  await documents.retry(path)
  await openFile(path)
  // Their right side was missing.
  for (const diff of listOpenDiffs('localHistory'))
    if (diff.path === path && documents.get(path)?.status === 'ready') updateDiff({ ...diff, modified: null })
  notify('success', `Restored ${nameOf(path)}`)
}

/** Lets the user choose a file with versions, also a deleted one, and one of its versions. */
export async function findEntryToRestore(): Promise<void> {
  const file = await quickPick({
    title: 'File to restore',
    placeholder: 'Files with a local history, also deleted ones',
    empty: 'No file has a local history yet.',
    items: (await request('localHistory.files', {})).map(({ path, at, versions }) => ({
      id: path,
      label: nameOf(path),
      description: path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '',
      detail: `${plural(versions, 'version')}, ${formatAge(at)}`,
      icon: 'file',
    })),
  })
  if (!file) return
  const versions = await request('localHistory.list', { path: file.id })
  const choice = await quickPick({
    title: `Version of ${file.label} to restore`,
    placeholder: 'The version opens beside the current text',
    items: versions.map((version) => ({
      id: version.id,
      label: versionLabel(version),
      detail: formatDate(version.at),
      icon: versionIcons[version.source],
    })),
  })
  const version = versions.find(({ id }) => id === choice?.id)
  if (version) await compareWithCurrent(file.id, version)
}
