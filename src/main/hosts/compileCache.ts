import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { makeFolderSync } from '../base/makeFolder.ts'
import { userDataFolder } from './installation.ts'

/**
 * Makes Node cache compiled modules on disk, so that later starts need not compile them again. The cache is in the user
 * data folder, which no tool may write, and not in the shared temporary folder, Node's default. Affects only modules
 * loaded afterwards. If the folder cannot be written, Node continues without the cache.
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
