import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { setImmediate } from 'node:timers/promises'
import type { AddedPlugin } from '../../../shared/plugins/pluginRequests.ts'
import {
  runsFromData,
  type PluginChange,
  type PluginContents,
  type PluginData,
  type PluginFolders,
  type PluginHook,
  type PluginInfo,
  type PluginSource,
} from '../../../shared/plugins/plugins.ts'
import { once } from '../../../shared/async/once.ts'
import { Sequencer } from '../../../shared/async/sequencer.ts'
import { ToolError, toFailure } from '../../../shared/errors.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { errorCode } from '../../base/fileErrors.ts'
import { fileDiff } from '../../edit/fileDiff.ts'
import type { Archive } from '../../extract/zipArchive.ts'
import { followJsonFile, openJsonFile } from '../jsonFile.ts'
import { checkPackageFiles, readPackageArchive, readPackageFolder, refused, type PackageFiles } from './packageFiles.ts'
import { pluginFileSchema, type PluginRecord } from './pluginRecord.ts'
import { createPluginData } from './pluginData.ts'
import { createPluginVersions, type PluginVersions, type VersionId } from './pluginVersions.ts'
import { readPlugin, textOf, type PluginReaders } from './readPlugin.ts'

/** A plug-in that the user trusts, whose files are as they were then. */
export interface ActivePlugin extends PluginFolders {
  name: string
  contents: PluginContents
  /** Paths of all its files. */
  files: readonly string[]
  /** Returns the text of a file; null if it is missing, is no text or was changed. */
  readText(file: string): Promise<string | null>
  /** Returns whether the user still trusts it and all its files are unchanged. */
  isUsable(): Promise<boolean>
}

/** The hooks of a plug-in that the user trusts. */
export interface PluginHooks extends PluginFolders {
  name: string
  hash: string
  hooks: readonly PluginHook[]
  /** Returns whether its files have changed since, so that no hook of it may run. Compares them once. */
  isChanged(): Promise<boolean>
}

/**
 * Plug-ins of the user. Their files are copied to `plugins/` of the user data folder, so that a change of the source
 * changes nothing. Nothing of a plug-in is used before the user trusts the hash of all its files.
 */
export interface PluginStore {
  /** @param folder the open one, with the user's choices for it */
  list(folder?: string): Promise<PluginInfo[]>
  /** Adds a folder of this machine. @throws ToolError `invalid_arguments` */
  addFolder(folder: string): Promise<AddedPlugin>
  /** Adds a .zip file. @throws ToolError `invalid_arguments` */
  addArchive(name: string, content: Uint8Array<ArrayBuffer>): Promise<AddedPlugin>
  /** Adds the files of a folder by their paths in it. @throws ToolError `invalid_arguments` */
  addFiles(name: string, files: ReadonlyMap<string, Uint8Array>): Promise<AddedPlugin>
  /** Compares a plug-in with the folder that it came from. @throws ToolError */
  check(name: string): Promise<AddedPlugin>
  /** Returns what differs in the offered version. @throws ToolError `conflict` if another one is offered */
  changes(name: string, hash: string): Promise<PluginChange[]>
  /** Lists the files of the installed or offered version. @throws ToolError `conflict` if there is no such version */
  files(name: string, hash: string): Promise<{ path: string; size: number }[]>
  /** Reads one of these files; null if it is binary, large, missing or changed. @throws ToolError `conflict` */
  readText(name: string, hash: string, file: string): Promise<string | null>
  /**
   * Replaces the installed version. The trust goes over to the offered one.
   * @param prepare called with the parts of both versions before the change applies
   * @throws ToolError `conflict`
   */
  accept(
    name: string,
    hash: string,
    prepare?: (installed: PluginContents, offered: PluginContents) => Promise<void>,
  ): Promise<PluginInfo>
  dismiss(name: string, hash: string): Promise<void>
  /** Stores the user's decision about the files. @throws ToolError `conflict` if they have changed */
  trust(name: string, hash: string, trusted: boolean): Promise<void>
  /**
   * Turns a plug-in on or off in all folders. Off ends the choices of all folders that have it on.
   * @param folder whose own choice ends
   */
  setEnabled(name: string, enabled: boolean, folder?: string): Promise<void>
  /** Turns a plug-in on or off in one folder. */
  setEnabledIn(folder: string, name: string, enabled: boolean): Promise<void>
  /** Measures the data that a plug-in keeps. */
  data(name: string): Promise<PluginData>
  /**
   * @param deleteData whether its data is deleted too. Otherwise only an empty folder for data is
   * @throws ToolError if it was removed, and its data could not be deleted
   */
  remove(name: string, deleteData?: boolean): Promise<void>
  /**
   * Returns what may be used: plug-ins that are enabled and trusted, and whose files are unchanged.
   * @param folder the open one. Default: none
   */
  active(folder?: string): Promise<ActivePlugin[]>
  hooks(folder?: string): Promise<PluginHooks[]>
  /** @returns a function that unsubscribes */
  onChanged(listener: (names: string[]) => void): () => void
  /** Follows changes by other programs. @returns a function that ends it */
  follow(): () => void
}

interface PluginStoreOptions {
  userDataFolder: string
  /** Opens a zip archive with a limit for its unpacked size. */
  openArchive(content: Uint8Array<ArrayBuffer>): Promise<Archive>
  readers: PluginReaders
  onNotice(message: string): void
}

const fileName = 'plugins.json'
const maxPlugins = 50
/** Maximum number of folders with a choice for one plug-in. The oldest choices are forgotten. */
const maxFolders = 500
/** Maximum bytes of a text that is compared, and characters of all of them. */
const maxCompared = 512 * 1024
const maxAllCompared = 4 * 1024 * 1024
/** Maximum milliseconds for the difference of one file. Beyond them it replaces whole blocks. */
const maxDiffMs = 50

const isNamed =
  (name: string) =>
  (record: { name: string }): boolean =>
    record.name.toLowerCase() === name.toLowerCase()

// oxlint-disable-next-line eslint/max-lines-per-function -- One state: the record of the plug-ins.
export async function createPluginStore(options: PluginStoreOptions): Promise<PluginStore> {
  const { userDataFolder, openArchive, readers, onNotice } = options
  const file = await openJsonFile(path.join(userDataFolder, fileName), pluginFileSchema, {}, onNotice, {
    replaceable: true,
  })
  const versions = createPluginVersions(path.join(userDataFolder, 'plugins'))
  const data = createPluginData(path.join(userDataFolder, 'plugin-data'))
  const changes = new Sequencer()
  const listeners = new Set<(names: string[]) => void>()
  const onChanged = () => listeners.forEach((listener) => listener(records().map(({ name }) => name)))
  const records = () => file.value.plugins
  await versions.sweep(records().flatMap((record) => [record, ...offeredOf(record)]))

  function find(name: string): PluginRecord {
    const record = records().find(isNamed(name))
    if (!record)
      throw new ToolError('not_found', `There is no plug-in "${visibleText(name)}".`, 'Look at the list of plug-ins.')
    return record
  }

  /** @throws ToolError `not_found`, `conflict` if this version is neither installed nor offered */
  function versionOf(name: string, hash: string): VersionId {
    const record = find(name)
    if (record.hash !== hash && record.offered?.hash !== hash) throw changedMeanwhile(name)
    return { name: record.name, hash }
  }

  /** Stores a change of one plug-in. Null removes it. @throws ToolError `not_found`, and what `change` throws */
  async function update(name: string, change: (record: PluginRecord) => PluginRecord | null): Promise<void> {
    await file.update(({ plugins }) => {
      if (!plugins.some(isNamed(name))) throw new ToolError('not_found', `The plug-in ${name} was removed.`)
      return { plugins: plugins.flatMap((each) => (isNamed(name)(each) ? (change(each) ?? []) : [each])) }
    })
    onChanged()
  }

  async function infoOf(record: PluginRecord, folder?: string): Promise<PluginInfo> {
    const { name, hash, contents, source, enabled, offered } = record
    const [changedFiles, list, root] = await Promise.all([
      versions.changedFiles(record),
      versions.list(record),
      versions.rootOf(record),
    ])
    const facts = Object.values(list)
    const enabledHere = choiceIn(record, folder)
    return {
      name,
      hash,
      contents,
      source,
      state: changedFiles.length > 0 ? 'changed' : record.trusted === hash ? 'trusted' : 'untrusted',
      changedFiles,
      enabled,
      ...(enabledHere !== undefined && { enabledHere }),
      files: facts.length,
      size: facts.reduce((sum, { size }) => sum + size, 0),
      root,
      ...(offered && { offered }),
    }
  }

  /** Stores a version: as a new plug-in, or as an offer if another version of it is installed. */
  async function add(
    read: PackageFiles,
    fallbackName: string,
    source: PluginSource,
    only?: string,
  ): Promise<AddedPlugin> {
    const { name, contents } = await readPlugin(read, fallbackName, readers)
    if (only !== undefined && !isNamed(only)({ name }))
      throw refused(`This is the plug-in ${name}, not ${only}.`, `Add it as another plug-in, or choose ${only}.`)
    const { hash } = await versions.write(name, read.files)
    const version = { hash, contents, source }
    const known = records().find(isNamed(name))
    const outcome = known === undefined ? 'installed' : known.hash === hash ? 'same' : 'offered'
    const left: { name: string; hash: string }[] = []
    await file.update(({ plugins }) => {
      const before = plugins.find(isNamed(name))
      if (before === undefined) {
        if (plugins.length >= maxPlugins)
          throw new ToolError('too_large', `There are already ${maxPlugins} plug-ins.`, 'Remove one first.')
        return { plugins: [...plugins, { name, ...version, trusted: null, enabled: true, folders: [] }] }
      }
      const { offered, ...installed } = before
      // A version from elsewhere still waits, although the source has nothing new.
      const waits = offered && before.hash === hash && !isDeepStrictEqual(offered.source, source)
      if (offered && offered.hash !== hash && offered.hash !== before.hash && !waits)
        left.push({ name, hash: offered.hash })
      const same = { ...installed, source, ...(waits && { offered }) }
      const after = before.hash === hash ? same : { ...installed, offered: version }
      return { plugins: plugins.map((each) => (each === before ? after : each)) }
    })
    for (const each of left) await versions.remove(each)
    onChanged()
    return { outcome, plugin: await infoOf(find(name)) }
  }

  const adding = (what: string, work: () => Promise<AddedPlugin>) =>
    changes.queue(async () => {
      try {
        return await work()
      } catch (error) {
        if (error instanceof ToolError) throw error
        if (errorCode(error) === 'ENOENT')
          throw new ToolError(
            'invalid_arguments',
            `${visibleText(what)} does not exist.`,
            'Choose the folder or .zip file of a plug-in.',
            { cause: error },
          )
        const reason = toFailure(error).message.replace(/\.$/, '')
        throw new ToolError(
          'invalid_arguments',
          `${visibleText(what)} could not be read: ${reason}.`,
          'Choose the folder or .zip file of a plug-in.',
          { cause: error },
        )
      }
    })
  const addFolder = (folder: string, only?: string) =>
    adding(folder, async () =>
      add(await readPackageFolder(folder), path.basename(folder), { kind: 'folder', path: path.resolve(folder) }, only),
    )

  const usable = (folder?: string) =>
    records().filter((record) => (choiceIn(record, folder) ?? record.enabled) && record.trusted === record.hash)
  const foldersOf = async (record: PluginRecord): Promise<PluginFolders> => ({
    root: await versions.rootOf(record),
    data: await data.folderOf(record.name, record.contents.hooks.length + record.contents.servers.length > 0),
    ...(runsFromData(record.contents) && { readOnlyData: true }),
  })

  return {
    list: async (folder) =>
      (await Promise.all(records().map((record) => infoOf(record, folder)))).toSorted((a, b) =>
        a.name.localeCompare(b.name),
      ),
    addFolder: (folder) => addFolder(folder),
    addArchive: (name, content) =>
      adding(name, async () =>
        add(await readPackageArchive(await openArchive(content)), name.replace(/\.zip$/i, ''), {
          kind: 'archive',
          name,
        }),
      ),
    addFiles: (name, files) => adding(name, async () => add(checkPackageFiles(files), name, { kind: 'archive', name })),
    async check(name) {
      const { source } = find(name)
      if (source.kind === 'folder') return addFolder(source.path, name)
      throw new ToolError(
        'invalid_arguments',
        `${name} was installed from ${visibleText(source.name)}, which is not on this machine any more.`,
        'Install the new version from its folder or .zip file. The difference is shown before it is used.',
      )
    },
    async changes(name, hash) {
      return compare(find(name), hash, versions)
    },
    async files(name, hash) {
      const list = Object.entries(await versions.list(versionOf(name, hash)))
      return list.map(([file, { size }]) => ({ path: file, size })).toSorted((a, b) => (a.path < b.path ? -1 : 1))
    },
    async readText(name, hash, file) {
      const content = await versions.read(versionOf(name, hash), file)
      return content && (textOf(new Map([[file, content]]), file, maxCompared) ?? null)
    },
    accept: (name, hash, prepare) =>
      changes.queue(async () => {
        const before = find(name)
        if (before.offered?.hash !== hash) throw changedMeanwhile(name)
        const untouched = (await versions.changedFiles(before)).length === 0
        const complete = (await versions.changedFiles({ name: before.name, hash })).length === 0
        if (!complete) throw changedMeanwhile(name)
        await prepare?.(before.contents, before.offered.contents)
        await update(name, ({ offered, ...record }) => {
          if (offered?.hash !== hash || record.hash !== before.hash) throw changedMeanwhile(name)
          return { ...record, ...offered, trusted: untouched && record.trusted === record.hash ? hash : null }
        })
        if (before.hash !== hash) await versions.remove(before)
        return infoOf(find(name))
      }),
    dismiss: (name, hash) =>
      changes.queue(async () => {
        let isDropped = false
        await update(name, (before) => {
          if (before.offered?.hash !== hash) return before
          const { offered: _offered, ...record } = before
          // Another program can have accepted it.
          isDropped = record.hash !== hash
          return record
        })
        if (isDropped) await versions.remove({ name, hash })
      }),
    trust: (name, hash, trusted) =>
      changes.queue(async () => {
        const record = find(name)
        if (trusted && (await versions.changedFiles(record)).length > 0) throw changedMeanwhile(name)
        await update(name, (each) => {
          if (each.hash !== hash) throw changedMeanwhile(name)
          return { ...each, trusted: trusted ? hash : null }
        })
      }),
    setEnabled: (name, enabled, folder) =>
      changes.queue(() =>
        update(find(name).name, (record) => ({
          ...record,
          enabled,
          // Off means off everywhere.
          folders: otherFolders(record, folder).filter((choice) => enabled || !choice.enabled),
        })),
      ),
    setEnabledIn: (folder, name, enabled) =>
      changes.queue(() =>
        update(find(name).name, (record) => ({
          ...record,
          folders: [
            ...otherFolders(record, folder),
            ...(enabled === record.enabled ? [] : [{ path: folder, enabled }]),
          ].slice(-maxFolders),
        })),
      ),
    data: async (name) => data.measure(find(name).name),
    remove: (name, deleteData = false) =>
      changes.queue(async () => {
        const removed: { name: string; hash: string }[] = []
        await update(find(name).name, (record) => {
          removed.push(record, ...offeredOf(record))
          return null
        })
        for (const version of removed) await versions.remove(version)
        const [gone] = removed
        if (gone) await (deleteData ? data.remove(gone.name) : data.removeEmpty(gone.name))
      }),
    async active(folder) {
      const found = await Promise.all(
        usable(folder).map(async (record): Promise<ActivePlugin[]> => {
          if ((await versions.changedFiles(record)).length > 0) return []
          const { name, contents } = record
          const files = Object.keys(await versions.list(record))
          const readText = async (each: string) => {
            const content = await versions.read(record, each)
            return content === null ? null : (textOf(new Map([[each, content]]), each) ?? null)
          }
          const isUsable = async () =>
            usable(folder).some((each) => isNamed(name)(each) && each.hash === record.hash) &&
            (await versions.changedFiles(record)).length === 0
          return [{ name, contents, files, ...(await foldersOf(record)), readText, isUsable }]
        }),
      )
      return found.flat()
    },
    hooks: (folder) =>
      Promise.all(
        usable(folder)
          .filter(({ contents }) => contents.hooks.length > 0)
          .map(async (record) => ({
            name: record.name,
            hash: record.hash,
            ...(await foldersOf(record)),
            hooks: record.contents.hooks,
            isChanged: once(async () => (await versions.changedFiles(record)).length > 0),
          })),
      ),
    onChanged(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    follow: () => followJsonFile(path.join(userDataFolder, fileName), file, onChanged, onNotice),
  }
}

/** Returns the user's choice for a folder; undefined if there is none. */
const choiceIn = ({ folders }: PluginRecord, folder: string | undefined) =>
  folders.find((choice) => choice.path === folder)?.enabled

const otherFolders = ({ folders }: PluginRecord, folder: string | undefined) =>
  folders.filter((choice) => choice.path !== folder)

const offeredOf = ({ name, offered }: PluginRecord) => (offered ? [{ name, hash: offered.hash }] : [])

const changedMeanwhile = (name: string) =>
  new ToolError('conflict', `${name} has changed since you reviewed it.`, 'Review it again, then decide.')

/** Compares the files of the installed and the offered version. Large and binary files have no text. */
async function compare(record: PluginRecord, hash: string, versions: PluginVersions): Promise<PluginChange[]> {
  if (record.offered?.hash !== hash) throw changedMeanwhile(record.name)
  const offered = { name: record.name, hash }
  const [before, after] = await Promise.all([versions.list(record), versions.list(offered)])
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const found = paths
    .map((each): PluginChange => ({ path: each, before: before[each] ?? null, after: after[each] ?? null }))
    .filter((change) => change.before?.hash !== change.after?.hash)
  let compared = 0
  // The smallest first, so that no large file hides the differences of others.
  for (const change of found.toSorted((one, other) => sizeOf(one) - sizeOf(other))) {
    const text = await comparedTexts(change, record, offered, versions)
    if (text === undefined) continue
    compared += text.before.length + text.after.length
    if (compared > maxAllCompared) break
    change.text = text
    await setImmediate()
  }
  return found.toSorted((one, other) => (one.path < other.path ? -1 : 1))
}

const sizeOf = ({ before, after }: PluginChange) => (before?.size ?? 0) + (after?.size ?? 0)

/** Returns the difference of two texts; undefined if one is binary or large, or an added or removed one is empty. */
async function comparedTexts(
  { path: file, before, after }: PluginChange,
  installed: VersionId,
  offered: VersionId,
  versions: PluginVersions,
): Promise<PluginChange['text']> {
  if (Math.max(before?.size ?? 0, after?.size ?? 0) > maxCompared) return undefined
  const [old, next] = await Promise.all([
    before && versions.read(installed, file),
    after && versions.read(offered, file),
  ])
  const [one, other] = [old, next].map((content) => content && textOf(new Map([[file, content]]), file, maxCompared))
  if ((before && typeof one !== 'string') || (after && typeof other !== 'string')) return undefined
  const diff = fileDiff(file, one ?? null, other ?? null, maxDiffMs)
  if (diff.diff === '' && !(old && next)) return undefined
  const isOtherBytes = old && next && (diff.diff === '' || !isDeepStrictEqual(endingsOf(old), endingsOf(next)))
  return { diff, before: one ?? '', after: other ?? '', ...(isOtherBytes && { endingsDiffer: true }) }
}

/** What a text loses when it is decoded for a diff: a byte order mark, and the kinds of its line endings. */
function endingsOf(content: Uint8Array): { mark: boolean; windows: boolean; unix: boolean } {
  const text = Buffer.from(content).toString('latin1')
  return {
    mark: text.startsWith('\u00ef\u00bb\u00bf'),
    windows: text.includes('\r\n'),
    unix: /(?:^|[^\r])\n/.test(text),
  }
}
