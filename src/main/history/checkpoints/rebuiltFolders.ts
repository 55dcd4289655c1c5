/**
 * Folders that tools fill and can fill again: keeping them would cost more than everything people write. `build`, `bin`, `obj` and
 * `vendor` are not among them, for in many projects they hold sources.
 */
const rebuilt: ReadonlySet<string> = new Set([
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

/** Marks a folder that may be deleted at any time (bford.info/cachedir); cargo, pip and others write it. */
export const cacheMark = 'CACHEDIR.TAG'

/** Whether a folder of this name is left out of checkpoints, with a word on it. */
export function isRebuilt(name: string): boolean {
  return rebuilt.has(name)
}
