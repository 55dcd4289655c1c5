import { useEffect, useRef } from 'react'
import { settingsTable } from '../../shared/settingsTable.ts'
import { request } from '../platform/bridge/bridge.ts'
import { attempt } from '../platform/notices.ts'
import { loadImportedThemes, useImportedThemes } from '../platform/theme.ts'
import { Button, Select } from '../ui/index.ts'
import { saveSetting } from './saveSetting.ts'
import type { SettingEditorProps } from './settingValues.ts'

const { options, texts } = settingsTable.theme
/** Prefix of the options for imported themes. */
const importedPrefix = 'imported:'

/** Imports a theme file of VS Code and uses it. */
async function importTheme(file: File): Promise<void> {
  const { id } = await request('themes.add', { name: file.name, text: await file.text() })
  await loadImportedThemes()
  saveSetting({ theme: 'imported', importedTheme: id })
}

async function removeTheme(id: string): Promise<void> {
  await request('themes.remove', { id })
  saveSetting({ theme: 'system', importedTheme: '' })
  await loadImportedThemes()
}

/** Select for the theme, with imported themes, and the button to import one. */
export function ThemeField({ settings, row: { declaration } }: SettingEditorProps) {
  const themes = useImportedThemes((state) => state.themes)
  const file = useRef<HTMLInputElement>(null)
  useEffect(() => attempt(loadImportedThemes, 'The imported themes could not be read'), [])
  const { theme, importedTheme } = settings
  const own = options.filter((option) => option !== 'imported')
  return (
    <div className="settings-theme">
      <Select
        label={declaration.title}
        hint={theme === 'system' ? texts.system.detail : undefined}
        value={theme === 'imported' ? `${importedPrefix}${importedTheme}` : theme}
        options={[
          ...own.map((option) => ({ value: option as string, label: texts[option].label as string })),
          ...themes.map(({ id, label }) => ({ value: `${importedPrefix}${id}`, label })),
        ]}
        onChange={({ target: { value } }) => {
          const chosen = own.find((option) => option === value)
          if (chosen) saveSetting({ theme: chosen })
          else saveSetting({ theme: 'imported', importedTheme: value.slice(importedPrefix.length) })
        }}
      />
      <div className="settings-theme-actions">
        <Button size="small" onClick={() => file.current?.click()}>
          Import VS Code theme…
        </Button>
        {theme === 'imported' && (
          <Button size="small" variant="ghost" onClick={() => attempt(() => removeTheme(importedTheme))}>
            Remove theme
          </Button>
        )}
      </div>
      <input
        ref={file}
        type="file"
        accept=".json,.jsonc"
        aria-label="Theme file"
        hidden
        onChange={({ target }) => {
          const chosen = target.files?.[0]
          target.value = ''
          if (chosen) attempt(() => importTheme(chosen), 'The theme was not imported')
        }}
      />
    </div>
  )
}
