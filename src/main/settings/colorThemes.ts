import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { jsonrepair } from 'jsonrepair'
import { readColorTheme, type ColorTheme } from '../../shared/colorTheme.ts'
import { ToolError } from '../../shared/errors.ts'
import { readSmallFile } from '../base/smallFile.ts'

/** Maximum number of imported themes. */
const maxThemes = 50

/** Themes of VS Code that the user imported: `themes/*.json` in the user data folder. */
export interface ColorThemes {
  list(): Promise<ColorTheme[]>
  /** Stores a theme file. @throws ToolError `invalid_arguments` if it is not a theme */
  add(name: string, text: string): Promise<ColorTheme>
  remove(id: string): Promise<void>
}

export function createColorThemes(userDataFolder: string): ColorThemes {
  const folder = path.join(userDataFolder, 'themes')
  return {
    async list() {
      const names = await readdir(folder).catch((): string[] => [])
      const themes = await Promise.all(
        names
          .filter((name) => name.endsWith('.json'))
          .slice(0, maxThemes)
          .map(async (name) => {
            const text = await readSmallFile(path.join(folder, name))
            return text === null ? null : parse(name, text)
          }),
      )
      return themes.filter((theme) => theme !== null).toSorted((a, b) => a.label.localeCompare(b.label))
    },
    async add(name, text) {
      const id = `${
        name
          .replace(/\.json[c5]?$/i, '')
          .replaceAll(/[^\w-]+/g, '-')
          .slice(0, 80) || 'theme'
      }.json`
      const theme = parse(id, text)
      if (theme === null)
        throw new ToolError(
          'invalid_arguments',
          `${name} is not a color theme of VS Code: it has neither "colors" nor "tokenColors".`,
          'Choose a theme file of an extension, such as themes/NAME-color-theme.json.',
        )
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFile(path.join(folder, id), text, { mode: 0o600 })
      return theme
    },
    async remove(id) {
      await rm(path.join(folder, path.basename(id)), { force: true })
    },
  }
}

/** Parses a theme file. Those of VS Code may have comments and trailing commas. */
function parse(id: string, text: string): ColorTheme | null {
  try {
    return readColorTheme(id, JSON.parse(jsonrepair(text)))
  } catch {
    return null
  }
}
