import { lstat, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { gitReadOnlyNames, ownGitFolders } from './gitFolders.ts'
import { isInside } from './paths.ts'
import type { Place } from './placeholderRecord.ts'
import { readSmallFile } from './readSmallFile.ts'

/** Maximum depth of included configuration files. */
const maxDepth = 4

/**
 * Returns the files and folders of a workspace from which a repository takes hooks and configuration, besides those in
 * its git folder: `core.hooksPath`, `include.path`, and since git 2.54 `hook.NAME.command`. They may be missing.
 */
export async function gitConfigPlaces(dotGit: string, workspace: string): Promise<Place[]> {
  const workTree = path.basename(dotGit) === '.git' ? path.dirname(dotGit) : dotGit
  const places: Place[] = []
  for (const folder of await ownGitFolders(dotGit))
    for (const name of gitReadOnlyNames) {
      const entry = path.join(folder, name)
      // Protects the target of a link. `realPlace` resolves it below.
      if ((await lstat(entry).catch(() => undefined))?.isSymbolicLink()) places.push({ path: entry, content: '' })
      if (name.startsWith('config')) places.push(...(await placesIn(entry, workTree, 0)))
    }
  const real = await Promise.all(places.map(async (place) => ({ ...place, path: await realPlace(place.path) })))
  return real.flatMap(({ path: file, ...place }) =>
    // A folder that contains the work tree cannot be read-only.
    file !== undefined && isInside(file, workspace) && !isInside(workTree, file) ? [{ ...place, path: file }] : [],
  )
}

/** Returns the real path of a place that may be missing; undefined if its folder is missing too. */
async function realPlace(file: string): Promise<string | undefined> {
  const folder = () => realpath(path.dirname(file)).then((real) => path.join(real, path.basename(file)))
  return realpath(file).catch(() => folder().catch(() => undefined))
}

async function placesIn(file: string, workTree: string, depth: number): Promise<Place[]> {
  const places: Place[] = []
  const text = await readSmallFile(file)
  for (const { section, key, value } of entriesOf(text)) {
    // Git runs hooks in the work tree.
    if (section === 'core' && key === 'hookspath') places.push({ path: path.resolve(workTree, withHome(value)) })
    if (section === 'hook' && key === 'command') places.push(...(await filesIn(value, workTree)))
    if (!/^include(?:if)?$/.test(section) || key !== 'path' || depth >= maxDepth) continue
    const included = path.resolve(path.dirname(file), withHome(value))
    places.push({ path: included, content: '' }, ...(await placesIn(included, workTree, depth + 1)))
  }
  return places
}

/** Returns the existing files that a command line names. */
async function filesIn(line: string, workTree: string): Promise<Place[]> {
  const words = line.split(/[\s"';&|()]+/).filter((word) => word !== '')
  const files = await Promise.all(
    words.map(async (word) => {
      const file = path.resolve(workTree, withHome(word))
      return (await stat(file).catch(() => undefined))?.isFile() === true ? [{ path: file, content: '' }] : []
    }),
  )
  return files.flat()
}

/**
 * Reads a configuration file (git-config(1)). Does not support unusual forms, because commands cannot write the file.
 */
function entriesOf(text: string): { section: string; key: string; value: string }[] {
  let section = ''
  return text.split('\n').flatMap((line) => {
    const header = line.includes(']') ? /^\s*\[\s*([\w.-]+)/.exec(line) : null
    if (header) section = (header[1] ?? '').toLowerCase()
    const [, key = '', quoted, bare = ''] =
      /^\s*([A-Za-z][\w-]*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^#;]*))/.exec(
        line.slice(header ? line.indexOf(']') + 1 : 0),
      ) ?? []
    return key === ''
      ? []
      : [{ section, key: key.toLowerCase(), value: quoted?.replaceAll(/\\(.)/g, '$1') ?? bare.trim() }]
  })
}

function withHome(value: string): string {
  return value.replace(/^~(?=\/)/, homedir())
}
