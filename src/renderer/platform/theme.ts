import { create } from 'zustand'
import { saveSettings, useApp } from './appState.ts'

type Theme = 'dark' | 'light'
const storedThemeKey = 'tizona.theme'

/** The active theme. The setting `system` is resolved to dark or light. */
export const useTheme = create<{ theme: Theme }>(() => ({ theme: 'dark' }))

const systemDark = () => matchMedia('(prefers-color-scheme: dark)')

function applyTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme
  if (useTheme.getState().theme !== theme) useTheme.setState({ theme })
}

function resolveTheme(): Theme {
  const setting = useApp.getState().state?.settings.theme ?? localStorage.getItem(storedThemeKey) ?? 'system'
  if (setting === 'dark' || setting === 'light') return setting
  return systemDark().matches ? 'dark' : 'light'
}

/**
 * Applies the theme of the settings or the system, and stores the setting for the next start's first paint.
 * @returns stop
 */
export function followTheme(): () => void {
  const update = () => {
    const setting = useApp.getState().state?.settings.theme
    if (setting) localStorage.setItem(storedThemeKey, setting)
    applyTheme(resolveTheme())
  }
  const media = systemDark()
  media.addEventListener('change', update)
  const stop = useApp.subscribe(update)
  update()
  return () => {
    media.removeEventListener('change', update)
    stop()
  }
}

export async function toggleTheme(): Promise<void> {
  await saveSettings({ theme: useTheme.getState().theme === 'dark' ? 'light' : 'dark' })
}
