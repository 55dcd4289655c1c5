/** How an icon theme draws a file or a folder. */
export interface IconDefinition {
  /** Path of the image in the extension. */
  image?: string
  /** Text in an icon font. */
  character?: string
  /** CSS color of the character, as `#rrggbb`. */
  color?: string
  /** Id of the font; the first one if absent. */
  font?: string
  /** In percent of the usual size. */
  size?: number
}

/** Icons by what they stand for. The values are names of definitions. */
export interface IconAssociations {
  file?: string
  folder?: string
  folderExpanded?: string
  rootFolder?: string
  rootFolderExpanded?: string
  fileExtensions: Record<string, string>
  fileNames: Record<string, string>
  folderNames: Record<string, string>
  folderNamesExpanded: Record<string, string>
  languageIds: Record<string, string>
}

/** A file icon theme in VS Code's format, after it was checked. */
export interface IconTheme {
  id: string
  extension: string
  definitions: Record<string, IconDefinition>
  /** `path`: the font file in the extension. `size`: in percent. */
  fonts: { id: string; path: string; size?: number }[]
  dark: IconAssociations
  /** Take precedence over `dark`. */
  light: IconAssociations
  highContrast: IconAssociations
  hidesExplorerArrows: boolean
}

/** A file or folder that needs an icon. */
export interface IconTarget {
  /** Path with `/`. */
  path: string
  kind: 'file' | 'folder'
  expanded?: boolean
  /** Language of a file, if it is known. */
  language?: string | undefined
}

const own = (table: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined

function inAssociations(table: IconAssociations, { path, kind, expanded, language }: IconTarget): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  if (kind === 'folder') {
    const named = expanded ? own(table.folderNamesExpanded, name) : own(table.folderNames, name)
    return named ?? (expanded ? (table.folderExpanded ?? table.folder) : table.folder)
  }
  const named = own(table.fileNames, name)
  if (named !== undefined) return named
  // The longest extension wins: "a.test.ts" has "test.ts" and "ts".
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    const found = own(table.fileExtensions, name.slice(dot + 1))
    if (found !== undefined) return found
  }
  return (language === undefined ? undefined : own(table.languageIds, language)) ?? table.file
}

/**
 * Pure: returns the icon of a file or folder; undefined if the theme has none for it.
 * @param variant kind of the active color theme
 */
export function themeIcon(
  theme: IconTheme,
  variant: 'dark' | 'light' | 'highContrast',
  target: IconTarget,
): IconDefinition | undefined {
  const specific = variant === 'dark' ? undefined : special(theme[variant], theme.dark, target)
  const name = specific ?? inAssociations(theme.dark, target)
  return name !== undefined && Object.hasOwn(theme.definitions, name) ? theme.definitions[name] : undefined
}

/** The icon of a variant, unless it only has a general one where the dark theme has one for just this file. */
function special(variant: IconAssociations, dark: IconAssociations, target: IconTarget): string | undefined {
  const found = inAssociations(variant, target)
  const general = [variant.file, variant.folder, variant.folderExpanded]
  if (found === undefined || !general.includes(found)) return found
  const named = inAssociations(dark, target)
  const isGeneral = [dark.file, dark.folder, dark.folderExpanded].includes(named)
  return isGeneral ? found : named
}
