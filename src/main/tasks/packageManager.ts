/** Returns the package manager of a project by its lock file. @param rootEntries names of the entries at the root */
export function packageManager(rootEntries: readonly string[]): 'npm' | 'pnpm' | 'yarn' | 'bun' {
  if (rootEntries.includes('pnpm-lock.yaml')) return 'pnpm'
  if (rootEntries.includes('yarn.lock')) return 'yarn'
  if (rootEntries.includes('bun.lock') || rootEntries.includes('bun.lockb')) return 'bun'
  return 'npm'
}
