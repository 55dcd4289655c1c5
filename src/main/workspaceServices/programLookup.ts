import { lstat, realpath } from 'node:fs/promises'
import path from 'node:path'
import type { ProgramLookup } from '../approval/readOnly/readOnlyCheck.ts'
import { commandEnvironment } from '../command/commandEnvironment.ts'
import { readSmallFile } from '../command/sandbox/readSmallFile.ts'
import { findProgram } from '../command/shellProgram.ts'
import { isPassiveConfiguration } from '../git/passiveConfiguration.ts'

/** Finds programs in the same way as commands that run in a folder. @param root real path of the folder */
export function createProgramLookup(root: () => string, source: NodeJS.ProcessEnv = process.env): ProgramLookup {
  return {
    async unsafePath() {
      const folders = (commandEnvironment(source).PATH ?? '').split(path.delimiter)
      if (folders.some((folder) => !path.isAbsolute(folder))) return 'PATH contains a relative folder'
      const real = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)))
      const workspace = root()
      return real.some((folder) => folder === workspace || folder.startsWith(workspace + path.sep))
        ? 'PATH contains a folder of the workspace, which could replace the program'
        : undefined
    },
    async realFile(name) {
      try {
        return await realpath(await findProgram(name, root(), commandEnvironment(source)))
      } catch {
        return undefined
      }
    },
    async startsConfigured(gitFolder) {
      const folder = path.join(root(), gitFolder)
      // Submodules have a configuration of their own. `git status` starts the hook when it updates the index.
      for (const name of ['modules', 'hooks/post-index-change'])
        if (await lstat(path.join(folder, name)).then(Boolean, () => false)) return true
      return !isPassiveConfiguration(await readSmallFile(path.join(folder, 'config')))
    },
  }
}
