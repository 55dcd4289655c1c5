import path from 'node:path'
import type { Configuration } from './debuggerDefinition.ts'

/** Folder of the package that a source file belongs to, by Cargo's layout. */
const packageOf = (file: string): string => /^(.*?)\/?(?:src|tests|examples|benches)\//.exec(`/${file}`)?.[1] ?? ''

const inFolder = (file: string): { cwd: string } => ({ cwd: `\${workspaceFolder}${packageOf(file)}` })

/** Builds and debugs the program of a Rust file. */
export function rustFile(file: string): Configuration {
  const name = path.posix.basename(file, '.rs')
  const folder = path.posix.basename(path.posix.dirname(file))
  const target = folder === 'bin' ? [`--bin=${name}`] : folder === 'examples' ? [`--example=${name}`] : []
  return { ...inFolder(file), cargo: { args: ['build', ...target] } }
}

/** Builds the tests of a Rust file's package, and debugs those with the name. */
export function rustTest(file: string, test: string): Configuration {
  const name = path.posix.basename(file, '.rs')
  const folder = path.posix.basename(path.posix.dirname(file))
  const target = folder === 'tests' ? [`--test=${name}`] : folder === 'bin' ? [`--bin=${name}`] : []
  return { ...inFolder(file), cargo: { args: ['test', '--no-run', ...target] }, args: [test] }
}
