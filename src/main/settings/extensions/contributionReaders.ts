import path from 'node:path'
import { readColorTheme } from '../../../shared/editor/colorTheme.ts'
import { commands } from '../../../shared/editor/commandsAndKeybindings.ts'
import { keymapChoices, readKeys, tableDefaults } from '../../../shared/editor/keymap.ts'
import { readSnippets } from '../../../shared/editor/snippets.ts'
import { readExpression, readLanguageConfiguration } from '../../../shared/extensions/languageConfiguration.ts'
import { formatSize } from '../../../shared/text/formatSize.ts'
import { plural } from '../../../shared/text/plural.ts'
import { ToolError } from '../../../shared/errors.ts'
import { convertKeybindings, hasModifier } from '../editorImport/convertKeybindings.ts'
import { readTheme } from '../themeFiles.ts'
import type { ExtensionRecord } from './extensionRecord.ts'
import { readIconThemeFile } from './iconThemeFile.ts'
import type { ExtensionReader } from './extensionReader.ts'
import { withoutTransforms } from './snippetTransforms.ts'

// Readers of what extensions contribute, one for each kind. Each lists what it uses and what not, with the reason.

/** Maximum bytes of a grammar, which a worker of the window parses. */
const maxGrammar = 4 * 1024 * 1024
/** Maximum bytes of a JSON schema, which the window parses. */
const maxSchema = 512 * 1024

const maxNames = 500
const maxName = 200

/** Pure: the strings of a list that are not too long. */
function texts(value: unknown): string[] {
  if (!Array.isArray(value)) return []
  return value
    .filter((each): each is string => typeof each === 'string' && each !== '' && each.length <= maxName)
    .slice(0, maxNames)
}

/** Pure: the entries of an object whose keys and values are strings. */
function textTable(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
  const entries = Object.entries(value).filter(([, each]) => typeof each === 'string' && each.length <= maxName)
  return Object.fromEntries(entries.slice(0, maxNames)) as Record<string, string>
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= maxName ? value : undefined

/** Color themes, stored with the themes that they include. */
export async function readThemes(reader: ExtensionReader): Promise<ExtensionRecord['themes']> {
  const themes: ExtensionRecord['themes'] = []
  for (const { label, uiTheme, path: target } of reader.entriesOf('themes')) {
    const name = text(label) ?? path.posix.basename(String(target), '.json')
    await reader.attempt(`Color theme ${name}`, async () => {
      const file = reader.resolve(target)
      const theme = await readTheme(file, async (each) => reader.readText(path.posix.normalize(each)))
      const full = { type: uiTheme, ...theme, name }
      if (readColorTheme(name, full) === null)
        throw new ToolError('invalid_arguments', `${file} has no colors.`, 'Choose another extension.')
      await reader.keep(file, JSON.stringify(full))
      themes.push({ label: name, path: file })
      reader.use('theme', name)
    })
  }
  return themes
}

export async function readIconThemes(reader: ExtensionReader): Promise<ExtensionRecord['iconThemes']> {
  const themes: ExtensionRecord['iconThemes'] = []
  for (const { id, label, path: target } of reader.entriesOf('iconThemes')) {
    const name = text(label) ?? text(id) ?? 'icons'
    await reader.attempt(`File icon theme ${name}`, async () => {
      const file = reader.resolve(target)
      const theme = await readIconThemeFile(reader, file, name)
      await reader.keep(file, JSON.stringify(theme))
      themes.push({ id: text(id) ?? name, label: name, path: file })
      reader.use('iconTheme', name)
    })
  }
  return themes
}

/** Wildcards of a glob that Monaco compiles to a regular expression. More could take long on a long path. */
const maxWildcards = 4

export async function readLanguages(reader: ExtensionReader): Promise<ExtensionRecord['languages']> {
  const languages: ExtensionRecord['languages'] = []
  for (const entry of reader.entriesOf('languages')) {
    const id = text(entry['id'])
    if (id === undefined) continue
    const aliases = texts(entry['aliases'])
    const extensions = texts(entry['extensions'])
    const filenames = texts(entry['filenames'])
    const first = readExpression(entry['firstLine'])
    const configuration = entry['configuration']
    const read =
      configuration === undefined
        ? null
        : await reader.attempt(`Language configuration of ${id}`, async () =>
            readLanguageConfiguration(await reader.readJson(reader.resolve(configuration)), reader.accepts),
          )
    languages.push({
      id,
      aliases,
      extensions,
      filenames,
      filenamePatterns: texts(entry['filenamePatterns']).filter(
        (pattern) => (pattern.match(/[*?[{]/g)?.length ?? 0) <= maxWildcards,
      ),
      ...(first !== null && reader.accepts({ ...first, anyLength: true }) && { firstLine: first.pattern }),
      mimetypes: texts(entry['mimetypes']),
      ...(read !== null && { configuration: read }),
    })
    const name = aliases[0] ?? id
    if (aliases.length + extensions.length + filenames.length > 0) reader.use('language', name)
    if (read !== null) reader.use('languageConfiguration', name)
  }
  return languages
}

async function keepUnread(reader: ExtensionReader, target: unknown, maxSize: number): Promise<string> {
  const file = reader.resolve(target)
  if ((await reader.read(file)).length > maxSize)
    throw new ToolError('too_large', `${file} is larger than ${formatSize(maxSize)}.`, 'Use a smaller one.')
  await reader.keep(file)
  return file
}

/** Grammars are not parsed here: the window's worker does that, where a hostile one blocks nothing. */
export async function readGrammars(reader: ExtensionReader): Promise<ExtensionRecord['grammars']> {
  const grammars: ExtensionRecord['grammars'] = []
  for (const entry of reader.entriesOf('grammars')) {
    const scopeName = text(entry['scopeName'])
    if (scopeName === undefined) continue
    await reader.attempt(`Grammar ${scopeName}`, async () => {
      const language = text(entry['language'])
      grammars.push({
        path: await keepUnread(reader, entry['path'], maxGrammar),
        scopeName,
        ...(language !== undefined && { language }),
        injectTo: texts(entry['injectTo']),
        embeddedLanguages: textTable(entry['embeddedLanguages']),
        tokenTypes: textTable(entry['tokenTypes']),
        ...(entry['balancedBracketScopes'] !== undefined && {
          balancedBracketScopes: texts(entry['balancedBracketScopes']),
        }),
        unbalancedBracketScopes: texts(entry['unbalancedBracketScopes']),
      })
      reader.use('grammar', language ?? scopeName)
    })
  }
  return grammars
}

/** Snippet files, stored as a list of snippets. */
export async function readSnippetFiles(reader: ExtensionReader): Promise<ExtensionRecord['snippets']> {
  const files: ExtensionRecord['snippets'] = []
  for (const { language, path: target } of reader.entriesOf('snippets')) {
    const id = text(language) ?? null
    await reader.attempt(`Snippets ${id ?? String(target)}`, async () => {
      const file = reader.resolve(target)
      const all = readSnippets(await reader.readJson(file), id)
      const plain = all.map((snippet) => ({ ...snippet, body: withoutTransforms(snippet.body) }))
      const changed = plain.filter(({ body }, index) => body !== all[index]?.body).length
      if (changed > 0)
        reader.refuse(
          `Transforms in ${plural(changed, 'snippet')} of ${path.posix.basename(file)}`,
          'Their regular expressions would run in the window. Placeholders keep their text.',
        )
      // Two languages may share a file.
      const stored = id === null ? file : `#${id}/${file}`
      await reader.keep(stored, JSON.stringify(plain))
      files.push({ language: id, path: stored })
      reader.use('snippets', id ?? path.posix.basename(file))
    })
  }
  return files
}

export function readKeybindings(reader: ExtensionReader): ExtensionRecord['keybindings'] {
  const entries = reader.entriesOf('keybindings').map((entry): Record<string, unknown> => {
    const key = entry[platformKey[process.platform] ?? 'linux'] ?? entry['key']
    return { ...entry, key }
  })
  // A regular expression in a condition would run at every change of the context.
  const plain = entries.filter(({ when }) => typeof when !== 'string' || !when.includes('=~'))
  const { bindings: converted, skipped } = convertKeybindings(plain, [])
  const taken = defaultKeys()
  const bindings = converted.filter(({ key, command }) => {
    const reason = keybindingProblem(key, command, taken)
    if (reason === null) reader.use('keybinding', `${key}: ${command}`)
    else reader.refuse(`Shortcut ${key} (${command})`, reason)
    return reason === null
  })
  for (const line of skipped) {
    const at = line.indexOf(': ')
    reader.refuse(`Shortcut ${line.slice(0, at)}`, upperFirst(line.slice(at + 2)))
  }
  if (plain.length < entries.length)
    reader.refuse('Shortcuts with regular expressions', 'Their conditions would be matched at every key.')
  return bindings.slice(0, maxNames)
}

/** Pure: why an extension may not bind a key; null if it may. */
function keybindingProblem(key: string, command: string, taken: ReadonlySet<string>): string | null {
  if (command.startsWith('-')) return 'An extension removes no shortcuts.'
  if (hiddenCommands.has(command)) return 'The command needs an argument.'
  if (!hasModifier(key)) return 'The key could not be typed any more.'
  return taken.has(readKeys(key) ?? '') ? 'Tizona uses the key.' : null
}

const hiddenCommands: ReadonlySet<string> = new Set(commands.flatMap(({ id, hidden }) => (hidden ? [id] : [])))

/** The default keys of Tizona in all hosts and sets of shortcuts. */
function defaultKeys(): Set<string> {
  const modifier = process.platform === 'darwin' ? 'Cmd' : 'Ctrl'
  const canonical = (keys: string) => readKeys(keys.replaceAll('Mod', modifier)) ?? keys
  const hosts = ['electron', 'browser'] as const
  return new Set(
    hosts.flatMap((host) =>
      keymapChoices.flatMap((choice) => tableDefaults(host, choice, canonical).flatMap(({ keys }) => keys)),
    ),
  )
}

const platformKey: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'mac', win32: 'win' }
const upperFirst = (value: string) => value.charAt(0).toUpperCase() + value.slice(1)

/** Stars in a name of files: Monaco converts each to a repetition. */
const maxStars = 3

/** Pure: a JSON schema without the regular expressions that are not accepted. Nested as deep as JSON was parsed. */
function withoutPatterns(schema: unknown, accepts: (pattern: string) => boolean): unknown {
  if (Array.isArray(schema)) return schema.map((each) => withoutPatterns(each, accepts))
  if (typeof schema !== 'object' || schema === null) return schema
  const kept = Object.entries(schema).flatMap(([key, value]: [string, unknown]) => {
    if (key === 'pattern' && typeof value === 'string' && !accepts(value)) return []
    if (key !== 'patternProperties' || typeof value !== 'object' || value === null)
      return [[key, withoutPatterns(value, accepts)]]
    const properties = Object.entries(value).filter(([pattern]) => accepts(pattern))
    return [[key, withoutPatterns(Object.fromEntries(properties), accepts)]]
  })
  return Object.fromEntries(kept) as unknown
}

export async function readSchemas(reader: ExtensionReader): Promise<ExtensionRecord['schemas']> {
  const schemas: ExtensionRecord['schemas'] = []
  for (const { fileMatch, url } of reader.entriesOf('jsonValidation')) {
    const patterns = typeof fileMatch === 'string' ? texts([fileMatch]) : texts(fileMatch)
    if (patterns.length === 0) continue
    const name = patterns.slice(0, 3).join(', ')
    if (typeof url === 'string' && /^[a-z-]+:/i.test(url)) {
      const reason = url.startsWith('http')
        ? 'It is on the web, from where Tizona loads none.'
        : 'Code of VS Code makes it.'
      reader.refuse(`JSON schema of ${name}`, reason)
      continue
    }
    await reader.attempt(`JSON schema of ${name}`, async () => {
      if (patterns.some((pattern) => pattern.split('*').length - 1 > maxStars || !/^[\w.*/@+-]+$/.test(pattern)))
        throw new ToolError('invalid_arguments', 'Its file names have too many wildcards.', 'Use plain names.')
      const file = reader.resolve(url)
      if ((await reader.read(file)).length > maxSchema)
        throw new ToolError('too_large', `${file} is larger than ${formatSize(maxSchema)}.`, 'Use a smaller one.')
      const schema = withoutPatterns(await reader.readJson(file), (pattern) => {
        const expression = readExpression({ pattern, flags: 'u' })
        return expression !== null && reader.accepts({ ...expression, anyLength: true })
      })
      await reader.keep(file, JSON.stringify(schema))
      schemas.push({ path: file, fileMatch: patterns })
      reader.use('jsonSchema', name)
    })
  }
  return schemas
}
