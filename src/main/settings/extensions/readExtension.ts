import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import { contributionKinds, type ContributionKind } from '../../../shared/extensions/extensions.ts'
import type { JudgedExpression } from '../../../shared/extensions/languageConfiguration.ts'
import { ToolError, toFailure } from '../../../shared/errors.ts'
import { formatSize } from '../../../shared/text/formatSize.ts'
import { checkLooseJson } from '../../base/looseJson.ts'
import { resolveIn } from '../themeFiles.ts'
import {
  readGrammars,
  readIconThemes,
  readKeybindings,
  readLanguages,
  readSchemas,
  readSnippetFiles,
  readThemes,
} from './contributionReaders.ts'
import type { ExtensionRecord, JudgeExpressions, ReadPackageFile } from './extensionRecord.ts'
import type { ExtensionReader } from './extensionReader.ts'
import { unusedContributions } from './unusedContributions.ts'

const manifestFile = 'package.json'
/** Maximum bytes of a file that is parsed here. */
const maxParsed = 2 * 1024 * 1024
/** Maximum bytes that are parsed or converted here, once for each part that names a file. */
const maxAllParsed = 8 * 1024 * 1024
/** Maximum bytes of all files that are kept. */
const maxKept = 40 * 1024 * 1024
/** Maximum number of entries of each kind. */
const maxEntries = 200

/** Names in the folder name `publisher.name`, which must be valid and unique on Windows too. */
const namePart = z
  .string()
  .regex(/^[a-z\d][\w-]*$/i)
  .max(100)
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i

const entries = z.array(z.record(z.string(), z.unknown())).catch([])
const manifestSchema = z.looseObject({
  name: namePart,
  publisher: namePart.refine((publisher) => !deviceName.test(publisher)).default('undefined'),
  version: z.string().max(50).default('0.0.0'),
  displayName: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  main: z.unknown().optional(),
  browser: z.unknown().optional(),
  contributes: z.record(z.string(), z.unknown()).default({}).catch({}),
})

/** An extension with the files that Tizona keeps of it. */
export interface ReadExtension {
  record: ExtensionRecord
  /** Contents by the names under which they are stored. */
  files: ReadonlyMap<string, Uint8Array>
}

const refused = (message: string, next = 'Choose the .vsix file or the folder of a VS Code extension.') =>
  new ToolError('invalid_arguments', message, next)

/**
 * Reads what Tizona uses of an extension. Runs none of it.
 * @param readFile reads a file by its path in the extension
 * @throws ToolError `invalid_arguments` if it is no extension, or has nothing to use
 */
export async function readExtension(readFile: ReadPackageFile, judge: JudgeExpressions): Promise<ReadExtension> {
  const parse = createParser(readFile)
  const manifest = await readManifest(parse)
  const collected = new Map<string, JudgedExpression>()
  // Only these have expressions.
  const { languages, jsonValidation } = manifest.contributes
  const judged = { ...manifest, contributes: { languages, jsonValidation } }
  await readContributions(readFile, parse, judged, (expression) => {
    collected.set(keyOf(expression), expression)
    return true
  })
  const expressions = [...collected.values()]
  const verdicts = expressions.length === 0 ? [] : await judge(expressions)
  const safe = new Set(expressions.filter((_, index) => verdicts[index]).map(keyOf))
  const read = await readContributions(readFile, parse, manifest, (expression) => safe.has(keyOf(expression)))
  const dropped = expressions.length - safe.size
  if (dropped > 0)
    read.record.notUsed.push({
      name: dropped === 1 ? '1 regular expression' : `${dropped} regular expressions`,
      reason: 'It is not proved that they take less than a frame on every line.',
    })
  if (read.record.used.length === 0)
    throw refused(
      `${read.record.name} has nothing that Tizona can use. ${reasonsOf(read.record)}`.trimEnd(),
      'Choose an extension with themes, grammars, snippets or other files.',
    )
  return read
}

/** The first parts that are not used, with the reasons. */
const reasonsOf = ({ notUsed }: ExtensionRecord) =>
  notUsed
    .slice(0, 3)
    .map(({ name, reason }) => `${name}: ${reason}`)
    .join(' ')

const keyOf = ({ pattern, flags, anyLength, neverEmpty }: JudgedExpression) =>
  JSON.stringify([pattern, flags, anyLength === true, neverEmpty === true])

async function readManifest(parse: ParseFile): Promise<z.output<typeof manifestSchema>> {
  const { value: manifest } = await parse(manifestFile)
  if (manifest === null) throw refused('This is not a VS Code extension: it has no package.json.')
  const localized = (await parse('package.nls.json').catch(() => null))?.value ?? {}
  const parsed = manifestSchema.safeParse(
    localize(manifest, z.record(z.string(), z.unknown()).catch({}).parse(localized)),
  )
  if (!parsed.success)
    throw refused('Its package.json has no valid name or publisher: letters, digits, "-" and "_" are allowed.')
  return parsed.data
}

/** Parses a file of an extension; null if it does not exist. @throws ToolError if it is too large or not valid */
type ParseFile = (file: string) => Promise<ParsedFile>
interface ParsedFile {
  value: unknown
  size: number
}

/** Returns a parser that reads each file once, whatever names it, because this blocks the main process. */
function createParser(readFile: ReadPackageFile): ParseFile {
  const parsed = new Map<string, Promise<ParsedFile>>()
  const parse = async (file: string): Promise<ParsedFile> => {
    const content = await readFile(file)
    if (content === null) return { value: null, size: 0 }
    if (content.length > maxParsed) throw refused(`${file} is larger than ${formatSize(maxParsed)}.`)
    // Lets the main process do something else between two files.
    await setImmediate()
    const { value, problem } = checkLooseJson(new TextDecoder().decode(content))
    if (problem) throw refused(`${file} is not valid JSON: line ${problem.line}: ${problem.message}.`)
    return { value, size: content.length }
  }
  return (file) => {
    const known = parsed.get(file)
    if (known) return known
    const value = parse(file)
    parsed.set(file, value)
    return value
  }
}

/** Pure: replaces the texts `%key%` by those of `package.nls.json`. Nested at most as deep as JSON was parsed. */
function localize(value: unknown, texts: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === 'string') {
    const key = /^%([^%]+)%$/.exec(value)?.[1]
    if (key === undefined || !Object.hasOwn(texts, key)) return value
    const text = texts[key]
    return typeof text === 'object' && text !== null ? (text as { message?: unknown }).message : text
  }
  if (Array.isArray(value)) return value.map((each) => localize(each, texts))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, localize(each, texts)]))
}

async function readContributions(
  readFile: ReadPackageFile,
  parse: ParseFile,
  manifest: z.output<typeof manifestSchema>,
  accepts: (expression: JudgedExpression) => boolean,
): Promise<ReadExtension> {
  const files = new Map<string, Uint8Array>()
  const stored: Record<string, string> = {}
  const used = new Map<ContributionKind, string[]>()
  const notUsed: ExtensionRecord['notUsed'] = []
  let kept = 0
  let parsed = 0
  const charge = (size: number) => {
    parsed += size
    if (parsed > maxAllParsed) throw refused(`Its parts read more than ${formatSize(maxAllParsed)} of JSON together.`)
  }

  const reader: ExtensionReader = {
    entriesOf: (kind) => {
      const all = entries.parse(manifest.contributes[kind])
      if (all.length > maxEntries) notUsed.push({ name: kind, reason: `Only the first ${maxEntries} are used.` })
      return all.slice(0, maxEntries)
    },
    resolve(target, from = manifestFile) {
      if (typeof target !== 'string' || target === '' || target.length > 1000)
        throw refused(`${from} names no file where it should.`)
      return path.posix.normalize(resolveIn('', from, target))
    },
    async read(file) {
      const content = await readFile(file)
      if (content === null) throw refused(`${file} is missing.`)
      return content
    },
    async readText(file) {
      const content = await reader.read(file)
      charge(content.length)
      await setImmediate()
      return new TextDecoder().decode(content).replace(/^\uFEFF/, '')
    },
    async readJson(file) {
      charge(0)
      const { value, size } = await parse(file)
      charge(size)
      if (value === null) throw refused(`${file} is missing.`)
      return value
    },
    async keep(file, text) {
      if (Object.hasOwn(stored, file)) return
      const content = text === undefined ? await reader.read(file) : new TextEncoder().encode(text)
      kept += content.length
      if (kept > maxKept) throw refused(`Its files take more than ${formatSize(maxKept)}.`)
      const name = `${files.size}${path.posix
        .extname(file)
        .replaceAll(/[^\w.]/g, '')
        .slice(0, 20)}`
      files.set(name, content)
      stored[file] = name
    },
    use: (kind, name) => void used.set(kind, [...(used.get(kind) ?? []), name.slice(0, 200)]),
    refuse: (name, reason) => void notUsed.push({ name: name.slice(0, 200), reason }),
    async attempt(name, read) {
      try {
        return await read()
      } catch (error) {
        reader.refuse(name, toFailure(error).message)
        return null
      }
    },
    accepts,
  }

  const record: ExtensionRecord = {
    format: 1,
    id: `${manifest.publisher}.${manifest.name}`.toLowerCase(),
    name: (manifest.displayName ?? manifest.name).slice(0, 200),
    version: manifest.version,
    description: (manifest.description ?? '').slice(0, 1000),
    files: stored,
    themes: await readThemes(reader),
    iconThemes: await readIconThemes(reader),
    languages: await readLanguages(reader),
    grammars: await readGrammars(reader),
    snippets: await readSnippetFiles(reader),
    keybindings: readKeybindings(reader),
    schemas: await readSchemas(reader),
    used: [],
    notUsed,
  }
  notUsed.push(...unusedContributions(manifest))
  const kinds = Object.keys(contributionKinds) as ContributionKind[]
  record.used = kinds.flatMap((kind) => {
    const names = used.get(kind)
    return names ? [{ kind, names }] : []
  })
  return { record, files }
}
