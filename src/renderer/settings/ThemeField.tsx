import { useEffect, useRef } from 'react'
import type { ColorTheme } from '../../shared/editor/colorTheme.ts'
import { ToolError } from '../../shared/errors.ts'
import { settingsTable } from '../../shared/settings/settingsTable.ts'
import { request } from '../platform/bridge/bridge.ts'
import { installPackage } from '../platform/extensions/extensionsStore.ts'
import { attempt, notify } from '../platform/notices.ts'
import { loadImportedThemes, useImportedThemes } from '../platform/theme/theme.ts'
import { Button, Select } from '../ui/index.ts'
import { saveSetting } from './saveSetting.ts'
import type { SettingEditorProps } from './settingValues.ts'

const { options, texts } = settingsTable.theme
/** Prefix of option values for imported themes. */
const importedPrefix = 'imported:'

/** Installs a theme extension. @throws ToolError if it has no color theme */
async function addPackage(file: File): Promise<ColorTheme | undefined> {
  const extension = await installPackage(file)
  const labels = extension.used.find(({ kind }) => kind === 'theme')?.names ?? []
  await loadImportedThemes()
  const theme = useImportedThemes.getState().themes.find(({ id }) => id.startsWith(`${extension.id}/`))
  if (!theme)
    throw new ToolError(
      'invalid_arguments',
      `${extension.name} was installed, but it has no color theme.`,
      'See "Extensions" for what it brings.',
    )
  notify('info', `Installed ${extension.name}.`, { detail: labels.join(', ') })
  return theme
}

/** Uploads theme files. The theme is the file that no other file includes. */
async function addFiles(files: readonly File[]): Promise<ColorTheme | undefined> {
  const read = await Promise.all(files.map(async (file) => ({ name: file.name, text: await file.text() })))
  const isIncluded = ({ name }: { name: string }) =>
    read.some((other) => other.name !== name && other.text.includes(`/${name}"`))
  const main = read.find((file) => !isIncluded(file)) ?? read[0]
  return main && request('themes.add', { ...main, included: read.filter((file) => file !== main) })
}

/** Imports theme files or a VS Code extension, and uses the first theme. */
async function importTheme(files: readonly File[]): Promise<void> {
  const vsix = files.find(({ name }) => name.toLowerCase().endsWith('.vsix'))
  const theme = await (vsix ? addPackage(vsix) : addFiles(files))
  await loadImportedThemes()
  if (theme) saveSetting({ theme: 'imported', importedTheme: theme.id })
}

async function removeTheme(id: string): Promise<void> {
  await request('themes.remove', { id })
  saveSetting({ theme: 'system', importedTheme: '' })
  await loadImportedThemes()
}

/** Select for the theme, with imported themes and an import button. */
export function ThemeField({ settings, row: { declaration } }: SettingEditorProps) {
  const themes = useImportedThemes((state) => state.themes)
  const file = useRef<HTMLInputElement>(null)
  useEffect(() => attempt(loadImportedThemes, 'The imported themes could not be loaded'), [])
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
        {theme === 'imported' && !importedTheme.includes('/') && (
          <Button size="small" variant="ghost" onClick={() => attempt(() => removeTheme(importedTheme))}>
            Remove theme
          </Button>
        )}
      </div>
      <input
        ref={file}
        type="file"
        accept=".json,.jsonc,.vsix"
        multiple
        aria-label="Theme files"
        hidden
        onChange={({ target }) => {
          const chosen = [...(target.files ?? [])]
          target.value = ''
          if (chosen.length > 0) attempt(() => importTheme(chosen), 'The theme could not be imported')
        }}
      />
    </div>
  )
}
