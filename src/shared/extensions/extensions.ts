import type { UserKeybinding } from '../editor/keymap.ts'

/** Maximum size in bytes of a packed extension, or of the files of a folder. */
export const maxExtensionBytes = 20 * 1024 * 1024

/** Maximum number of files that the window sends of an extension's folder. */
export const maxFolderFiles = 5000

/** Kinds of contributions that Tizona uses, in the order in which they are listed. */
export const contributionKinds = {
  theme: 'color theme',
  iconTheme: 'file icon theme',
  language: 'language',
  grammar: 'grammar',
  languageConfiguration: 'language configuration',
  snippets: 'snippet file',
  keybinding: 'keyboard shortcut',
  jsonSchema: 'JSON schema',
} as const
export type ContributionKind = keyof typeof contributionKinds

/** Something in an extension that has no effect, and why. */
export interface UnusedContribution {
  name: string
  reason: string
}

/** An installed extension, as the window lists it. */
export interface ExtensionInfo {
  /** `publisher.name`, in lower case. */
  id: string
  name: string
  version: string
  description: string
  enabled: boolean
  used: { kind: ContributionKind; names: string[] }[]
  notUsed: UnusedContribution[]
}

/** A language with the files to which it belongs, in VS Code's format. */
export interface ContributedLanguage {
  id: string
  aliases: string[]
  extensions: string[]
  filenames: string[]
  filenamePatterns: string[]
  firstLine?: string
  mimetypes: string[]
  /** Checked language configuration, in VS Code's format. */
  configuration?: Record<string, unknown>
}

/** A TextMate grammar. Its text is read with `extensions.readText`. */
export interface ContributedGrammar {
  extension: string
  path: string
  scopeName: string
  /** Absent for a grammar that others include. */
  language?: string
  /** Scopes of grammars in which it is also used. */
  injectTo: string[]
  /** Language ids by scope. */
  embeddedLanguages: Record<string, string>
  /** `comment`, `string`, `regex` or `other`, by scope. */
  tokenTypes: Record<string, string>
  /** Scopes whose brackets are matched and colored; all if absent. */
  balancedBracketScopes?: string[]
  /** Scopes whose brackets are not. */
  unbalancedBracketScopes: string[]
}

/** A JSON schema for files. Its text is read with `extensions.readText`. */
export interface ContributedSchema {
  extension: string
  path: string
  /** Globs of file names. */
  fileMatch: string[]
}

/** What the enabled extensions bring to a window. */
export interface Contributions {
  languages: ContributedLanguage[]
  grammars: ContributedGrammar[]
  schemas: ContributedSchema[]
  keybindings: UserKeybinding[]
  iconThemes: { id: string; label: string }[]
}
