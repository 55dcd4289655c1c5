import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { extensionRecordSchema, type ExtensionRecord } from './extensionRecord.ts'

/** Maximum number of installed extensions. */
export const maxExtensions = 200
/** The record in the folder of an extension. */
export const recordFile = 'extension.json'

/** Reads what is stored of extensions. */
export interface StoredExtensions {
  folderOf(id: string): string
  /** All extensions, by name. */
  records(): Promise<ExtensionRecord[]>
  /** Null: not installed, or damaged. */
  readRecord(id: string): Promise<ExtensionRecord | null>
  /** Reads a file by its path in the extension; null if there is none. */
  readStored(record: ExtensionRecord, file: string): Promise<Buffer | null>
  readJson(record: ExtensionRecord, file: string): Promise<unknown>
}

/** @param folder with a folder for each extension; names with a leading dot are being written */
export function createStoredExtensions(folder: string): StoredExtensions {
  const folderOf = (id: string) => path.join(folder, path.basename(id))

  async function readRecord(id: string): Promise<ExtensionRecord | null> {
    try {
      const text = await readFile(path.join(folderOf(id), recordFile), 'utf8')
      const record = extensionRecordSchema.parse(JSON.parse(text))
      return record.id === id ? record : null
    } catch {
      // Removed meanwhile, or damaged. It is not listed and can be installed again.
      return null
    }
  }

  async function readStored({ id, files }: ExtensionRecord, file: string): Promise<Buffer | null> {
    const name = Object.hasOwn(files, file) ? files[file] : undefined
    if (name === undefined) return null
    return readFile(path.join(folderOf(id), path.basename(name))).catch(() => null)
  }

  return {
    folderOf,
    readRecord,
    readStored,
    async records() {
      const names = await readdir(folder).catch((): string[] => [])
      const ids = names.filter((name) => !name.startsWith('.')).slice(0, maxExtensions)
      const found = await Promise.all(ids.map((id) => readRecord(id)))
      return found.filter((record) => record !== null).toSorted((a, b) => a.name.localeCompare(b.name))
    },
    async readJson(record, file) {
      const content = await readStored(record, file)
      try {
        return content === null ? null : JSON.parse(content.toString('utf8'))
      } catch {
        return null
      }
    },
  }
}
