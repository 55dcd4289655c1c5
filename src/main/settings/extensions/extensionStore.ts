import { randomUUID } from 'node:crypto'
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { readColorTheme, type ColorTheme } from '../../../shared/editor/colorTheme.ts'
import type { Snippet } from '../../../shared/editor/snippets.ts'
import type { Contributions, ExtensionInfo } from '../../../shared/extensions/extensions.ts'
import type { IconTheme } from '../../../shared/extensions/iconTheme.ts'
import { Sequencer } from '../../../shared/async/sequencer.ts'
import { ToolError, toFailure } from '../../../shared/errors.ts'
import { makeFolder } from '../../base/makeFolder.ts'
import type { Archive } from '../../extract/zipArchive.ts'
import { openJsonFile } from '../jsonFile.ts'
import { extensionRecordSchema, type ExtensionRecord, type JudgeExpressions } from './extensionRecord.ts'
import { iconTypes } from './iconThemeFile.ts'
import { readExtension, type ReadExtension } from './readExtension.ts'
import { createStoredExtensions, maxExtensions, recordFile, type StoredExtensions } from './storedExtensions.ts'

/** Folder in a packed extension that contains it. */
const packedRoot = 'extension'
/** Prefix of folders that are being written. */
const temporaryPrefix = '.new-'
/** Suffix of the folder with the version that is being replaced. */
const replacedSuffix = '-replaced'
/** Age in milliseconds after which no program writes a folder any more. */
const abandonedMs = 3_600_000

/**
 * VS Code extensions of the declarative kind, in `extensions/` of the user data folder. Only the files that Tizona uses
 * are stored, under names of their own, so nothing of an extension can run or leave its folder.
 */
export interface ExtensionStore {
  list(): Promise<ExtensionInfo[]>
  /** Installs a .vsix file, or replaces the extension. @throws ToolError `invalid_arguments` */
  install(name: string, content: Uint8Array<ArrayBuffer>): Promise<ExtensionInfo>
  /** Installs the files of a folder by their paths in it. @throws ToolError `invalid_arguments` */
  installFolder(name: string, files: ReadonlyMap<string, Uint8Array>): Promise<ExtensionInfo>
  remove(id: string): Promise<void>
  setEnabled(id: string, enabled: boolean): Promise<void>
  /** What the enabled extensions bring to a window. */
  contributions(): Promise<Contributions>
  /** The color themes of the enabled extensions. */
  themes(): Promise<ColorTheme[]>
  /** The snippets of the enabled extensions. */
  snippets(): Promise<Snippet[]>
  /** @throws ToolError not_found */
  readText(id: string, file: string): Promise<string>
  /** @throws ToolError not_found */
  iconTheme(id: string): Promise<IconTheme>
  /** Reads images and fonts as data URLs; null for a missing one. */
  images(id: string, files: readonly string[]): Promise<(string | null)[]>
}

interface ExtensionStoreOptions {
  userDataFolder: string
  /** Opens a zip archive with a limit for its unpacked size. */
  openArchive(content: Uint8Array<ArrayBuffer>): Promise<Archive>
  judge: JudgeExpressions
  onNotice(message: string): void
  onChanged(ids: string[]): void
}

const stateSchema = z.object({ disabled: z.array(z.string()).default([]) })

const missing = (what: string) =>
  new ToolError('not_found', `${what} is not installed.`, 'Install the extension again.')

export async function createExtensionStore(options: ExtensionStoreOptions): Promise<ExtensionStore> {
  const { userDataFolder, openArchive, judge, onNotice, onChanged } = options
  const folder = path.join(userDataFolder, 'extensions')
  const state = await openJsonFile(path.join(userDataFolder, 'extensions.json'), stateSchema, {}, onNotice, {
    replaceable: true,
  })
  const changes = new Sequencer()
  const stored = createStoredExtensions(folder)
  const { folderOf, records } = stored
  await sweep(folder, stored)

  const isEnabled = ({ id }: ExtensionRecord) => !state.value.disabled.includes(id)
  const infoOf = (record: ExtensionRecord): ExtensionInfo => {
    const { id, name, version, description, used, notUsed } = record
    return { id, name, version, description, enabled: isEnabled(record), used, notUsed }
  }

  /** Writes an extension beside the others, and then moves it to its place, so that it is never there in part. */
  async function write({ record, files }: ReadExtension): Promise<ExtensionInfo> {
    const installed = await records()
    if (installed.length >= maxExtensions && !installed.some(({ id }) => id === record.id))
      throw new ToolError('too_large', `There are already ${maxExtensions} extensions.`, 'Remove one first.')
    await makeFolder(folder)
    const temporary = path.join(folder, `${temporaryPrefix}${randomUUID()}`)
    const replaced = `${temporary}${replacedSuffix}`
    try {
      await makeFolder(temporary)
      for (const [name, content] of files) await writeFile(path.join(temporary, name), content, { mode: 0o600 })
      await writeFile(path.join(temporary, recordFile), JSON.stringify(record), { mode: 0o600 })
      await rename(folderOf(record.id), replaced).catch(ignoreMissing)
      await rename(temporary, folderOf(record.id)).catch(async (error: unknown) => {
        await rename(replaced, folderOf(record.id)).catch(ignoreMissing)
        throw error
      })
      await rm(replaced, { recursive: true, force: true })
    } finally {
      await rm(temporary, { recursive: true, force: true })
    }
    await state.update(({ disabled }) => ({ disabled: disabled.filter((id) => id !== record.id) }))
    onChanged([record.id])
    return infoOf(record)
  }

  const installFrom = (name: string, read: (file: string) => Promise<Uint8Array | null>) =>
    changes.queue(async () => {
      try {
        return await write(await readExtension(read, judge))
      } catch (error) {
        if (error instanceof ToolError) throw error
        throw unreadable(name, error)
      }
    })

  return {
    list: async () => (await records()).map(infoOf),
    async install(name, content) {
      const archive = await openArchive(content).catch((error: unknown) => {
        throw unreadable(name, error)
      })
      return installFrom(name, async (file) => {
        const part = `${packedRoot}/${file}`
        return archive.has(part) ? archive.read(part) : null
      })
    },
    installFolder: (name, files) => installFrom(name, async (file) => files.get(file) ?? null),
    remove: (id) =>
      changes.queue(async () => {
        // Renamed first, so that it is gone at once.
        const removed = path.join(folder, `${temporaryPrefix}${randomUUID()}`)
        await rename(folderOf(id), removed).catch(ignoreMissing)
        await rm(removed, { recursive: true, force: true })
        await state.update(({ disabled }) => ({ disabled: disabled.filter((each) => each !== id) }))
        onChanged([id])
      }),
    setEnabled: (id, on) =>
      changes.queue(async () => {
        await state.update(({ disabled }) => {
          const others = disabled.filter((each) => each !== id)
          return { disabled: on ? others : [...others, id] }
        })
        onChanged([id])
      }),
    ...readsOf(stored, isEnabled),
  }
}

function ignoreMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}

/** Restores versions whose replacement was interrupted, and removes what other interrupted changes left. */
async function sweep(folder: string, { folderOf }: StoredExtensions): Promise<void> {
  const names = await readdir(folder).catch((): string[] => [])
  for (const name of names.filter((each) => each.startsWith(temporaryPrefix))) {
    const left = path.join(folder, name)
    try {
      if (name.endsWith(replacedSuffix)) {
        const { id } = extensionRecordSchema.parse(JSON.parse(await readFile(path.join(left, recordFile), 'utf8')))
        // Fails if the new version is there.
        await rename(left, folderOf(id)).catch(() => undefined)
      }
      if (Date.now() - (await stat(left)).mtimeMs > abandonedMs) await rm(left, { recursive: true, force: true })
    } catch {
      // Restored, removed by another program, or damaged. Nothing lists it.
    }
  }
}

type Reads = Pick<ExtensionStore, 'contributions' | 'themes' | 'snippets' | 'readText' | 'iconTheme' | 'images'>

/** The part of the store that only reads. */
function readsOf(stored: StoredExtensions, isEnabled: (record: ExtensionRecord) => boolean): Reads {
  const { records, readRecord, readStored, readJson } = stored
  const enabled = async () => (await records()).filter(isEnabled)
  return {
    async contributions() {
      return contributionsOf(await enabled())
    },
    async themes() {
      const read = async (record: ExtensionRecord) =>
        Promise.all(
          record.themes.map(async ({ label, path: file }) =>
            readColorTheme(`${record.id}/${label}`, await readJson(record, file)),
          ),
        )
      return (await Promise.all((await enabled()).map(read))).flat().filter((theme) => theme !== null)
    },
    async snippets() {
      const read = async (record: ExtensionRecord) =>
        Promise.all(
          // Written by readSnippetFiles.
          record.snippets.map(async ({ path: file }) => ((await readJson(record, file)) ?? []) as Snippet[]),
        )
      return (await Promise.all((await enabled()).map(read))).flat(2)
    },
    async readText(id, file) {
      const record = await readRecord(id)
      const content = record && (await readStored(record, file))
      if (!content) throw missing(`${file} of ${id}`)
      return content.toString('utf8').replace(/^\uFEFF/, '')
    },
    async iconTheme(id) {
      const slash = id.indexOf('/')
      const extension = id.slice(0, slash)
      const record = await readRecord(extension)
      const theme = record?.iconThemes.find((each) => each.id === id.slice(slash + 1))
      // Written by readIconThemeFile.
      const read = record && theme && ((await readJson(record, theme.path)) as IconTheme | null)
      if (!read || !isEnabled(record)) throw missing(`The file icon theme ${id}`)
      return { ...read, id, extension }
    },
    async images(id, files) {
      const record = await readRecord(id)
      return Promise.all(
        files.map(async (file) => {
          const type = iconTypes[path.posix.extname(file).toLowerCase()]
          const content = record && type !== undefined ? await readStored(record, file) : null
          return content && `data:${type};base64,${content.toString('base64')}`
        }),
      )
    },
  }
}

function contributionsOf(all: readonly ExtensionRecord[]): Contributions {
  return {
    languages: all.flatMap(({ languages }) => languages),
    grammars: all.flatMap(({ id, grammars }) => grammars.map((grammar) => ({ ...grammar, extension: id }))),
    schemas: all.flatMap(({ id, schemas }) => schemas.map((schema) => ({ ...schema, extension: id }))),
    keybindings: all.flatMap(({ keybindings }) => keybindings),
    iconThemes: all.flatMap(({ id, iconThemes }) =>
      iconThemes.map((theme) => ({ id: `${id}/${theme.id}`, label: theme.label })),
    ),
  }
}

function unreadable(name: string, cause: unknown): ToolError {
  return new ToolError(
    'invalid_arguments',
    `${name} could not be read: ${toFailure(cause).message.replace(/\.$/, '')}.`,
    'Choose the .vsix file or the folder of a VS Code extension.',
    { cause },
  )
}
