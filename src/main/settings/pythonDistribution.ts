import { readdir, realpath } from 'node:fs/promises'
import path from 'node:path'
import { pathExists, readSmallFile } from '../base/smallFile.ts'

/** Maximum number of distributions of one program. */
const maxDistributions = 500

/**
 * Lists the files that belong to a program of a Python virtual environment: those of the distribution that installed it
 * and of all that this one requires, and what Python runs at each start. The lists are from `RECORD`, which pip and uv
 * write (https://packaging.python.org/en/latest/specifications/recording-installed-packages/).
 * @param program absolute path, such as `.venv/bin/black`
 * @returns absolute paths; undefined if the program is in no virtual environment, null if it needs too many or one whose
 *   list cannot be read
 */
export async function distributionFiles(program: string): Promise<string[] | null | undefined> {
  const bin = path.dirname(program)
  const environment = path.dirname(bin)
  const configuration = path.join(environment, 'pyvenv.cfg')
  if (!(await pathExists(configuration))) return undefined
  // Python prefers modules beside a program to its own.
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

/** Lists the files of a folder whose names match. */
async function filesIn(folder: string, pattern: RegExp, recursive: boolean): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
}

/** Compiled modules, which Python runs in place of the modules of their folder. */
async function compiledBeside(files: readonly string[]): Promise<string[]> {
  const folders = new Set(files.filter((file) => file.endsWith('.py')).map((file) => path.dirname(file)))
  const found = await Promise.all([...folders].map((each) => filesIn(path.join(each, '__pycache__'), /\.pyc$/, false)))
  return found.flat()
}

/** The Python of a script's first line, if it is a file of the environment and no link to one of the machine. */
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
  /** Normalized names, without those of extras. */
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
