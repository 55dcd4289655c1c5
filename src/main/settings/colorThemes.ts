import { readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { makeFolder } from '../base/makeFolder.ts'
import { readColorTheme, type ColorTheme } from '../../shared/editor/colorTheme.ts'
import { ToolError } from '../../shared/errors.ts'
import { parseLooseJson } from '../base/looseJson.ts'
import { readSmallFile } from '../base/smallFile.ts'
import { maxThemeBytes, readTheme, type FoundTheme } from './themeFiles.ts'

/** Maximum number of imported themes. */
const maxThemes = 50

/** VS Code themes that the user imported as single files: `themes/*.json` in the user data folder. */
export interface ColorThemes {
  list(): Promise<ColorTheme[]>
  /**
   * Stores a theme file with its includes.
   * @param included other files that the user chose with it
   * @throws ToolError `invalid_arguments` if it is not a theme
   */
  add(name: string, text: string, included?: readonly FoundTheme[]): Promise<ColorTheme>
  remove(id: string): Promise<void>
}

export function createColorThemes(userDataFolder: string): ColorThemes {
  const folder = path.join(userDataFolder, 'themes')

  async function store(name: string, text: string): Promise<ColorTheme> {
    const id = `${
      name
        .replace(/\.json[c5]?$/i, '')
        .replaceAll(/[^\w-]+/g, '-')
        .slice(0, 80) || 'theme'
    }.json`
    const theme = text.length > maxThemeBytes ? null : parse(id, text)
    if (theme === null)
      throw new ToolError(
        'invalid_arguments',
        `${name} is not a VS Code color theme, or is too large: it has neither "colors" nor "tokenColors".`,
        'Choose a theme file from an extension, such as themes/NAME-color-theme.json.',
      )
    const names = await readdir(folder).catch((): string[] => [])
    if (!names.includes(id) && names.length >= maxThemes)
      throw new ToolError('too_large', `There are already ${maxThemes} imported themes.`, 'Remove one first.')
    await makeFolder(folder)
    await writeFile(path.join(folder, id), text, { mode: 0o600 })
    return theme
  }

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
    async add(name, text, included = []) {
      if (parse(name, text) === null && !/"include"/.test(text)) return store(name, text)
      const texts = new Map([...included.map((file) => [file.name, file.text] as const), [name, text] as const])
      // A theme without includes is stored as is, with its comments.
      const theme = await readTheme(name, async (file) => texts.get(file) ?? null)
      return store(name, /"include"/.test(text) ? JSON.stringify(theme) : text)
    },
    async remove(id) {
      await rm(path.join(folder, path.basename(id)), { force: true })
    },
  }
}

/** Parses a theme file. VS Code's may have comments and trailing commas. */
function parse(id: string, text: string): ColorTheme | null {
  return readColorTheme(id, parseLooseJson(text))
}
