import { constants } from 'node:fs'
import { lstat, open, opendir, realpath } from 'node:fs/promises'
import path from 'node:path'
import { maxExtensionBytes, type UnusedContribution } from '../../../shared/extensions/extensions.ts'
import { maxPluginFiles } from '../../../shared/plugins/plugins.ts'
import { ToolError } from '../../../shared/errors.ts'
import { formatSize } from '../../../shared/text/formatSize.ts'
import { plural } from '../../../shared/text/plural.ts'
import { hasHiddenCharacters, visibleText } from '../../../shared/text/visibleText.ts'
import type { Archive } from '../../extract/zipArchive.ts'

/** The files of a plug-in by their paths, before anything of them is used. */
export interface PackageFiles {
  files: ReadonlyMap<string, Uint8Array>
  leftOut: UnusedContribution[]
}

/** Maximum number of files and folders that are looked at. */
const maxEntries = 3 * maxPluginFiles
/** Maximum number of folders above a file. */
const maxDepth = 12
/** Maximum characters of a path. Windows allows 260 for a whole one. */
const maxPath = 180
/** Folders and files that belong to other programs. */
const skipped = new Set(['.git', '.hg', '.svn', '__pycache__', '.DS_Store'])
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i
/** Reading a pipe or following a link must not happen, whatever the entry has become since it was listed. */
const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

export const refused = (
  message: string,
  next = 'Choose the folder or .zip file of a plug-in, with .claude-plugin/plugin.json in it.',
) => new ToolError('invalid_arguments', message, next)

/** Reads a folder of this machine. Links and special files are left out. @throws ToolError `invalid_arguments` */
export async function readPackageFolder(folder: string): Promise<PackageFiles> {
  const root = await realpath(folder)
  const found: { path: string; size: number }[] = []
  let links = 0
  let bytes = 0
  let entries = 0
  const walk = async (relative: string, depth: number): Promise<void> => {
    for await (const entry of await opendir(path.join(root, relative))) {
      if (skipped.has(entry.name)) continue
      entries += 1
      if (entries > maxEntries) throw refused(`It has more than ${plural(maxEntries, 'file')} and folders.`)
      const name = relative === '' ? entry.name : `${relative}/${entry.name}`
      if (depth > maxDepth) throw refused(`${visibleText(name)} is in more than ${maxDepth} folders.`)
      if (entry.isDirectory()) await walk(name, depth + 1)
      else if (!entry.isFile()) links += 1
      else {
        const { size } = await lstat(path.join(root, name))
        bytes += size
        found.push({ path: name, size })
        checkSize(found.length, bytes)
      }
    }
  }
  await walk('', 0)
  const files = new Map<string, Uint8Array>()
  bytes = 0
  for (const { path: name } of found) {
    const content = await readRegular(path.join(root, name))
    // Another program can let it grow meanwhile.
    bytes += content.length
    checkSize(found.length, bytes)
    files.set(name, content)
  }
  return checked(files, links)
}

async function readRegular(file: string): Promise<Uint8Array> {
  const handle = await open(file, readFlags)
  try {
    const stats = await handle.stat()
    if (!stats.isFile() || stats.size > maxExtensionBytes) throw refused(`${visibleText(file)} is not a plain file.`)
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

/** Reads an archive. A single folder that contains everything is left out of the paths. @throws ToolError */
export async function readPackageArchive(archive: Archive): Promise<PackageFiles> {
  const entries = archive.entries().filter(({ name }) => !name.endsWith('/') && !isSkipped(name))
  const plain = entries.filter(({ isLink }) => !isLink)
  checkSize(
    plain.length,
    plain.reduce((sum, { size }) => sum + size, 0),
  )
  const top = plain[0]?.name.split('/')[0] ?? ''
  const prefix = plain.every(({ name }) => name.startsWith(`${top}/`)) && !top.startsWith('.') ? `${top}/` : ''
  const isBare = ['skills', 'commands', 'agents', 'hooks'].includes(top)
  const files = new Map<string, Uint8Array>()
  for (const { name } of plain) files.set(isBare ? name : name.slice(prefix.length), await archive.read(name))
  return checked(files, entries.length - plain.length)
}

/** Checks the files that a window sent. @throws ToolError */
export function checkPackageFiles(given: ReadonlyMap<string, Uint8Array>): PackageFiles {
  const files = new Map([...given].filter(([name]) => !isSkipped(name)))
  checkSize(
    files.size,
    [...files.values()].reduce((sum, { length }) => sum + length, 0),
  )
  return checked(files, 0)
}

const isSkipped = (name: string) => name.split('/').some((part) => skipped.has(part))

function checkSize(files: number, bytes: number): void {
  if (files > maxPluginFiles) throw refused(`It has more than ${plural(maxPluginFiles, 'file')}.`)
  if (bytes > maxExtensionBytes) throw refused(`Its files are larger than ${formatSize(maxExtensionBytes)} together.`)
}

/** @param links number of entries that are neither files nor folders */
function checked(files: ReadonlyMap<string, Uint8Array>, links: number): PackageFiles {
  if (files.size === 0) throw refused('It has no files.')
  const seen = new Set<string>()
  for (const name of files.keys()) {
    const problem = pathProblem(name)
    if (problem !== undefined) throw refused(`The file "${visibleText(name.slice(0, maxPath))}" ${problem}.`)
    const same = name.toLowerCase().normalize('NFC')
    if (seen.has(same)) throw refused(`Two files are named "${visibleText(name)}" except for case.`)
    seen.add(same)
  }
  for (const name of seen) {
    const folder = foldersAbove(name).find((each) => seen.has(each))
    if (folder !== undefined) throw refused(`"${visibleText(folder)}" is both a file and a folder.`)
  }
  const reason = 'Links and special files are not copied.'
  return { files, leftOut: links === 0 ? [] : [{ name: `links and special files (${links})`, reason }] }
}

const foldersAbove = (name: string) =>
  name
    .split('/')
    .slice(0, -1)
    .map((_, index, parts) => parts.slice(0, index + 1).join('/'))

/** Returns why a path cannot be stored on every system, or could mislead the user. */
function pathProblem(name: string): string | undefined {
  if (name.length > maxPath) return `has a path of more than ${maxPath} characters`
  if (hasHiddenCharacters(name) || /[\n\t]/.test(name)) return 'has hidden or control characters in its name'
  if (path.posix.isAbsolute(name) || name.includes('\\') || /[:*?"<>|]/.test(name))
    return 'has characters in its name that not every system allows'
  const parts = name.split('/')
  if (parts.length - 1 > maxDepth) return `is in more than ${maxDepth} folders`
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return 'leads out of the plug-in'
  if (parts.some((part) => /[. ]$/.test(part) || deviceName.test(part))) return 'has a name that Windows reserves'
  return undefined
}
