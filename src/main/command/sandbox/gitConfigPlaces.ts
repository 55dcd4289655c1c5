import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { ownGitFolders } from './gitFolders.ts'
import { isInside, realOrSame } from './paths.ts'
import type { Place } from './placeholderRecord.ts'

/** Maximum depth of included configuration files. */
const maxDepth = 4

/**
 * Returns the files and folders of a workspace from which a repository takes hooks and configuration, besides those in its
 * git folder: `core.hooksPath` and `include.path`. They may be missing.
 */
export async function gitConfigPlaces(dotGit: string, workspace: string): Promise<Place[]> {
  const workTree = path.basename(dotGit) === '.git' ? path.dirname(dotGit) : dotGit
  const places: Place[] = []
  for (const folder of await ownGitFolders(dotGit))
    for (const name of ['config', 'config.worktree'])
      places.push(...(await placesIn(path.join(folder, name), workTree, 0)))
  const real = await Promise.all(places.map(async (place) => ({ ...place, path: await realOrSame(place.path) })))
  // A folder that contains the work tree cannot be read-only.
  return real.filter((place) => isInside(place.path, workspace) && !isInside(workTree, place.path))
}

async function placesIn(file: string, workTree: string, depth: number): Promise<Place[]> {
  const places: Place[] = []
  const text = await readFile(file, 'utf8').catch(() => '')
  for (const { section, key, value } of entriesOf(text)) {
    // Git runs hooks in the work tree.
    if (section === 'core' && key === 'hookspath') places.push({ path: path.resolve(workTree, withHome(value)) })
    if (!/^include(?:if)?$/.test(section) || key !== 'path' || depth >= maxDepth) continue
    const included = path.resolve(path.dirname(file), withHome(value))
    places.push({ path: included, content: '' }, ...(await placesIn(included, workTree, depth + 1)))
  }
  return places
}

/** Reads a configuration file (git-config(1)). Commands cannot write it, so unusual forms need no care. */
function entriesOf(text: string): { section: string; key: string; value: string }[] {
  let section = ''
  return text.split('\n').flatMap((line) => {
    const header = /^\s*\[\s*([\w.-]+)[^\]]*\]/.exec(line)
    if (header) section = (header[1] ?? '').toLowerCase()
    const [, key = '', quoted, bare = ''] =
      /^\s*([A-Za-z][\w-]*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^#;]*))/.exec(line.slice(header?.[0].length ?? 0)) ?? []
    return key === ''
      ? []
      : [{ section, key: key.toLowerCase(), value: quoted?.replaceAll(/\\(.)/g, '$1') ?? bare.trim() }]
  })
}

function withHome(value: string): string {
  return value.replace(/^~(?=\/)/, homedir())
}
