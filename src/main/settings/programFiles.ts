import { readdir, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { readSmallFile, pathExists } from '../base/smallFile.ts'

/** Limits of what is read per program. A program that exceeds them is never approved. */
const maxPackages = 500
const maxFiles = 50_000

/**
 * Lists the files that run when a program in a folder runs, as far as files name them:
 *
 *  - in `node_modules`, its package with all dependencies;
 *  - in a virtual environment, the files that pip or uv installed for it and its dependencies;
 *  - for a configuration that is a script, the file with the scripts and packages that it names;
 *  - for another configuration, the scripts and packages that it names, such as plugins, and the file itself if it may
 *   name any (empty if not);
 *  - for any other program, its file.
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
  // A script in `.bin` that is not a link starts the package with its name.
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

/** Maximum number of strings in a configuration and its scripts that are tried as names. */
const maxNames = 10_000
const endings = ['', ...['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'].map((each) => `.${each}`), '/index.js']

/**
 * Finds the scripts and packages named in a configuration, and those named in these scripts. A name is any string that
 * resolves to one, because plugins are imported, required and listed in many ways.
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

// Overlapping, because an apostrophe in a comment looks like the start of a string.
const quotedIn = (text: string): Set<string> =>
  new Set([...text.matchAll(/(?=(["'`])([^"'`\n]{1,200})\1)/g)].flatMap(([, , name]) => name ?? []))

/** Where data configurations name code. An escape can hide it. */
const mayNameCode = /plugin|extends|parser|\.\/|\\/i

/**
 * Reads a configuration. From `package.json`, only what concerns Prettier, which does not run the dependencies. Null if
 * it is too large.
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

/** Finds a package as Node does: in the `node_modules` of a folder and its parents. */
async function findPackage(name: string, from: string): Promise<string | undefined> {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const found = await realpath(path.join(folder, 'node_modules', name)).catch(() => undefined)
    if (found !== undefined) return found
    if (path.dirname(folder) === folder) return undefined
  }
}

/** Maximum number of distributions per program. */
const maxDistributions = 500

/**
 * Lists the files of a program in a Python virtual environment: those of the distribution that installed it and of all
 * its requirements, and what Python runs at each start. The lists come from `RECORD`, which pip and uv write
 * (https://packaging.python.org/en/latest/specifications/recording-installed-packages/).
 * @param program absolute path, such as `.venv/bin/black`
 * @returns absolute paths; undefined if the program is not in a virtual environment, null if it needs too many
 * distributions or one without a readable list
 */
async function distributionFiles(program: string): Promise<string[] | null | undefined> {
  const bin = path.dirname(program)
  const environment = path.dirname(bin)
  const configuration = path.join(environment, 'pyvenv.cfg')
  if (!(await pathExists(configuration))) return undefined
  // Python prefers modules next to a program to its own.
  const files = [configuration, ...(await filesIn(bin, /\.py$/, true)), ...(await interpreter(program, environment))]
  for (const site of await sitePackages(environment)) {
    files.push(...(await filesIn(site, /\.pth$|^(?:site|user)customize\.py$/, false)))
    const distributions = await distributionsOf(site)
    const owner = [...distributions.values()].find(({ installed }) => installed?.includes(program))
    const needed = new Set(owner === undefined ? [] : [owner])
    for (const { installed, requires } of needed) {
      if (installed === null || needed.size > maxDistributions) return null
      files.push(...installed, ...(await compiledBeside(installed)))
      for (const name of requires) {
        const found = distributions.get(name)
        if (found !== undefined) needed.add(found)
      }
    }
  }
  return files
}

/** Lists the files in a folder whose names match. */
async function filesIn(folder: string, pattern: RegExp, recursive: boolean): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
}

/** Compiled modules, which Python runs instead of the modules in their folder. */
async function compiledBeside(files: readonly string[]): Promise<string[]> {
  const folders = new Set(files.filter((file) => file.endsWith('.py')).map((file) => path.dirname(file)))
  const found = await Promise.all([...folders].map((each) => filesIn(path.join(each, '__pycache__'), /\.pyc$/, false)))
  return found.flat()
}

/** The Python in a script's first line, if it is a file of the environment and not a link to the machine's. */
async function interpreter(program: string, environment: string): Promise<string[]> {
  const [, named] = /^#!\s*(\S+)/.exec((await readSmallFile(program, 'latin1')) ?? '') ?? []
  const real = named === undefined ? undefined : await realpath(named).catch(() => undefined)
  return real?.startsWith(environment + path.sep) === true ? [real] : []
}

async function sitePackages(environment: string): Promise<string[]> {
  const versions = await readdir(path.join(environment, 'lib')).catch(() => [])
  const places = [...versions.map((version) => path.join(environment, 'lib', version)), path.join(environment, 'Lib')]
  const found = places.map((place) => path.join(place, 'site-packages'))
  const exist = await Promise.all(found.map(pathExists))
  return found.filter((_, index) => exist[index])
}

interface Distribution {
  /** Absolute paths; null if the list is missing or too large. */
  installed: string[] | null
  /** Normalized names, without optional requirements (extras). */
  requires: string[]
}

/** Distributions in a folder by normalized name. */
async function distributionsOf(site: string): Promise<Map<string, Distribution>> {
  const names = (await readdir(site).catch(() => [])).filter((name) => name.endsWith('.dist-info'))
  const found = await Promise.all(
    names.map(async (name): Promise<[string, Distribution]> => {
      const [record, metadata] = [path.join(site, name, 'RECORD'), path.join(site, name, 'METADATA')]
      const list = await readSmallFile(record)
      const installed = list
        ?.split('\n')
        .map((line) => /^"((?:[^"]|"")+)"|^([^,]+),/.exec(line))
        .flatMap((match) => match?.[1]?.replaceAll('""', '"') ?? match?.[2] ?? [])
        .map((file) => path.resolve(site, file))
      const requires = ((await readSmallFile(metadata)) ?? '')
        .split('\n')
        .filter((line) => line.startsWith('Requires-Dist:') && !/\bextra\b/.test(line))
        .flatMap((line) => /^Requires-Dist:\s*([\w.-]+)/.exec(line)?.[1] ?? [])
      return [
        normalized(name.slice(0, name.indexOf('-'))),
        { installed: installed ? [record, metadata, ...installed] : null, requires: requires.map(normalized) },
      ]
    }),
  )
  return new Map(found)
}

const normalized = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '-')
