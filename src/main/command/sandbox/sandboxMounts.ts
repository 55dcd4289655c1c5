import { lstat, readdir, realpath, writeFile, readFile } from 'node:fs/promises'
import path, { delimiter } from 'node:path'
import { makeFolder } from '../../base/makeFolder.ts'
import { runProgram } from '../../base/startProcess.ts'
import { withoutUserInfo } from '../commandEnvironment.ts'
import { gitMounts } from './gitFolders.ts'
import {
  downloadedPrograms,
  homeCredentials,
  homeToolchains,
  installationFolders,
  packageCaches,
} from './homeToolchains.ts'
import { folderPaths, type WorkspaceRoots } from '../../base/workspaceRoots.ts'
import { isInside, isInsideAny } from './paths.ts'
import { entryExists, systemMounts } from './systemFolders.ts'
import type { Mount } from './bubblewrapArguments.ts'
import type { WorkspaceScan } from './sandboxTypes.ts'

/** Configuration files in the home folder that are copied without their secret lines. */
const cleanedFiles: readonly string[] = [
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.config/pip/pip.conf',
  '.pip/pip.conf',
  '.cargo/config',
  '.cargo/config.toml',
]

/** Git settings that commits need. Others can name programs or contain keys. */
const gitSettings = /^(?:user\.(?:name|email)|init\.defaultbranch|core\.(?:autocrlf|eol|safecrlf)|pull\.rebase)$/

/** Writes copies of the user's configuration without secrets. @returns their mounts */
export async function configMounts(home: string, folder: string): Promise<Mount[]> {
  await makeFolder(folder)
  const texts = [
    { name: '.gitconfig', text: await gitConfig() },
    ...(await Promise.all(
      cleanedFiles.map(async (name) => ({
        name,
        text: withoutSecrets(await readFile(path.join(home, name), 'utf8').catch(() => '')),
      })),
    )),
  ]
  const mounts: Mount[] = []
  for (const { name, text } of texts) {
    if (text === '') continue
    const source = path.join(folder, name.replaceAll('/', '+'))
    await writeFile(source, text, { mode: 0o600 })
    mounts.push({ kind: 'readOnly', path: path.join(home, name), source })
  }
  return mounts
}

/** Removes lines that name a secret, and passwords in URLs. */
function withoutSecrets(text: string): string {
  return text
    .split('\n')
    .filter(
      (line) => !/_auth|password|passwd|_pass\b|token|secret|username|email|credential|\bkey(?:file)?\s*=/i.test(line),
    )
    .map(withoutUserInfo)
    .join('\n')
}

async function gitConfig(): Promise<string> {
  // Nothing to copy if the configuration or git is missing.
  const { stdout } = await runProgram('git', ['config', '--global', '--null', '--list']).catch(() => ({ stdout: '' }))
  return stdout
    .split('\0')
    .map((entry) => ({ name: entry.split('\n', 1)[0] ?? '', value: entry.slice(entry.indexOf('\n') + 1) }))
    .filter(({ name }) => gitSettings.test(name))
    .map(({ name, value }) => {
      const [section = '', key = ''] = name.split('.')
      return `[${section}]\n\t${key} = "${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"\n`
    })
    .join('')
}

export interface LayoutInput {
  workspace: WorkspaceRoots
  /** Real path. */
  home: string
  /** Tizona's user data, which is hidden. */
  userData: string
  /** Additional folders that are hidden if they exist. */
  hidden: readonly string[]
  /** Folder for the workspace's package caches. */
  caches: string
  /** PATH of the command. */
  path: string
  network: boolean
  scan: WorkspaceScan
  /** Whether the workspace is read-only. */
  readOnly: boolean
}

/** Returns the mounts of everything that a command in a workspace sees. */
export async function sandboxMounts(input: LayoutInput): Promise<Mount[]> {
  const { home, userData, network, scan } = input
  const folders = await existingFolders(input.workspace)
  const mounts = await systemMounts(network)
  // The home folder and user data are covered unless the workspace is the same folder.
  for (const hidden of [home, userData]) if (!folders.includes(hidden)) mounts.push({ kind: 'temporary', path: hidden })
  for (const folder of input.hidden) if (await entryExists(folder)) mounts.push({ kind: 'temporary', path: folder })
  mounts.push(...(await homeMounts(input)))
  mounts.push(...(await pathMounts(input, mounts)))
  if (network) mounts.push(...(await resolverMounts()))
  for (const folder of folders) mounts.push({ kind: input.readOnly ? 'readOnly' : 'writable', path: folder })
  if (input.workspace.folders) mounts.push({ kind: 'readOnly', path: input.workspace.root })
  if (!input.readOnly) for (const file of scan.protectedPaths) mounts.push(...(await protectedMount(file, folders)))
  mounts.push(...(await secretMounts(input)))
  // Hidden like the ports of this machine, which a command without network cannot reach either.
  if (!network) for (const folder of folders) mounts.push(...(await socketMounts(folder)))
  if (!input.readOnly) for (const dotGit of scan.git) mounts.push(...(await gitMounts(dotGit, folders)))
  return mounts.filter(
    ({ path: file }) =>
      !(isInside(file, userData) && file !== userData && !isInsideAny(file, [...folders, input.workspace.root])),
  )
}

/** Returns the folders without those that no longer exist, which bubblewrap could not mount. */
export async function existingFolders(workspace: WorkspaceRoots): Promise<string[]> {
  const folders = folderPaths(workspace)
  const exist = await Promise.all(folders.map(isFolder))
  return folders.filter((_, index) => exist[index])
}

/**
 * Hides secrets. `.env` files appear empty instead, because many programs read them if they exist and fail if they
 * cannot.
 */
async function secretMounts({ scan, caches }: LayoutInput): Promise<Mount[]> {
  if (scan.secrets.length === 0) return []
  const empty = path.join(await folder(caches), 'empty')
  await writeFile(empty, '')
  return scan.secrets.map((file) =>
    /^\.env(?:\.|$)/i.test(path.basename(file))
      ? { kind: 'readOnly', path: file, source: empty }
      : { kind: 'hiddenFile', path: file },
  )
}

async function socketMounts(workspace: string): Promise<Mount[]> {
  const mounts = await Promise.all(
    (await liveSockets(workspace)).map(async (file): Promise<Mount[]> => {
      // A link above it could lead outside.
      const isThere = (await realpath(file).catch(() => undefined)) === file
      return isThere ? [{ kind: 'hiddenFile', path: file }] : []
    }),
  )
  return mounts.flat()
}

/** A link is not mounted, because the mount would cover its target, which may be outside the workspace. */
async function protectedMount(file: string, folders: readonly string[]): Promise<Mount[]> {
  const real = await realpath(file).catch(() => undefined)
  return real === file && isInsideAny(real, folders) ? [{ kind: 'readOnly', path: file }] : []
}

/** Toolchains and package caches in the home folder. */
async function homeMounts({ home, workspace, caches, network }: LayoutInput): Promise<Mount[]> {
  const mounts: Mount[] = []
  const add = async (names: readonly string[]): Promise<void> => {
    for (const name of names) {
      const file = path.join(home, name)
      if (await entryExists(file)) mounts.push({ kind: 'readOnly', path: file })
    }
  }
  // A workspace that contains the home folder shows it anyway.
  if (isInsideAny(home, folderPaths(workspace))) return []
  await add(homeToolchains)
  mounts.push({ kind: 'writable', path: path.join(home, '.cache'), source: await folder(path.join(caches, 'cache')) })
  await add(downloadedPrograms)
  for (const name of packageCaches) {
    const own = path.join(caches, name.replaceAll('/', '+'))
    const file = path.join(home, name)
    if (network || (await isFilled(own))) mounts.push({ kind: 'writable', path: file, source: await folder(own) })
    else if (await entryExists(file)) mounts.push({ kind: 'readOnly', path: file })
  }
  mounts.push(...(await credentialMounts(home, mounts)))
  return mounts
}

/** Hides credentials in visible folders of the home folder. */
async function credentialMounts(home: string, shown: readonly Mount[]): Promise<Mount[]> {
  const mounts: Mount[] = []
  for (const name of homeCredentials) {
    const file = path.join(home, name.replace(/\/$/, ''))
    const isShown = shown.some((mount) => mount.kind === 'readOnly' && isInside(file, mount.path))
    if (isShown && (await entryExists(file)))
      mounts.push({ kind: name.endsWith('/') ? 'emptyFolder' : 'hiddenFile', path: file })
  }
  return mounts
}

async function isFolder(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => undefined))?.isDirectory() === true
}

async function isFilled(file: string): Promise<boolean> {
  return (await readdir(file).catch(() => [])).length > 0
}

async function folder(file: string): Promise<string> {
  await makeFolder(file)
  return file
}

/** Folders on PATH that the other mounts do not show, and the libraries next to their `bin`. */
async function pathMounts(
  { path: searched, home, workspace, userData }: LayoutInput,
  shown: readonly Mount[],
): Promise<Mount[]> {
  const mounts: Mount[] = []
  const folders = folderPaths(workspace)
  for (const entry of searched.split(delimiter)) {
    if (!path.isAbsolute(entry)) continue
    const real = await realpath(entry).catch(() => undefined)
    if (real === undefined) continue
    if (isInsideAny(real, folders) || [...shown, ...mounts].some((mount) => shows(mount, real))) continue
    const tree = programTree(real, [home, userData, ...folders])
    if (isInside(home, tree)) continue
    if (isDataFolder(tree, home)) mounts.push(...(await installationMounts(tree)))
    else mounts.push({ kind: 'readOnly', path: tree })
  }
  return mounts
}

/** Folders in the home folder in which each tool has its own folder, possibly with programs. */
const dataFolders = ['.config', '.local/share', '.local/state']

/** Whether a folder is like `~/.name` or `~/.config/name`, in which a tool keeps programs next to its data. */
function isDataFolder(folderOfTool: string, home: string): boolean {
  const parent = path.dirname(folderOfTool)
  if (parent === home) return path.basename(folderOfTool).startsWith('.')
  return dataFolders.some((name) => path.join(home, name) === parent)
}

async function installationMounts(tree: string): Promise<Mount[]> {
  const found = await Promise.all(
    installationFolders.map(async (name) => {
      const file = path.join(tree, name)
      // A link would expose its target.
      return (await isFolder(file)) ? [{ kind: 'readOnly' as const, path: file }] : []
    }),
  )
  return found.flat()
}

/**
 * Returns what to mount for a folder of programs: its parent if that is the root of an installation (`bin` next to
 * `lib`), otherwise the folder itself.
 */
function programTree(folderOfPrograms: string, apart: readonly string[]): string {
  const parent = path.dirname(folderOfPrograms)
  const named = /^(?:s?bin|\.bin|shims)$/.test(path.basename(folderOfPrograms))
  const shared = path.basename(parent) === '.local' || parent === '/' || apart.some((file) => isInside(file, parent))
  return named && !shared ? parent : folderOfPrograms
}

function shows(mount: Mount, file: string): boolean {
  return (mount.kind === 'readOnly' || mount.kind === 'writable') && isInside(file, mount.path)
}

/** /etc/resolv.conf is often a link into /run, which is hidden. */
async function resolverMounts(): Promise<Mount[]> {
  const real = await realpath('/etc/resolv.conf').catch(() => undefined)
  return real === undefined || real.startsWith('/etc/') ? [] : [{ kind: 'readOnly', path: real }]
}

/** Flag of a socket that accepts connections (__SO_ACCEPTCON). */
const accepting = 0x10000

/**
 * Returns the sockets in a folder on which a program outside the sandbox listens. A mount does not prevent a command
 * from connecting. Sockets bound by a relative path are not found.
 * @param folder real path
 */
async function liveSockets(folder: string): Promise<string[]> {
  // Num RefCount Protocol Flags Type St Inode Path (proc_net(5))
  const table = await readFile('/proc/net/unix', 'utf8').catch(() => '')
  const found = table.split('\n').flatMap((line) => {
    const start = line.indexOf(' /')
    const flags = Number.parseInt(line.split(/ +/)[3] ?? '', 16)
    const file = start < 0 ? '' : line.slice(start + 1)
    return (flags & accepting) !== 0 && file !== '' && isInside(file, folder) ? [file] : []
  })
  return [...new Set(found)]
}
