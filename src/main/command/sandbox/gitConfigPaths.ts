import { lstat, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { gitReadOnlyNames, ownGitFolders } from './gitFolders.ts'
import { isInside, isInsideAny } from './paths.ts'
import type { CoveredPath } from './placeholderRecord.ts'
import { readUnlinkedFile } from '../../base/unlinkedFile.ts'

/** Maximum nesting of included configuration files. */
const maxDepth = 4

/** Settings whose value is a command line that git runs, without the name between section and key. */
const programSettings =
  /^(?:alias\..*|pager\..*|core\.(?:alternaterefscommand|askpass|editor|fsmonitor|gitproxy|pager|sshcommand)|credential\.helper|diff\.(?:command|external|textconv)|(?:difftool|mergetool)\.(?:cmd|path)|filter\.(?:clean|process|smudge)|gpg\.(?:defaultkeycommand|program)|hook\.command|interactive\.difffilter|merge\.driver|remote\.(?:receivepack|uploadpack)|sequence\.editor|submodule\.update|trailer\.(?:cmd|command)|uploadpack\.packobjectshook)$/

/**
 * Returns the files and folders of a workspace from which a repository takes hooks, configuration and programs, apart
 * from its git folder: `core.hooksPath`, `include.path`, and existing files named in settings that git runs. Hooks and
 * configuration may be missing. If their folder is missing too, returns the first missing folder.
 */
export async function gitConfigPaths(dotGit: string, workspace: readonly string[]): Promise<CoveredPath[]> {
  const workTree = path.basename(dotGit) === '.git' ? path.dirname(dotGit) : dotGit
  const places: CoveredPath[] = []
  for (const folder of await ownGitFolders(dotGit))
    for (const name of gitReadOnlyNames) {
      const entry = path.join(folder, name)
      // Protects the target of a link. `resolveReal` resolves it below.
      if ((await lstat(entry).catch(() => undefined))?.isSymbolicLink()) places.push({ path: entry, content: '' })
      if (name.startsWith('config')) places.push(...(await pathsIn(entry, workTree, 0)))
    }
  const real = await Promise.all(places.map(resolveReal))
  return real.filter(
    // A folder that contains the work tree cannot be read-only.
    (place) => isInsideAny(place.path, workspace) && !isInside(workTree, place.path),
  )
}

/** Resolves the path of a placeholder. If its folder is missing too, uses the first missing folder. */
async function resolveReal(place: CoveredPath): Promise<CoveredPath> {
  const real = await realpath(place.path).catch(() => undefined)
  if (real !== undefined) return { ...place, path: real }
  const parent = path.dirname(place.path)
  const folder = await realpath(parent).catch(() => undefined)
  if (folder !== undefined) return { ...place, path: path.join(folder, path.basename(place.path)) }
  return parent === place.path ? place : resolveReal({ path: parent })
}

async function pathsIn(file: string, workTree: string, depth: number): Promise<CoveredPath[]> {
  const places: CoveredPath[] = []
  const text = await readUnlinkedFile(file)
  for (const { section, key, value } of entriesOf(text)) {
    // Git runs hooks in the work tree.
    if (section === 'core' && key === 'hookspath') places.push({ path: path.resolve(workTree, withHome(value)) })
    // Git runs an alias that starts with an exclamation mark.
    const isProgram = programSettings.test(`${section}.${key}`) && (section !== 'alias' || value.startsWith('!'))
    if (isProgram) places.push(...(await filesIn(value, workTree)))
    if (!/^include(?:if)?$/.test(section) || key !== 'path' || depth >= maxDepth) continue
    const included = path.resolve(path.dirname(file), withHome(value))
    places.push({ path: included, content: '' }, ...(await pathsIn(included, workTree, depth + 1)))
  }
  return places
}

/** Returns the existing files named in a command line. */
async function filesIn(line: string, workTree: string): Promise<CoveredPath[]> {
  const words = line.split(/[\s"';&|()!]+/).filter((word) => word !== '')
  const files = await Promise.all(
    words.map(async (word) => {
      const file = path.resolve(workTree, withHome(word))
      return (await stat(file).catch(() => undefined))?.isFile() === true ? [{ path: file, content: '' }] : []
    }),
  )
  return files.flat()
}

/** Reads a configuration file (git-config(1)). Does not support rare syntax, because commands cannot write the file. */
function entriesOf(text: string): { section: string; key: string; value: string }[] {
  let section = ''
  return text.split('\n').flatMap((line) => {
    const header = line.includes(']') ? /^\s*\[\s*([\w.-]+)/.exec(line) : null
    // Old syntax with the name after a dot: `[filter.lfs]`.
    if (header) section = (header[1] ?? '').toLowerCase().replace(/\..*/, '')
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
