import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { errorCode } from '../base/fileErrors.ts'
import { makeFolder } from '../base/makeFolder.ts'
import { copiedFilesSchema } from './includedFiles.ts'
import type { CopyLists } from './sessionDeps.ts'

/** Stores the lists of copied files as JSON files in a folder. */
export function createCopyLists(folder: string): CopyLists {
  const fileOf = (session: string) => path.join(folder, `${session}.json`)
  return {
    async read(session) {
      const text = await readFile(fileOf(session), 'utf8').catch((error: unknown) => {
        if (errorCode(error) === 'ENOENT') return '{}'
        throw error
      })
      return copiedFilesSchema.parse(JSON.parse(text))
    },
    async write(session, copied) {
      await makeFolder(folder)
      await writeFile(`${fileOf(session)}.new`, JSON.stringify(copied), { mode: 0o600 })
      await rename(`${fileOf(session)}.new`, fileOf(session))
    },
    remove: (session) => rm(fileOf(session), { force: true }),
  }
}
