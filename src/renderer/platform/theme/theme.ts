import { create } from 'zustand'
import type { BaseTheme, ColorTheme } from '../../../shared/editor/colorTheme.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import { saveSettings, useApp } from '../appState.ts'
import { request } from '../bridge/bridge.ts'
import { attempt } from '../notices.ts'
import { themeTokens } from './themeTokens.ts'

type ThemeSetting = Settings['theme']
const storedThemeKey = 'tizona.theme'

interface ThemeState {
  /** The active theme, with the setting `system` resolved. */
  theme: BaseTheme
  /** The imported theme on top of it; null if there is none. */
  imported: ColorTheme | null
}

export const useTheme = create<ThemeState>(() => ({ theme: 'dark', imported: null }))

/** The imported themes. Loaded when the setting needs them. */
export const useImportedThemes = create<{ themes: readonly ColorTheme[]; loaded: boolean }>(() => ({
  themes: [],
  loaded: false,
}))

/** A theme as in the settings. `importedTheme`: id of the theme `imported`. */
interface ThemeChoice {
  theme: ThemeSetting
  importedTheme: string
}

/** A theme that is shown but not stored. */
const useThemePreview = create<{ choice: ThemeChoice | null }>(() => ({ choice: null }))

/** Shows a theme without storing it; null shows that of the settings again. */
export function previewTheme(choice: ThemeChoice | null): void {
  useThemePreview.setState({ choice })
}

export async function loadImportedThemes(): Promise<void> {
  useImportedThemes.setState({ themes: await request('themes.list', {}), loaded: true })
}

const systemDark = () => matchMedia('(prefers-color-scheme: dark)')
const moreContrast = () => matchMedia('(prefers-contrast: more)')
/** Whether the system replaces all colors, for example with a Windows contrast theme. */
const forcedColors = () => matchMedia('(forced-colors: active)')

function applyTheme(theme: BaseTheme, imported: ColorTheme | null): void {
  const { style, dataset } = document.documentElement
  const before = useTheme.getState()
  if (before.imported !== imported) {
    if (before.imported) for (const name of Object.keys(themeTokens(before.imported))) style.removeProperty(name)
    if (imported) for (const [name, value] of Object.entries(themeTokens(imported))) style.setProperty(name, value)
  }
  dataset.theme = theme
  if (before.theme !== theme || before.imported !== imported) useTheme.setState({ theme, imported })
}

function systemTheme(): BaseTheme {
  const dark = systemDark().matches
  if (moreContrast().matches || forcedColors().matches) return dark ? 'hc-dark' : 'hc-light'
  return dark ? 'dark' : 'light'
}

function currentSetting(): ThemeSetting {
  const { choice } = useThemePreview.getState()
  if (choice) return choice.theme
  // Written by `followTheme`. An unknown value from another version means the system's theme.
  const stored = localStorage.getItem(storedThemeKey) as ThemeSetting | null
  return useApp.getState().state?.settings?.theme ?? stored ?? 'system'
}

/** Returns the imported theme that the settings name. Loads the themes on first use. */
function importedTheme(): ColorTheme | null {
  const id = useThemePreview.getState().choice?.importedTheme ?? useApp.getState().state?.settings?.importedTheme
  const { themes, loaded } = useImportedThemes.getState()
  if (!loaded && id !== undefined) {
    useImportedThemes.setState({ loaded: true })
    attempt(loadImportedThemes, 'The imported themes could not be loaded')
  }
  return themes.find((theme) => theme.id === id) ?? null
}

/**
 * Applies the theme of the settings or the system, and stores the setting for the first paint of the next start.
 * @returns a function that stops it
 */
export function followTheme(): () => void {
  const update = () => {
    const setting = currentSetting()
    const isPreview = useThemePreview.getState().choice !== null
    if (useApp.getState().state && !isPreview) localStorage.setItem(storedThemeKey, setting)
    const imported = setting === 'imported' && !forcedColors().matches ? importedTheme() : null
    const named = setting === 'dark' || setting === 'light' || setting === 'hc-dark' || setting === 'hc-light'
    applyTheme(imported?.base ?? (named && !forcedColors().matches ? setting : systemTheme()), imported)
  }
  const media = [systemDark(), moreContrast(), forcedColors()]
  for (const each of media) each.addEventListener('change', update)
  const stops = [useApp.subscribe(update), useImportedThemes.subscribe(update), useThemePreview.subscribe(update)]
  update()
  return () => {
    for (const each of media) each.removeEventListener('change', update)
    stops.forEach((stop) => stop())
  }
}

const opposite: Readonly<Record<BaseTheme, BaseTheme>> = {
  dark: 'light',
  light: 'dark',
  'hc-dark': 'hc-light',
  'hc-light': 'hc-dark',
}

export async function toggleTheme(): Promise<void> {
  await saveSettings({ theme: opposite[useTheme.getState().theme] })
}
