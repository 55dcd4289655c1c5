/** The built-in themes. */
export type BaseTheme = 'dark' | 'light' | 'hc-dark' | 'hc-light'

/** A VS Code color theme that the user imported, or of an extension. */
export interface ColorTheme {
  /** File name in `themes/` of the user data folder, or `EXTENSION/LABEL`. */
  id: string
  label: string
  base: BaseTheme
  /** Workbench and editor colors by VS Code's names, as `#rrggbb` or `#rrggbbaa`. */
  colors: Readonly<Record<string, string>>
  /** Colors of TextMate scopes. For equal scopes, later ones win. */
  tokens: readonly { scope: string; foreground?: string; fontStyle?: string }[]
}

const maxColors = 2000
const maxTokens = 5000
const bases: Readonly<Record<string, BaseTheme>> = {
  dark: 'dark',
  'vs-dark': 'dark',
  light: 'light',
  vs: 'light',
  hc: 'hc-dark',
  hcDark: 'hc-dark',
  'hc-black': 'hc-dark',
  hcLight: 'hc-light',
  'hc-light': 'hc-light',
}

/** Pure: expands `#rgb` and `#rgba`. Returns undefined for anything but a hexadecimal color. */
function hexColor(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(value)) return undefined
  const digits = value.slice(1).toLowerCase()
  return `#${digits.length <= 4 ? digits.replaceAll(/./g, '$&$&') : digits}`
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Pure: whether a color is dark, by its relative luminance. */
export function isDark(color: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  return red * 0.2126 + green * 0.7152 + blue * 0.0722 < 128
}

/**
 * Pure: converts a parsed VS Code theme file. Ignores colors that are not hexadecimal.
 * @returns null if it defines neither workbench nor token colors
 */
export function readColorTheme(id: string, value: unknown): ColorTheme | null {
  if (!isRecord(value)) return null
  const colors = Object.fromEntries(
    Object.entries(isRecord(value.colors) ? value.colors : {})
      .slice(0, maxColors)
      .flatMap(([name, color]) => {
        const hex = hexColor(color)
        return hex === undefined ? [] : [[name, hex] as const]
      }),
  )
  const tokens = (Array.isArray(value.tokenColors) ? value.tokenColors : []).slice(0, maxTokens).flatMap(readToken)
  if (Object.keys(colors).length === 0 && tokens.length === 0) return null
  const background = colors['editor.background']
  const detected = background !== undefined && !isDark(background) ? 'light' : 'dark'
  const base = (typeof value.type === 'string' ? bases[value.type] : undefined) ?? detected
  const label =
    typeof value.name === 'string' && value.name !== '' ? value.name.slice(0, 100) : id.replace(/\.json$/, '')
  return { id, label, base, colors, tokens }
}

function readToken(entry: unknown): ColorTheme['tokens'][number][] {
  if (!isRecord(entry) || !isRecord(entry.settings)) return []
  const foreground = hexColor(entry.settings.foreground)
  const fontStyle = typeof entry.settings.fontStyle === 'string' ? entry.settings.fontStyle.slice(0, 50) : undefined
  if (foreground === undefined && fontStyle === undefined) return []
  const scopes = Array.isArray(entry.scope)
    ? entry.scope
    : typeof entry.scope === 'string'
      ? entry.scope.split(',')
      : []
  return scopes.flatMap((scope) =>
    typeof scope === 'string' && scope.trim() !== '' ? [{ scope: scope.trim(), foreground, fontStyle }] : [],
  )
}

/** Pure: the color of a TextMate scope. The longest matching prefix wins, and the last of equal ones. */
export function scopeColor({ tokens }: ColorTheme, scope: string): string | undefined {
  let best: { scope: string; foreground?: string } | undefined
  for (const token of tokens) {
    if (token.foreground === undefined) continue
    const matches = scope === token.scope || scope.startsWith(`${token.scope}.`)
    if (matches && (best === undefined || token.scope.length >= best.scope.length)) best = token
  }
  return best?.foreground
}
