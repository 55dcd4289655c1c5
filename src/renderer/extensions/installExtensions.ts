import { contributionKinds, type ExtensionInfo } from '../../shared/extensions/extensions.ts'
import { plural } from '../../shared/text/plural.ts'
import { ToolError } from '../../shared/errors.ts'
import { installFolder, installPackage, type FolderFile } from '../platform/extensions/extensionsStore.ts'
import { openPage } from '../platform/editor/tabsStore.ts'
import { notify } from '../platform/notices.ts'

/** Maximum number of files that are read of a dropped folder. */
const maxEntries = 20_000

/** Texts such as "1 grammar, 2 snippet files". */
function usedTexts({ used }: ExtensionInfo): string[] {
  return used.map(({ kind, names }) => plural(names.length, contributionKinds[kind]))
}

function announce(extension: ExtensionInfo): void {
  notify('success', `Installed ${extension.name}.`, {
    detail: usedTexts(extension).join(', '),
    actions: [{ label: 'Show extensions', run: () => openPage('extensions') }],
  })
}

/** Asks for files. Resolves with none if the user cancels. */
export function chooseFiles(options: { accept?: string; folder?: boolean; label: string }): Promise<File[]> {
  const input = document.createElement('input')
  input.type = 'file'
  input.setAttribute('aria-label', options.label)
  if (options.accept !== undefined) input.accept = options.accept
  if (options.folder) input.webkitdirectory = true
  const { promise, resolve } = Promise.withResolvers<File[]>()
  input.addEventListener('change', () => resolve([...(input.files ?? [])]))
  input.addEventListener('cancel', () => resolve([]))
  input.click()
  return promise
}

/** Asks for a .vsix file and installs it. */
export async function chooseAndInstall(): Promise<void> {
  const [file] = await chooseFiles({ accept: '.vsix', label: 'VSIX file' })
  if (file) announce(await installPackage(file))
}

/** Asks for the folder of an extension and installs it. */
export async function chooseAndInstallFolder(): Promise<void> {
  const files = await chooseFiles({ folder: true, label: 'Folder of an extension' })
  if (files.length === 0) return
  const [name = 'extension'] = files[0]?.webkitRelativePath.split('/') ?? []
  announce(
    await installFolder(
      name,
      files.map((file) => ({ path: file.webkitRelativePath.split('/').slice(1).join('/'), file })),
    ),
  )
}

/** Reads a dropped folder with its subfolders. */
async function readEntry(entry: FileSystemEntry, path: string, found: FolderFile[]): Promise<void> {
  if (found.length > maxEntries)
    throw new ToolError('too_large', `${entry.name} has more than ${maxEntries} files.`, 'Drop the .vsix file instead.')
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
    found.push({ path, file })
    return
  }
  if (entry.name === 'node_modules' || entry.name === '.git') return
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (entries.length === 0) return
    for (const child of entries) await readEntry(child, path === '' ? child.name : `${path}/${child.name}`, found)
  }
}

/** Reads a dropped folder. */
export async function readFolder(folder: FileSystemEntry): Promise<FolderFile[]> {
  const found: FolderFile[] = []
  await readEntry(folder, '', found)
  return found
}

/** Installs .vsix files, and folders with their files. */
export async function installDropped(files: readonly File[], folders: readonly FileSystemEntry[]): Promise<void> {
  for (const file of files) announce(await installPackage(file))
  for (const folder of folders) announce(await installFolder(folder.name, await readFolder(folder)))
}
