import { cacheCompiledModules } from './hosts/compileCache.ts'

cacheCompiledModules()
// Imported afterwards, so that the cache covers it.
await import('./hosts/browser/browserProgram.ts')
