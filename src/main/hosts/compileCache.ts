import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { makeFolderSync } from '../base/makeFolder.ts'
import { userDataFolder } from './installation.ts'

/**
 * Makes Node keep compiled modules on disk, so that later starts need not compile them again. The folder is in the user
 * data folder, which no tool may write, and not in the shared temporary folder that is Node's default. Affects only
 * modules that are loaded afterwards. If the folder cannot be written, Node continues without it.
 */
export function cacheCompiledModules(): void {
  const folder = join(userDataFolder(), 'compiled')
  try {
    makeFolderSync(folder)
  } catch {
    // The core reports why the data folder cannot be used.
    return
  }
  enableCompileCache(folder)
}
