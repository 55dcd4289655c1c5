import { z } from 'zod'
import { request, noParams, id } from '../requestType.ts'
import type { ColorTheme } from '../editor/colorTheme.ts'
import type { Snippet } from '../editor/snippets.ts'
import type { ImportReport, ImportSource } from './editorImport.ts'
import { settingsChangeSchema, type Settings, type StoredFolderSettings } from './settings.ts'

const themeFile = z.object({ name: z.string().min(1).max(200), text: z.string().max(1_000_000) })

export const settingsRequests = {
  /** Stores the window's layout and open tabs for the workspace. Main does not interpret it. */
  'layout.save': request<void>()(() => z.object({ layout: z.string().max(1_000_000) })),
  'layout.load': request<string | null>()(() => noParams),
  /** Replaces the user's shortcuts (`AppState.keybindings`). Changes arrive as `keybindings.changed`. */
  'keybindings.set': request<void>()(() =>
    z.object({
      bindings: z
        .array(
          z.looseObject({
            key: z.string().max(100),
            command: z.string().min(1).max(200),
            when: z.string().max(1000).optional(),
          }),
        )
        .max(2000),
    }),
  ),
  /** Lists the VS Code-based editors whose settings, shortcuts and snippets can be imported. */
  'editorImport.sources': request<ImportSource[]>()(() => noParams),
  /** Returns what an import would change. */
  'editorImport.plan': request<ImportReport>()(() => z.object({ source: z.string().max(100) })),
  /** Imports it. Stored shortcuts and snippet files stay. */
  'editorImport.run': request<ImportReport>()(() => z.object({ source: z.string().max(100) })),
  /** Returns the settings that differ from the defaults as JSON, and the JSON schemas of user and folder settings. */
  'settings.document': request<{ text: string; schema: object; folderSchema: object }>()(() => noParams),
  /**
   * Applies the settings in which a text differs from `base`, the document that the user began with. `unused`: settings of
   * VS Code without a counterpart, with the reasons.
   * @throws invalid_arguments listing each mistake with its position
   * @throws conflict naming the settings that changed elsewhere meanwhile, unless `overwrite`
   */
  'settings.setDocument': request<{ unused: string[] }>()(() =>
    z.object({
      text: z.string().max(1_000_000),
      base: z.string().max(1_000_000),
      overwrite: z.boolean().default(false),
    }),
  ),
  /** Reads the folder's `.tizona/settings.json` and the settings of VS Code, if the user trusts the folder. */
  'settings.folder': request<StoredFolderSettings>()(() => noParams),
  /** Changes a setting of the folder, or removes it if `value` is absent. @throws refused in a restricted folder */
  'settings.setFolder': request<StoredFolderSettings>()(() =>
    z.object({ name: z.string().min(1).max(100), value: z.unknown().optional() }),
  ),
  /** Returns the snippets of the user, of the folder if the user trusts it, and of extensions. */
  'snippets.list': request<Snippet[]>()(() => noParams),
  /** Lists the themes that were imported as files, and those of extensions. */
  'themes.list': request<ColorTheme[]>()(() => noParams),
  /** Imports a VS Code theme file with the files that it includes. @throws invalid_arguments if it is not a theme */
  'themes.add': request<ColorTheme>()(() => themeFile.extend({ included: z.array(themeFile).max(20).default([]) })),
  'themes.remove': request<void>()(() => z.object({ id })),
  /** Stores the API key for Brave Search; null deletes it. */
  'web.setBraveKey': request<Settings>()(() => z.object({ key: z.string().trim().min(1).max(10_000).nullable() })),
  'settings.set': request<Settings>()(() => settingsChangeSchema()),
} as const
