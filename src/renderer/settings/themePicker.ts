import { settingsTable } from '../../shared/settings/settingsTable.ts'
import { saveSettings, useApp } from '../platform/appState.ts'
import { quickPick, type QuickPickItem } from '../platform/quickPick/quickPick.ts'
import { loadImportedThemes, previewTheme, useImportedThemes } from '../platform/theme/theme.ts'

const { options, texts } = settingsTable.theme

/** Shows the themes in a picker. The highlighted one is applied at once, and stored when it is chosen. */
export async function chooseTheme(): Promise<void> {
  await loadImportedThemes()
  const settings = useApp.getState().state?.settings
  if (!settings) return
  const choices = [
    ...options
      .filter((option) => option !== 'imported')
      .map((theme) => ({ theme, importedTheme: settings.importedTheme, label: texts[theme].label as string })),
    ...useImportedThemes
      .getState()
      .themes.map(({ id, label }) => ({ theme: 'imported' as const, importedTheme: id, label })),
  ]
  const choiceOf = ({ id }: QuickPickItem) => choices[Number(id)]
  try {
    const item = await quickPick({
      title: 'Color theme',
      placeholder: 'Choose a theme with the arrow keys',
      items: choices.map(({ theme, importedTheme, label }, index) => ({
        id: String(index),
        label,
        current: theme === settings.theme && (theme !== 'imported' || importedTheme === settings.importedTheme),
      })),
      onHighlight: (highlighted) => previewTheme(choiceOf(highlighted) ?? null),
    })
    const choice = item && choiceOf(item)
    if (choice) await saveSettings({ theme: choice.theme, importedTheme: choice.importedTheme })
  } finally {
    previewTheme(null)
  }
}
