import { create } from 'zustand'
import {
  maxExtensionBytes,
  maxFolderFiles,
  type Contributions,
  type ExtensionInfo,
} from '../../../shared/extensions/extensions.ts'
import { ToolError } from '../../../shared/errors.ts'
import { formatSize } from '../../../shared/text/formatSize.ts'
import { request } from '../bridge/bridge.ts'
import { toBase64 } from '../files/base64.ts'

const noContributions: Contributions = { languages: [], grammars: [], schemas: [], keybindings: [], iconThemes: [] }

/** What the enabled extensions bring. Loaded when the window has connected, and after changes. */
export const useContributions = create<{ contributions: Contributions; loaded: boolean }>(() => ({
  contributions: noContributions,
  loaded: false,
}))

export async function loadContributions(): Promise<Contributions> {
  const contributions = await request('extensions.contributions', {})
  useContributions.setState({ contributions, loaded: true })
  return contributions
}

/** A file in the folder of an extension. */
export interface FolderFile {
  /** Relative to the folder. */
  path: string
  file: File
}

/** Files that an extension can use without code. Others, such as programs and pictures of its page, are not sent. */
const usable = /\.(?:json|jsonc|code-snippets|tmLanguage|plist|svg|png|jpe?g|gif|webp|woff2?|ttf|otf)$/i
const otherFolders = /(?:^|\/)(?:node_modules|\.git|dist|out|test|tests)\//

const tooLarge = (name: string) =>
  new ToolError(
    'too_large',
    `${name} is larger than ${formatSize(maxExtensionBytes)}.`,
    'Choose the .vsix file or the folder of a VS Code extension.',
  )

/** Installs a packed extension. @throws ToolError if it is too large or has nothing to use */
export async function installPackage(file: File): Promise<ExtensionInfo> {
  if (file.size > maxExtensionBytes) throw tooLarge(file.name)
  return request('extensions.install', { name: file.name, data: await toBase64(file) })
}

/** Installs the folder of an extension. @throws ToolError if it is too large or has nothing to use */
export async function installFolder(name: string, all: readonly FolderFile[]): Promise<ExtensionInfo> {
  const files = all.filter(({ path }) => usable.test(path) && !otherFolders.test(path))
  const size = files.reduce((sum, { file }) => sum + file.size, 0)
  if (size > maxExtensionBytes || files.length > maxFolderFiles) throw tooLarge(name)
  return request('extensions.installFolder', {
    name,
    files: await Promise.all(files.map(async ({ path, file }) => ({ path, data: await toBase64(file) }))),
  })
}
