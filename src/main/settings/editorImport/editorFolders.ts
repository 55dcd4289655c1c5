import path from 'node:path'
import type { ImportSource } from '../../../shared/settings/editorImport.ts'
import { pathExists } from '../../base/smallFile.ts'

/** VS Code and the editors that are built from it, by the names of their settings folders. */
const editors: Readonly<Record<string, string>> = {
  Code: 'VS Code',
  'Code - Insiders': 'VS Code Insiders',
  Cursor: 'Cursor',
  VSCodium: 'VSCodium',
  'Code - OSS': 'Code - OSS',
  Windsurf: 'Windsurf',
}

interface Home {
  platform: NodeJS.Platform
  home: string
  env: Readonly<Record<string, string | undefined>>
}

/** Finds the editors that have settings for this user. */
export async function findImportSources({ platform, home, env }: Home): Promise<ImportSource[]> {
  const base =
    platform === 'darwin'
      ? path.join(home, 'Library/Application Support')
      : platform === 'win32'
        ? env['APPDATA'] || path.join(home, 'AppData/Roaming')
        : env['XDG_CONFIG_HOME'] || path.join(home, '.config')
  const sources = await Promise.all(
    Object.entries(editors).map(async ([id, title]) => {
      const folder = path.join(base, id, 'User')
      return (await pathExists(folder)) ? [{ id, title, folder }] : []
    }),
  )
  return sources.flat()
}
