import { topFolders, type WorkspaceRoots } from '../base/workspaceRoots.ts'
import { basename } from 'node:path'
import { parse as parseJson } from 'jsonc-parser'
import { z } from 'zod'
import { ToolError } from '../../shared/errors.ts'
import type { WorkspaceFolder } from '../../shared/files/workspaceFolders.ts'
import type { FolderSettings, Settings } from '../../shared/settings/settings.ts'
import { settingsTable } from '../../shared/settings/settingsTable.ts'
import { compileGlob } from '../base/glob.ts'
import { log } from '../base/log/log.ts'
import { globFilter } from '../search/globs.ts'
import { parseFolderSettings } from '../settings/settingsDocument.ts'

/**
 * What the settings `files.exclude`, `search.exclude` and `files.associations` of the user and of the folder say about
 * files.
 */
export interface FileRules {
  /** Whether the window shows the file or folder. */
  isShown(path: string): boolean
  /** Whether search and quick open show the file. */
  isFound(path: string): boolean
  /** Globs of the files that searches leave out. */
  excluded: readonly string[]
  /** Returns the language id of a file; undefined if its name decides. */
  languageOf(path: string): string | undefined
}

/** Reads settings of a trusted workspace. Null if they are missing. */
interface FolderReaders {
  /** `.tizona/settings.json` of a folder. @param folder its workspace path */
  own(folder: string): Promise<string | null>
  /** `.vscode/settings.json` of a folder. */
  vsCode(folder: string): Promise<string | null>
  /** The settings in the file of a multi-root workspace. */
  workspaceFile?(): Promise<string | null>
  /** Folders of a multi-root workspace. */
  folders?: WorkspaceRoots['folders']
}

/**
 * Creates a function that returns the rules in effect. Later ones add to earlier ones, as in VS Code: the user's, those of
 * the workspace's file, those of the folder. Tizona's settings take precedence over those of VS Code.
 */
export function createFileRules(
  settings: () => Pick<Settings, 'files' | 'search'>,
  { own, vsCode, workspaceFile = async () => null, folders }: FolderReaders,
): () => Promise<FileRules> {
  let known: { key: string; rules: FileRules } | undefined
  return async () => {
    const { files, search } = settings()
    const user = { ...files, excludeFromSearch: search.exclude }
    const orNull = (read: Promise<string | null>) => read.catch(() => null)
    const [fileText, ...texts] = await Promise.all([
      orNull(workspaceFile()),
      ...topFolders({ folders }).map((each) => Promise.all([orNull(vsCode(each)), orNull(own(each))])),
    ])
    const key = JSON.stringify([user.exclude, user.associations, search.exclude, fileText, texts])
    if (known?.key !== key) {
      // The defaults stay, unless a source turns one off with false.
      const shared = [{ exclude: settingsTable.files.fields.exclude.default }, user, vsCodeFiles(fileText)]
      const rules = texts.map(([vsCodeText, ownText]) =>
        rulesOf([...shared, vsCodeFiles(vsCodeText), ownFiles(ownText)]),
      )
      known = { key, rules: folders ? inFolders(folders, rules, rulesOf(shared)) : (rules[0] ?? rulesOf(shared)) }
    }
    return known.rules
  }
}

/**
 * Returns the rules for paths that begin with the name of a folder, which the globs do not contain.
 * @param outside rules for files in none of them
 */
function inFolders(folders: readonly WorkspaceFolder[], rules: readonly FileRules[], outside: FileRules): FileRules {
  const byName = new Map(folders.map(({ name }, index) => [name, rules[index]]))
  const split = (path: string) => {
    const slash = path.indexOf('/')
    return { rules: byName.get(path.slice(0, slash)), inside: path.slice(slash + 1) }
  }
  return {
    isShown(path) {
      const found = split(path)
      return found.rules?.isShown(found.inside) ?? true
    },
    isFound(path) {
      const found = split(path)
      return found.rules?.isFound(found.inside) ?? true
    },
    excluded: [...byName].flatMap(
      ([name, each]) =>
        each?.excluded.map((glob) => literalGlob(name) + (glob.startsWith('/') ? '' : '/') + glob) ?? [],
    ),
    languageOf(path) {
      const found = split(path)
      return (found.rules ?? outside).languageOf(found.inside)
    },
  }
}

const literalGlob = (name: string): string => name.replaceAll(/[*?[\]{}!\\]/g, String.raw`\$&`)

function ownFiles(text: string | null): Source {
  try {
    return text === null ? undefined : parseFolderSettings(text).settings.files
  } catch (error) {
    // The window shows why the folder's settings are not used.
    if (error instanceof ToolError) return undefined
    throw error
  }
}

const vsCodeSchema = z.looseObject({
  // An object with `when` depends on other files, which Tizona does not support.
  'files.exclude': z.record(z.string(), z.unknown()).catch({}).default({}),
  'files.associations': z.record(z.string(), z.unknown()).catch({}).default({}),
  'search.exclude': z.record(z.string(), z.unknown()).catch({}).default({}),
})

/** Reads VS Code's settings of the folder, which may have comments. Ignores values that Tizona does not support. */
function vsCodeFiles(text: string | null): Source {
  const parsed = vsCodeSchema.safeParse(text === null ? {} : parseVsCode(text))
  if (!parsed.success) return undefined
  const { 'files.exclude': exclude, 'files.associations': associations, 'search.exclude': fromSearch } = parsed.data
  const entries = <T>(values: Record<string, unknown>, isValid: (value: unknown) => value is T) =>
    Object.fromEntries(
      Object.entries(values).flatMap(([glob, value]) => (isValid(value) ? [[glob, value] as const] : [])),
    )
  const isSwitch = (value: unknown): value is boolean => typeof value === 'boolean'
  return {
    exclude: entries(exclude, isSwitch),
    excludeFromSearch: entries(fromSearch, isSwitch),
    associations: entries(associations, (value): value is string => typeof value === 'string'),
  }
}

function parseVsCode(text: string): unknown {
  try {
    return parseJson(text, [], { allowTrailingComma: true })
  } catch {
    // Nested deeper than the stack allows.
    return undefined
  }
}

/** In VS Code, only a glob that begins with two asterisks matches at any depth. */
const fromTop = (glob: string): string => (/^(?:\*\*|\/)/.test(glob) ? glob : `/${glob.replace(/^(?:\.\/)+/, '')}`)

type Source = (FolderSettings['files'] & { excludeFromSearch?: Settings['search']['exclude'] }) | undefined

function rulesOf(sources: readonly Source[]): FileRules {
  const globsOf = (name: 'exclude' | 'excludeFromSearch') => {
    const globs: Record<string, boolean> = Object.assign({}, ...sources.map((source) => source?.[name]))
    return Object.keys(globs)
      .filter((glob) => globs[glob] === true && isGlob(glob))
      .map(fromTop)
  }
  const associations: Settings['files']['associations'] = Object.assign(
    {},
    ...sources.map((source) => source?.associations),
  )
  const hidden = globsOf('exclude')
  const excluded = [...new Set([...hidden, ...globsOf('excludeFromSearch')])]
  const filterOf = (globs: readonly string[]) => globFilter(globs.map((glob) => `!${glob}`))
  const [shown, found] = [filterOf(hidden), filterOf(excluded)]
  const languages = Object.entries(associations)
    .toSorted(([one], [other]) => other.length - one.length)
    .flatMap(([glob, language]) => {
      const matches = compileGlob(glob, { caseSensitive: false })
      return matches
        ? [{ matches: glob.includes('/') ? matches : (path: string) => matches(basename(path)), language }]
        : []
    })
  return {
    isShown: (path) => shown?.matches(path) ?? true,
    isFound: (path) => found?.matches(path) ?? true,
    excluded,
    languageOf: (path) => languages.find(({ matches }) => matches(path))?.language,
  }
}

/** Whether a glob can be used. One that cannot is left out, because the others should still work. */
function isGlob(glob: string): boolean {
  try {
    return globFilter([`!${glob}`]) !== undefined
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    log.warn(`A glob of excluded files is not used. ${error.message}`)
    return false
  }
}
