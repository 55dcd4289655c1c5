import { Buffer } from 'node:buffer'
import path from 'node:path'
import type { EditorConfig } from '../../shared/files/formatting.ts'
import { compileGlob } from '../base/glob.ts'
import { readSmallFile } from '../base/smallFile.ts'
import type { Workspace } from '../workspace/containment.ts'

const fileName = '.editorconfig'
/** Maximum characters of a file, and of a section's pattern, which the specification limits to 1024. */
const maxCharacters = 64 * 1024
const maxPattern = 1024
/** Maximum length of a line. The parser takes quadratic time. */
const maxLine = 1300
/** Stands in for the header of a section that is longer than `maxLine`. It matches no file. */
const overlongSection = `[${'x'.repeat(maxPattern + 1)}]`
/** Maximum count of a range such as `{1..20}`. */
const maxRange = 256

/** Properties of a section, by lowercase name. */
type Properties = Readonly<Record<string, string>>

/**
 * Reads the `.editorconfig` files that apply to a file: those in its folder and the parent folders inside the
 * workspace, up to one with `root = true`.
 */
export async function readEditorConfig(workspace: Workspace, file: string): Promise<EditorConfig> {
  const { relative } = await workspace.resolve(file, { missing: 'allow' })
  const sections: Properties[] = []
  for (let folder = path.posix.dirname(relative); ; folder = path.posix.dirname(folder)) {
    const text = await readFile(workspace, folder === '.' ? fileName : `${folder}/${fileName}`)
    if (text !== null) {
      const parsed = await parseEditorConfig(text)
      const inside = folder === '.' ? relative : relative.slice(folder.length + 1)
      sections.unshift(...parsed.sections.filter(({ matches }) => matches(inside)).map(({ properties }) => properties))
      if (parsed.root) break
    }
    if (folder === '.' || workspace.folders?.some(({ name }) => name === folder)) break
  }
  return toEditorConfig(Object.assign({}, ...sections) as Properties)
}

async function readFile(workspace: Workspace, name: string): Promise<string | null> {
  const { absolute, exists } = await workspace.resolve(name, { missing: 'allow' })
  const text = exists ? await readSmallFile(absolute) : null
  return text !== null && text.length <= maxCharacters ? text : null
}

interface Section {
  /** @param file relative to the folder of the `.editorconfig` */
  matches(file: string): boolean
  properties: Properties
}

/** Parses a file. Sections whose pattern is too long or has too many alternatives match nothing. */
export async function parseEditorConfig(text: string): Promise<{ root: boolean; sections: Section[] }> {
  // Loaded on demand, because its parser would delay each start.
  const { parseBuffer } = await import('editorconfig')
  let root = false
  const sections: Section[] = []
  const lines = text.split('\n').map((line) => {
    if (line.length <= maxLine) return line
    return line.trimStart().startsWith('[') ? overlongSection : ''
  })
  for (const [pattern, body] of parseBuffer(Buffer.from(lines.join('\n')))) {
    const properties = Object.fromEntries(
      Object.entries(body).map(([name, value]) => [name.toLowerCase(), String(value).toLowerCase()]),
    )
    if (pattern === null) root = properties.root === 'true'
    else {
      const matches = pattern.length <= maxPattern ? compileGlob(globOf(pattern)) : undefined
      if (matches) sections.push({ matches, properties })
    }
  }
  return { root, sections }
}

/**
 * Converts a section's pattern to our globs, which match in linear time: a pattern without a slash matches in every
 * folder, and `**` also matches inside a name.
 */
function globOf(pattern: string): string {
  const ranges = pattern.replaceAll(/\{(-?\d{1,9})\.\.(-?\d{1,9})\}/g, (whole, from: string, to: string) => {
    const [low = 0, high = 0] = [Number(from), Number(to)].toSorted((a, b) => a - b)
    const count = high - low + 1
    return count > 1 && count <= maxRange ? `{${Array.from({ length: count }, (_, at) => low + at).join(',')}}` : whole
  })
  const anywhere = ranges.includes('/') ? ranges.replace(/^\//, '') : `**/${ranges}`
  return anywhere.replaceAll(/\*\*(?=[^/*,}])/g, '**/*').replaceAll(/(?<=[^/*{,])\*\*/g, '*/**')
}

const charsets: Readonly<Record<string, EditorConfig['charset']>> = {
  latin1: 'iso88591',
  'utf-8': 'utf8',
  'utf-8-bom': 'utf8bom',
  'utf-16le': 'utf16le',
  'utf-16be': 'utf16be',
}
const lineEndings: Readonly<Record<string, EditorConfig['endOfLine']>> = { lf: '\n', crlf: '\r\n' }
const booleans: Readonly<Record<string, boolean>> = { true: true, false: false }

/** Converts properties. Ignores unknown values, and `cr`, which Tizona cannot write. */
function toEditorConfig(properties: Properties): EditorConfig {
  const value = (name: string): string => properties[name] ?? ''
  const columns = (name: string): number | undefined => {
    const number = Number(value(name))
    return Number.isInteger(number) && number >= 1 && number <= 16 ? number : undefined
  }
  const style = value('indent_style')
  const tabWidth = columns('tab_width') ?? columns('indent_size')
  const config: EditorConfig = {
    indentStyle: style === 'tab' || style === 'space' ? style : undefined,
    indentSize:
      value('indent_size') === 'tab' ? tabWidth : (columns('indent_size') ?? (style === 'tab' ? tabWidth : undefined)),
    tabWidth,
    endOfLine: lineEndings[value('end_of_line')],
    charset: charsets[value('charset')],
    trimTrailingWhitespace: booleans[value('trim_trailing_whitespace')],
    insertFinalNewline: booleans[value('insert_final_newline')],
  }
  return Object.fromEntries(Object.entries(config).filter(([, each]) => each !== undefined))
}
