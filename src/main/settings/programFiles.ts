import { readdir, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { readSmallFile } from '../base/smallFile.ts'
import { distributionFiles } from './pythonDistribution.ts'

/** Limits of what is read for one program. A program that exceeds them is never approved. */
const maxPackages = 500
const maxFiles = 50_000

/**
 * Lists the files that run when a program of a folder runs, as far as files name them:
 *
 * - in `node_modules`, its package with all packages that it depends on;
 * - in a virtual environment, the files that pip or uv installed for it and its dependencies;
 * - of a configuration that is a script, the file with the scripts and packages that it names;
 * - of another configuration, the scripts and packages that it names, such as plugins, and the file itself if it may name
 *   any (empty if not);
 * - of any other program, its file.
 *
 * @param file absolute path
 * @returns absolute paths, sorted; null if the program is missing or too large
 */
export async function programFiles(file: string): Promise<string[] | null> {
  const real = await realpath(file).catch(() => undefined)
  if (real === undefined) return null
  const own = packageOf(real)
  if (own === undefined) {
    const installed = await distributionFiles(file)
    if (installed !== undefined) return installed && sorted([real, ...installed])
  }
  const isConfiguration = own === undefined && (isScript(real) || isData(real))
  const named = isConfiguration ? await namedBy(real) : { scripts: [real], packages: own === undefined ? [] : [own] }
  if (named === null) return null
  // A script in `.bin` that is no link starts the package of its name.
  if (path.basename(path.dirname(file)) === '.bin') {
    const started = await realpath(path.join(path.dirname(file), '..', path.basename(file))).catch(() => undefined)
    if (started !== undefined) named.packages.push(started)
  }
  const packages = await withDependencies(named.packages)
  if (packages === null) return null
  const files = [...named.scripts]
  for (const folder of packages) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []))
      if (entry.isFile()) files.push(path.join(entry.parentPath, entry.name))
    if (files.length > maxFiles) return null
  }
  return sorted(files)
}

const sorted = (files: readonly string[]): string[] | null =>
  files.length > maxFiles ? null : [...new Set(files)].toSorted()

const isScript = (file: string): boolean => /\.[cm]?[jt]sx?$/.test(file)
/** Whether a file is data that names code, such as `.prettierrc`. */
const isData = (file: string): boolean => /(?:\.(?:jsonc?|json5|ya?ml|toml)|^\.[^.]+)$/.test(path.basename(file))

/** Maximum number of strings of a configuration and its scripts that are tried as names. */
const maxNames = 10_000
const endings = ['', ...['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'].map((each) => `.${each}`), '/index.js']

/**
 * Finds the scripts and packages that a configuration names, and those that these scripts name. A name is any string
 * that leads to one, because plugins are imported, required and listed in many forms.
 * @returns null if they are too large to read
 */
async function namedBy(configuration: string): Promise<{ scripts: string[]; packages: string[] } | null> {
  const scripts = new Set<string>()
  const packages = new Set<string>()
  const read = new Set([configuration])
  let tried = 0
  for (const file of read) {
    const text = await configurationText(file)
    if (text === null) return null
    if (isScript(file) || mayNameCode.test(text)) scripts.add(file)
    const names = isScript(file) ? quotedIn(text) : new Set([...quotedIn(text), ...(text.match(/[\w@./-]+/g) ?? [])])
    tried += names.size
    if (tried > maxNames) return null
    for (const name of names) {
      const script = /^\.{1,2}\//.test(name) ? await scriptNamed(path.resolve(path.dirname(file), name)) : undefined
      if (script !== undefined && !/\.jsonc?$/.test(script)) {
        scripts.add(script)
        if (isScript(script)) read.add(script)
      }
      const [, packageName] = /^((?:@[\w.-]+\/)?[\w-][\w.-]*)(?:\/|$)/.exec(name) ?? []
      const found = packageName === undefined ? undefined : await findPackage(packageName, path.dirname(file))
      if (found !== undefined) packages.add(found)
    }
  }
  return { scripts: [...scripts], packages: [...packages] }
}

// Overlapping, because an apostrophe in a comment looks like the begin of a string.
const quotedIn = (text: string): Set<string> =>
  new Set([...text.matchAll(/(?=(["'`])([^"'`\n]{1,200})\1)/g)].flatMap(([, , name]) => name ?? []))

/** What configurations that are data write where they name code. An escape can hide it. */
const mayNameCode = /plugin|extends|parser|\.\/|\\/i

/**
 * Reads a configuration: of `package.json` what is for Prettier, which does not run the dependencies. Null if it is too
 * large.
 */
async function configurationText(file: string): Promise<string | null> {
  const text = await readSmallFile(file)
  if (text === null || path.basename(file) !== 'package.json') return text
  try {
    const manifest: unknown = JSON.parse(text)
    const isPrettiers = typeof manifest === 'object' && manifest !== null && 'prettier' in manifest
    return isPrettiers ? JSON.stringify(manifest.prettier) : ''
  } catch {
    // Prettier may read more than strict JSON.
    return text
  }
}

async function scriptNamed(absolute: string): Promise<string | undefined> {
  for (const ending of endings) {
    const file = absolute + ending
    if ((await stat(file).catch(() => undefined))?.isFile()) return realpath(file)
  }
  return undefined
}

/** Returns the folder of the innermost package in `node_modules` that contains a file. */
function packageOf(file: string): string | undefined {
  const parts = file.split(path.sep)
  const index = parts.lastIndexOf('node_modules')
  if (index < 0) return undefined
  const length = parts[index + 1]?.startsWith('@') === true ? 3 : 2
  return parts.slice(0, index + length).join(path.sep)
}

async function withDependencies(first: readonly string[]): Promise<Set<string> | null> {
  const packages = new Set(first)
  for (const folder of packages) {
    if (packages.size > maxPackages) return null
    for (const name of await dependenciesOf(folder)) {
      const found = await findPackage(name, folder)
      if (found !== undefined) packages.add(found)
    }
  }
  return packages
}

async function dependenciesOf(folder: string): Promise<string[]> {
  const text = await readSmallFile(path.join(folder, 'package.json'))
  try {
    const manifest: unknown = JSON.parse(text ?? '{}')
    if (typeof manifest !== 'object' || manifest === null) return []
    const { dependencies, optionalDependencies, peerDependencies } = manifest as Record<string, unknown>
    return [dependencies, optionalDependencies, peerDependencies].flatMap((list) =>
      typeof list === 'object' && list !== null ? Object.keys(list) : [],
    )
  } catch {
    return []
  }
}

/** Finds a package as Node does: in the `node_modules` of a folder and of those above it. */
async function findPackage(name: string, from: string): Promise<string | undefined> {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const found = await realpath(path.join(folder, 'node_modules', name)).catch(() => undefined)
    if (found !== undefined) return found
    if (path.dirname(folder) === folder) return undefined
  }
}
