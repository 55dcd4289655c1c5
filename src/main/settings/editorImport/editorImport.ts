import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { toFailure, ToolError } from '../../../shared/errors.ts'
import { isUserFile } from '../../../shared/files/userFiles.ts'
import { mergeEditorSettings } from '../../../shared/settings/languageBlocks.ts'
import type { ImportReport, ImportSource } from '../../../shared/settings/editorImport.ts'
import { checkLooseJson } from '../../base/looseJson.ts'
import { pathExists, readSmallFile } from '../../base/smallFile.ts'
import type { KeybindingStore } from '../keybindingStore.ts'
import type { SettingsStore } from '../settingsStore.ts'
import type { UserFiles } from '../userFiles.ts'
import { convertKeybindings, type ConvertedKeybindings } from './convertKeybindings.ts'
import { convertSettings, type ConvertedSettings } from './convertSettings.ts'

export interface EditorImportDeps {
  settings: Pick<SettingsStore, 'update'>
  keybindings: Pick<KeybindingStore, 'get' | 'update'>
  userFiles: Pick<UserFiles, 'read' | 'write'>
  sources(): Promise<ImportSource[]>
}

/** What an editor's files become. */
interface Plan {
  settings: ConvertedSettings
  keybindings: ConvertedKeybindings
  snippets: { file: string; text: string }[]
  /** Files that were left out, with the reason. */
  skipped: string[]
}

const maxSnippetFiles = 200

/** Imports settings, shortcuts and snippets from VS Code and editors built from it. Their files are only read. */
export function createEditorImport({ settings, keybindings, userFiles, sources }: EditorImportDeps) {
  async function plan(id: string): Promise<Plan> {
    const source = (await sources()).find((each) => each.id === id)
    if (!source) throw new ToolError('not_found', `There are no settings of ${id}.`, 'Choose another editor.')
    const skipped: string[] = []
    const read = async (name: string): Promise<unknown> => {
      const text = await readSmallFile(path.join(source.folder, name))
      if (text === null && (await pathExists(path.join(source.folder, name))))
        skipped.push(`${name}: it is larger than 1 MB or cannot be read.`)
      if (text === null || text.trim() === '') return undefined
      const { value, problem } = checkLooseJson(text)
      if (problem) skipped.push(`${name}, line ${problem.line}: ${problem.message}. The file was not imported.`)
      return value
    }
    const [stored, bound] = [await read('settings.json'), await read('keybindings.json')]
    const converted = convertSettings(typeof stored === 'object' && stored !== null ? { ...stored } : {})
    if (id === 'Cursor') converted.imported.push('Keyboard shortcuts: as in Cursor, with Ctrl+K for inline edits')
    return {
      settings: converted,
      keybindings: convertKeybindings(Array.isArray(bound) ? bound : [], keybindings.get()),
      snippets: await snippetsOf(source, skipped),
      skipped,
    }
  }

  async function snippetsOf({ folder }: ImportSource, skipped: string[]): Promise<Plan['snippets']> {
    const names = await readdir(path.join(folder, 'snippets')).catch((): string[] => [])
    const snippets: Plan['snippets'] = []
    for (const name of names.toSorted().slice(0, maxSnippetFiles)) {
      const file = `snippets/${name}`
      const text = isUserFile(file) ? await readSmallFile(path.join(folder, file)) : null
      if (text === null) continue
      const own = await userFiles.read(file)
      if (!own.exists) snippets.push({ file, text })
      else if (own.text !== text) skipped.push(`${file}: you have a file of this name, which stays.`)
    }
    return snippets
  }

  const reportOf = (planned: Plan): ImportReport => ({
    settings: planned.settings.imported,
    keybindings: planned.keybindings.imported,
    snippets: planned.snippets.map(({ file }) => file),
    skipped: [...planned.skipped, ...planned.settings.skipped, ...planned.keybindings.skipped],
  })

  return {
    sources,
    /** Returns what an import would change. @throws ToolError `not_found` */
    async plan(id: string): Promise<ImportReport> {
      return reportOf(await plan(id))
    },
    /** Imports what `plan` returns. Snippet files that cannot be used are reported. @throws ToolError `not_found` */
    async run(id: string): Promise<ImportReport> {
      const planned = await plan(id)
      const { sections, theme } = planned.settings
      const chosen = {
        ...(theme !== undefined && { theme }),
        ...(id === 'Cursor' && { keymap: 'cursor' as const }),
      }
      await settings.update(({ editor, emmet, files, localHistory, search, terminal }) => ({
        ...chosen,
        editor: mergeEditorSettings(editor, sections.editor),
        emmet: { ...emmet, ...sections.emmet },
        files: { ...files, ...sections.files },
        localHistory: { ...localHistory, ...sections.localHistory },
        search: { ...search, ...sections.search },
        terminal: { ...terminal, ...sections.terminal },
      }))
      if (planned.keybindings.bindings.length > 0)
        // The last entry of a key wins.
        await keybindings.update((stored) => [...planned.keybindings.bindings, ...stored])
      const written: Plan['snippets'] = []
      for (const snippet of planned.snippets)
        try {
          await userFiles.write(snippet.file, snippet.text)
          written.push(snippet)
        } catch (error) {
          planned.skipped.push(`${snippet.file}: ${toFailure(error).message}`)
        }
      return reportOf({ ...planned, snippets: written })
    },
  }
}
