import { cacheCompiledModules } from './hosts/compileCache.ts'

// A relay only passes bytes on, so it loads as little as possible.
if (process.argv[2] === 'serve') {
  cacheCompiledModules()
  // Imported late, so that the compile cache covers it.
  await import('./hosts/remote/serverProgram.ts')
} else await import('./hosts/remote/relayProgram.ts')
