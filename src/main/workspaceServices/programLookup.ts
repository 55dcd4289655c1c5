import { lstat, realpath } from 'node:fs/promises'
import path from 'node:path'
import type { ProgramLookup } from '../approval/readOnly/readOnlyCheck.ts'
import { commandEnvironment } from '../command/commandEnvironment.ts'
import { readSmallFile } from '../command/sandbox/readSmallFile.ts'
import { findProgram } from '../command/shellProgram.ts'
import { isPassiveConfiguration } from '../git/passiveConfiguration.ts'

/** Finds programs in the same way as commands that run in a folder. @param root real path of the folder */
export function createProgramLookup(root: () => string, source: NodeJS.ProcessEnv = process.env): ProgramLookup {
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
    async startsConfigured(gitFolder) {
      const folder = path.join(root(), gitFolder)
      // Submodules have a configuration of their own. `git status` starts the hook when it updates the index.
      for (const name of ['modules', 'hooks/post-index-change'])
        if (await lstat(path.join(folder, name)).then(Boolean, () => false)) return true
      return !isPassiveConfiguration(await readSmallFile(path.join(folder, 'config')))
    },
  }
}
