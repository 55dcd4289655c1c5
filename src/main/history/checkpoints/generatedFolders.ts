/**
 * Folders of generated files, which would take more space than all sources. Excludes `build`, `bin`, `obj` and
 * `vendor`, which contain sources in many projects.
 */
const generatedFolders: ReadonlySet<string> = new Set([
  'node_modules',
  'bower_components',
  'jspm_packages',
  '.pnpm-store',
  '.yarn',
  'target',
  'dist',
  'out',
  '.next',
  '.nuxt',
  '.svelte-kit',
  '.turbo',
  '.parcel-cache',
  '.vite',
  '.angular',
  'coverage',
  '__pycache__',
  '.venv',
  'venv',
  '.tox',
  '.nox',
  '.mypy_cache',
  '.pytest_cache',
  '.ruff_cache',
  '.ipynb_checkpoints',
  '.gradle',
  '.dart_tool',
  '.terraform',
  'Pods',
  'DerivedData',
  '.cache',
  '.hg',
  '.svn',
  '.jj',
])

/** File that marks a folder as a deletable cache (bford.info/cachedir). Written by cargo, pip and others. */
export const cacheMarker = 'CACHEDIR.TAG'

/** Whether checkpoints skip folders with this name. */
export function isGenerated(name: string): boolean {
  return generatedFolders.has(name)
}
