import { cacheCompiledModules } from './hosts/compileCache.ts'

cacheCompiledModules()
// Imported late, so that the compile cache covers it.
await import('./hosts/browser/browserProgram.ts')
