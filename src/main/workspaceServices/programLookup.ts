import { realpath } from 'node:fs/promises'
import path from 'node:path'
import type { ProgramLookup } from '../approval/readOnly/readOnlyCheck.ts'
import { commandEnvironment } from '../command/commandEnvironment.ts'
import { createUserSettings } from '../git/userSettings.ts'
import { findProgram } from '../command/shellProgram.ts'
import { isWholeRepository, startsConfiguredPrograms } from './gitPrograms.ts'

/** Finds programs in the same way as commands that run in a folder. @param root real path of the folder */
export function createProgramLookup(root: () => string, source: NodeJS.ProcessEnv = process.env): ProgramLookup {
  const userSettings = createUserSettings(() => commandEnvironment(source))

  async function realFile(name: string): Promise<string | undefined> {
    try {
      return await realpath(await findProgram(name, root(), commandEnvironment(source)))
    } catch {
      return undefined
    }
  }

  return {
    async unsafePath(name) {
      const folders = (commandEnvironment(source).PATH ?? '').split(path.delimiter)
      if (folders.some((folder) => !path.isAbsolute(folder))) return 'PATH contains a relative folder'
      const real = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)))
      const workspace = root()
      const isInside = (file: string) => file === workspace || file.startsWith(workspace + path.sep)
      if (real.some(isInside)) return 'PATH contains a folder of the workspace, which could replace the program'
      const file = await realFile(name)
      return file !== undefined && isInside(file) ? `\`${name}\` is a link to a file of the workspace` : undefined
    },
    realFile,
    isRepository: (gitFolder) => isWholeRepository(path.join(root(), gitFolder)),
    startsConfigured: (gitFolder) =>
      startsConfiguredPrograms(path.join(root(), gitFolder), {
        workspace: root(),
        home: commandEnvironment(source).HOME,
        userSettings,
        realFile,
      }),
  }
}
