import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import type { UnusedContribution } from '../../../shared/extensions/extensions.ts'
import {
  dataVariables,
  rootVariables,
  withPluginFolders,
  type PluginAgent,
  type PluginContents,
  type PluginHook,
  type PluginPrompt,
  type PluginServer,
  type PluginText,
} from '../../../shared/plugins/plugins.ts'
import { formatSize } from '../../../shared/text/formatSize.ts'
import { hasHiddenCharacters, visibleText } from '../../../shared/text/visibleText.ts'
import { checkLooseJson } from '../../base/looseJson.ts'
import { refused, type PackageFiles } from './packageFiles.ts'

/** How other services read their parts. */
export interface PluginReaders {
  hooks(source: string, text: string): { definitions: PluginHook[]; problems: string[] }
  servers(source: string, text: string): { servers: PluginServer[]; problems: string[] }
  /** Reads the front matter of a Markdown file. */
  matter(text: string): { field(name: string): string; list(name: string): string[]; body: string }
}

/** Manifests, the common format first. */
const manifestFiles = ['.claude-plugin/plugin.json', '.codex-plugin/plugin.json', '.cursor-plugin/plugin.json']
const marketplaceFile = '.claude-plugin/marketplace.json'
/** Maximum bytes of a file that is parsed here. */
const maxParsed = 256 * 1024
/** Maximum number of parts of each kind, and of places that a manifest names for them. */
const maxParts = 100
const tooMany = `Only the first ${maxParts} are used.`
const maxDescription = 300
/** A name becomes a folder name and a part of commands. The device names of Windows are refused. */
const pluginName = /^(?!(?:con|prn|aux|nul|com\d|lpt\d)$)[a-z\d](?:[\w-]{0,38}[a-z\d])?$/i
const partName = /^[\w-]{1,64}$/

const somePaths = z.union([z.string(), z.array(z.unknown())]).optional()
const manifestSchema = z.looseObject({
  name: z.string().optional(),
  version: z.string().catch('').default(''),
  description: z.string().catch('').default(''),
  author: z
    .union([z.string(), z.looseObject({ name: z.string() })])
    .optional()
    .catch(undefined),
  skills: somePaths.catch(undefined),
  commands: z.unknown().optional(),
  agents: somePaths.catch(undefined),
  hooks: z.unknown().optional(),
  mcpServers: z.unknown().optional(),
})
type Manifest = z.output<typeof manifestSchema>

/** Fields of manifests that describe a plug-in or are read here. Others are listed as not used. */
const knownFields = new Set(
  `name version description author skills commands agents hooks mcpServers displayName homepage repository license
  keywords category tags logo icon interface $schema strict source`.split(/\s+/),
)
const noCounterpart = 'Tizona has nothing like it.'
/** Parts by field of the manifest, and by file or folder. */
const unusedFields: Readonly<Record<string, readonly [name: string, reason: string]>> = {
  lspServers: ['language servers', 'Tizona starts the language servers that it knows.'],
  outputStyles: ['output styles', noCounterpart],
  statusLine: ['status line', noCounterpart],
  settings: ['settings', 'A plug-in does not change your settings.'],
  rules: ['rules', 'Rules come from the open folder.'],
  dependencies: ['dependencies', 'Install the other plug-ins yourself.'],
  userConfig: ['questions at installation', 'Use ${env:NAME} or ${input:NAME} in a server instead.'],
}
const unusedPlaces: readonly (readonly [place: string, field: string])[] = [
  ['.lsp.json', 'lspServers'],
  ['output-styles/', 'outputStyles'],
  ['settings.json', 'settings'],
  ['rules/', 'rules'],
]

/**
 * Reads what a plug-in brings. Runs none of it.
 * @param fallbackName name of the folder or archive, for a plug-in without a manifest
 * @throws ToolError `invalid_arguments` if it is none
 */
export async function readPlugin(
  { files, leftOut }: PackageFiles,
  fallbackName: string,
  readers: PluginReaders,
): Promise<{ name: string; contents: PluginContents }> {
  const file = manifestFiles.find((each) => files.has(each))
  if (file === undefined && files.has(marketplaceFile))
    throw refused('This is a marketplace with several plug-ins.', 'Choose the folder of one of them.')
  const manifest = manifestSchema.safeParse(file === undefined ? {} : parseJsonFile(files, file))
  if (!manifest.success) throw refused(`${file} is not an object with the fields of a plug-in.`)
  const name =
    manifest.data.name ??
    fallbackName
      .toLowerCase()
      .replaceAll(/[^a-z\d]+/g, '-')
      .replaceAll(/^-|-$/g, '')
  if (!pluginName.test(name))
    throw refused(
      `"${visibleText(name.slice(0, 100))}" is not a name for a plug-in: 1 to 40 letters, digits, "-" and "_".`,
    )
  const reading = createReading(files, leftOut, readers)
  const texts = await readTexts(reading, manifest.data)
  const programs = await readPrograms(reading, manifest.data, file ?? 'plugin.json', readers)
  const { author } = manifest.data
  const contents: PluginContents = {
    version: shortText(manifest.data.version, 50),
    description: shortText(manifest.data.description),
    author: shortText(typeof author === 'string' ? author : (author?.name ?? ''), 100),
    ...texts,
    ...programs,
    notUsed: reading.notUsed,
  }
  listUnused(manifest.data, files, reading.notUsed)
  const { skills, prompts, agents, hooks, servers } = contents
  if ([skills, prompts, agents, hooks, servers].every(({ length }) => length === 0))
    throw refused(
      `${visibleText(name)} has no skills, prompts, hooks, MCP servers or sub-agents. ${contents.notUsed
        .slice(0, 3)
        .map((part) => `${part.name}: ${part.reason}`)
        .join(' ')}`.trimEnd(),
    )
  return { name, contents }
}

function listUnused(manifest: Manifest, files: PackageFiles['files'], notUsed: UnusedContribution[]): void {
  const fields = new Set(Object.keys(manifest).filter((field) => !knownFields.has(field)))
  for (const [place, field] of unusedPlaces)
    if ([...files.keys()].some((file) => file === place || (place.endsWith('/') && file.startsWith(place))))
      fields.add(field)
  for (const field of [...fields].slice(0, maxParts)) {
    const [name, reason] = (Object.hasOwn(unusedFields, field) ? unusedFields[field] : undefined) ?? [
      shortText(field, 60),
      'Tizona does not know this part of a plug-in.',
    ]
    notUsed.push({ name, reason })
  }
}

/** The reader of each kind of part. Collects what is not used. */
function createReading(files: PackageFiles['files'], leftOut: UnusedContribution[], readers: PluginReaders) {
  const notUsed = [...leftOut]
  const skip = (name: string, reason: string): void =>
    void (notUsed.length < maxParts && notUsed.push({ name: shortText(name, 120), reason: shortText(reason) }))

  /** Returns what a field of the manifest lists. @param kind named if there is too much */
  function firstOf(field: unknown, kind: string): readonly unknown[] {
    const all: readonly unknown[] = Array.isArray(field) ? field : [field]
    if (all.length > maxParts) skip(`${kind} in the manifest`, tooMany)
    return all.slice(0, maxParts)
  }

  /** Returns the files below the default folder and those that the manifest names. */
  function named(field: unknown, folder: string, wanted: (file: string) => boolean): string[] {
    const given = firstOf(field, folder).filter((each) => typeof each === 'string')
    const places = [...new Set([folder, ...given.flatMap((each) => inside(each) ?? [])])]
    const folders = places.map((place) => `${place}/`)
    for (const each of given) if (inside(each) === undefined) skip(each, 'The path leads out of the plug-in.')
    return [...files.keys()]
      .filter((file) => wanted(file) && (places.includes(file) || folders.some((each) => file.startsWith(each))))
      .toSorted()
  }

  /** Reads Markdown files with a name and a description. The first file of a name is used. */
  async function texts<T extends PluginText>(
    found: readonly string[],
    nameOf: (file: string) => string,
    more: (matter: ReturnType<PluginReaders['matter']>) => Omit<T, keyof PluginText>,
  ): Promise<T[]> {
    const byName = new Map<string, T>()
    for (const file of found) {
      await setImmediate() // Parsing all files at once would block.
      const text = textOf(files, file)
      if (text === undefined) skip(file, `It is not text, or larger than ${formatSize(maxParsed)}.`)
      else if (byName.size === maxParts) skip(file, tooMany)
      else {
        const matter = readers.matter(text)
        const name = [matter.field('name'), nameOf(file)].find((each) => partName.test(each))
        if (name === undefined) skip(file, 'Its name may have letters, digits, "-" and "_".')
        else if (byName.has(name.toLowerCase())) skip(file, `Another file has the name "${name}".`)
        else {
          if ([...rootVariables, ...dataVariables].some((variable) => matter.body.includes(variable)))
            skip(`files that ${file} names`, 'Commands of the model cannot reach the files of a plug-in.')
          const description = shortText(matter.field('description') || firstLine(matter.body))
          byName.set(name.toLowerCase(), { name, description, file, ...more(matter) } as T)
        }
      }
    }
    return [...byName.values()]
  }

  /** Reads definitions from the default file, and from files or an object in the manifest. */
  async function definitions<T>(
    kind: string,
    field: unknown,
    defaultFile: string,
    manifestFile: string,
    read: (source: string, text: string) => { found: T[]; problems: string[] },
  ): Promise<T[]> {
    const places = new Set(files.has(defaultFile) ? [defaultFile] : [])
    const inline: unknown[] = []
    for (const each of firstOf(field, kind)) {
      const place = typeof each === 'string' ? inside(each) : undefined
      if (place !== undefined && files.has(place)) places.add(place)
      else if (typeof each === 'string') skip(each, 'The plug-in has no such file.')
      else if (each !== undefined) inline.push(each)
    }
    const sources = [
      ...[...places].map((place) => ({ source: place, text: textOf(files, place) })),
      ...inline.map((value) => ({ source: manifestFile, text: JSON.stringify(value) })),
    ]
    const all: T[] = []
    for (const { source, text } of sources) {
      await setImmediate()
      if (text === undefined) {
        skip(source, `It is not text, or larger than ${formatSize(maxParsed)}.`)
        continue
      }
      const { found, problems } = read(source, text)
      for (const problem of problems) skip(source, problem)
      all.push(...found.slice(0, maxParts - all.length + 1))
      if (all.length <= maxParts) continue
      skip(kind, tooMany)
      break
    }
    return all.slice(0, maxParts)
  }

  return { notUsed, skip, named, texts, definitions }
}

type Reading = ReturnType<typeof createReading>

async function readTexts({ skip, named, texts }: Reading, { skills, commands, agents }: Manifest) {
  const allSkills = await texts<PluginPrompt & { manual: boolean }>(
    named(skills, 'skills', (file) => path.posix.basename(file) === 'SKILL.md'),
    (file) => path.posix.basename(path.posix.dirname(file)),
    (matter) => ({
      hint: shortText(matter.field('argument-hint'), 80),
      manual: matter.field('disable-model-invocation') === 'true',
    }),
  )
  // Skills that only the user starts are prompts here.
  const manual = allSkills.filter((skill) => skill.manual).map(({ manual: _manual, ...prompt }) => prompt)
  const isCommand = (file: string) => file.endsWith('.md') && path.posix.basename(file) !== 'SKILL.md'
  return {
    skills: allSkills
      .filter((skill) => !skill.manual)
      .map(({ name, description, file }): PluginText => ({ name, description, file })),
    prompts: [
      ...(await texts<PluginPrompt>(
        named(commands, 'commands', isCommand),
        (file) => path.posix.basename(file, '.md'),
        (matter) => {
          if (/!`[^`\n]+`/.test(matter.body))
            skip('commands in prompts (!`…`)', 'They are sent as text and do not run.')
          return { hint: shortText(matter.field('argument-hint'), 80) }
        },
      )),
      ...manual,
    ],
    agents: await texts<PluginAgent>(
      named(agents, 'agents', (file) => file.endsWith('.md')),
      (file) => path.posix.basename(file, '.md'),
      (matter) => {
        const model = shortText(matter.field('model'), 120)
        const tools = matter.list('tools').map((tool) => shortText(tool, 80))
        return {
          ...(tools.length > 0 && { tools: tools.slice(0, maxParts) }),
          ...(model !== '' && { model }),
        }
      },
    ),
  }
}

/** @param manifestFile named for definitions that are in the manifest itself */
async function readPrograms(
  { skip, definitions }: Reading,
  { hooks, mcpServers }: Manifest,
  manifestFile: string,
  readers: PluginReaders,
) {
  const seen = new Set<string>()
  return {
    hooks: await definitions<PluginHook>('hooks', hooks, 'hooks/hooks.json', manifestFile, (source, text) => {
      const { definitions: found, problems } = readers.hooks(source, wrapped(text, 'hooks'))
      return { found, problems }
    }),
    servers: await definitions<PluginServer>('MCP servers', mcpServers, '.mcp.json', manifestFile, (source, text) => {
      const { servers, problems } = readers.servers(source, wrapped(text, 'mcpServers'))
      const found = servers.filter((server) => {
        const problem = seen.has(server.name) ? 'Another server has this name.' : serverProblem(server)
        if (problem !== undefined) skip(`MCP server ${server.name}`, problem)
        seen.add(server.name)
        return problem === undefined
      })
      return { found: found.map(({ name, definition }) => ({ name, definition })), problems }
    }),
  }
}

/** A server that starts something outside the plug-in by a relative path is not used: nobody sees what that is. */
function serverProblem({ name, definition }: PluginServer): string | undefined {
  if (hasHiddenCharacters(JSON.stringify([name, definition]))) return 'Its definition has hidden characters.'
  if (definition.type !== 'stdio') return undefined
  const values = [definition.command, ...definition.args, ...Object.values(definition.env)]
  const words = values.flatMap((value) => withPluginFolders(value, { root: '.', data: '.' }).split(/[\s=,;:"'`()]+/))
  const leadsOut = words.some((word) => path.posix.normalize(word.replaceAll('\\', '/')).split('/')[0] === '..')
  return leadsOut ? 'Its command line or environment has a relative path that leads out of the plug-in.' : undefined
}

/** Puts the member around a map without it, as plug-ins write `.mcp.json` and inline definitions. */
function wrapped(text: string, member: string): string {
  const { value, problem } = checkLooseJson(text)
  if (problem || typeof value !== 'object' || value === null || Array.isArray(value) || member in value) return text
  return JSON.stringify({ [member]: value })
}

/** Returns a path in the plug-in without `./`; undefined if it leads out. */
function inside(given: string): string | undefined {
  const plain = path.posix.normalize(given.replaceAll('\\', '/')).replace(/^\.\/|\/$/g, '')
  return plain.startsWith('..') || path.posix.isAbsolute(plain) || /^[a-z]+:/i.test(plain) ? undefined : plain
}

function parseJsonFile(files: PackageFiles['files'], file: string): unknown {
  const text = textOf(files, file)
  if (text === undefined) throw refused(`${file} is not text, or larger than ${formatSize(maxParsed)}.`)
  const { value, problem } = checkLooseJson(text)
  if (problem) throw refused(`${file} is not valid JSON: line ${problem.line}: ${problem.message}.`)
  return value
}

/** Returns a small text file; undefined for others. */
export function textOf(files: PackageFiles['files'], file: string, max = maxParsed): string | undefined {
  const content = files.get(file)
  if (content === undefined || content.length > max || content.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content).replaceAll('\r\n', '\n')
  } catch {
    return undefined // not UTF-8
  }
}

const firstLine = (text: string) => (text.trim().split('\n', 1)[0] ?? '').replace(/^#+\s*/, '')

/** One line without hidden characters, which are shown as symbols. */
const shortText = (text: string, max = maxDescription) =>
  visibleText(text.slice(0, max).replaceAll(/\s+/g, ' ')).trim().slice(0, max)
