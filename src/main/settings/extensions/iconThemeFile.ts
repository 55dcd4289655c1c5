import path from 'node:path'
import { z } from 'zod'
import type { IconAssociations, IconDefinition, IconTheme } from '../../../shared/extensions/iconTheme.ts'
import { ToolError } from '../../../shared/errors.ts'
import type { ExtensionReader } from './extensionReader.ts'
import { isPlainDrawing } from './plainDrawing.ts'

const maxIcons = 5000
const maxAssociations = 20_000
/** Maximum bytes of an image, and of a font. */
const maxImage = 128 * 1024
const maxFont = 2 * 1024 * 1024
/** Images and fonts by file extension, with their media types. */
export const iconTypes: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.otf': 'font/otf',
}
const isFont = (file: string) => /\.(?:woff2?|ttf|otf)$/i.test(file)

const color = z
  .string()
  .regex(/^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i)
  .optional()
  .catch(undefined)
const name = z.string().max(200).optional().catch(undefined)
const table = z.record(z.string(), z.unknown()).catch({})
const percent = z
  .string()
  .regex(/^\d{1,3}%$/)
  .optional()
  .catch(undefined)

const associations = {
  file: name,
  folder: name,
  folderExpanded: name,
  rootFolder: name,
  rootFolderExpanded: name,
  fileExtensions: table,
  fileNames: table,
  folderNames: table,
  folderNamesExpanded: table,
  languageIds: table,
}
const associationsSchema = z.object(associations)
const noAssociations = { fileExtensions: {}, fileNames: {}, folderNames: {}, folderNamesExpanded: {}, languageIds: {} }

const documentSchema = z.object({
  ...associations,
  iconDefinitions: z.record(
    z.string(),
    z
      .object({
        iconPath: z.string().max(1000).optional().catch(undefined),
        fontCharacter: z.string().max(20).optional().catch(undefined),
        fontColor: color,
        fontSize: percent,
        fontId: name,
      })
      .catch({ fontColor: undefined, fontSize: undefined, fontId: undefined }),
  ),
  fonts: z
    .array(z.object({ id: z.string().max(100), src: z.array(z.object({ path: z.string() })).min(1), size: percent }))
    .catch([]),
  light: associationsSchema.catch(noAssociations).default(noAssociations),
  highContrast: associationsSchema.catch(noAssociations).default(noAssociations),
  hidesExplorerArrows: z.boolean().catch(false).default(false),
})

/**
 * Reads a file icon theme and keeps its images and fonts.
 * @throws ToolError if it is not valid
 */
export async function readIconThemeFile(reader: ExtensionReader, file: string, label: string): Promise<IconTheme> {
  const parsed = documentSchema.safeParse(await reader.readJson(file))
  if (!parsed.success)
    throw new ToolError('invalid_arguments', `${file} is not a file icon theme.`, 'Choose another extension.')
  const { iconDefinitions, fonts, light, highContrast, hidesExplorerArrows, ...dark } = parsed.data
  const entries = Object.entries(iconDefinitions)
  const definitions: [string, IconDefinition][] = []
  const dropped: string[] = []
  for (const [id, icon] of entries.slice(0, maxIcons)) {
    const { iconPath, fontCharacter, fontColor, fontSize, fontId } = icon
    if (iconPath !== undefined) {
      const image = await keepImage(reader, file, iconPath)
      if (image === null) dropped.push(id)
      else definitions.push([id, { image }])
    } else if (fontCharacter !== undefined)
      definitions.push([
        id,
        withoutUndefined({
          character: readCharacter(fontCharacter),
          color: fontColor,
          font: fontId,
          size: percentOf(fontSize),
        }),
      ])
  }
  if (dropped.length > 0)
    reader.refuse(
      `${dropped.length === 1 ? '1 icon' : `${dropped.length} icons`} of ${label}`,
      'They are missing, too large, or drawings that could take long to paint.',
    )
  const keptFonts: IconTheme['fonts'] = []
  for (const { id, src, size } of fonts.slice(0, 10)) {
    const font = reader.resolve(src[0]?.path, file)
    if (!isFont(font) || (await reader.read(font)).length > maxFont)
      throw new ToolError('invalid_arguments', `${font} is not a font that Tizona can use.`, 'Choose another theme.')
    await reader.keep(font)
    keptFonts.push(withoutUndefined({ id, path: font, size: percentOf(size) }))
  }
  return {
    id: '',
    extension: '',
    definitions: Object.fromEntries(definitions),
    fonts: keptFonts,
    dark: readAssociations(dark),
    light: readAssociations(light),
    highContrast: readAssociations(highContrast),
    hidesExplorerArrows,
  }
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }
}

const percentOf = (value: string | undefined) => (value === undefined ? undefined : Number.parseInt(value, 10))

/** Converts `\E001` as in CSS to the character. */
function readCharacter(value: string): string {
  const code = /^\\([0-9a-f]{1,6})$/i.exec(value)?.[1]
  const point = code === undefined ? undefined : Number.parseInt(code, 16)
  return point !== undefined && point <= 0x10_ff_ff ? String.fromCodePoint(point) : value.slice(0, 4)
}

/** Keeps an image. Null if it is missing or cannot be used. */
async function keepImage(reader: ExtensionReader, from: string, target: string): Promise<string | null> {
  try {
    const image = reader.resolve(target, from)
    const content = await reader.read(image)
    if (iconTypes[path.posix.extname(image).toLowerCase()] === undefined || isFont(image)) return null
    if (content.length > maxImage) return null
    if (image.toLowerCase().endsWith('.svg') && !isPlainDrawing(content)) return null
    await reader.keep(image)
    return image
  } catch {
    return null
  }
}

function readAssociations(read: z.output<typeof associationsSchema>): IconAssociations {
  const lower = (value: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(value)
        .slice(0, maxAssociations)
        .flatMap(([key, icon]) => (typeof icon === 'string' ? [[key.toLowerCase(), icon]] : [])),
    ) as Record<string, string>
  return {
    ...withoutUndefined({
      file: read.file,
      folder: read.folder,
      folderExpanded: read.folderExpanded,
      rootFolder: read.rootFolder,
      rootFolderExpanded: read.rootFolderExpanded,
    }),
    fileExtensions: lower(read.fileExtensions),
    fileNames: lower(read.fileNames),
    folderNames: lower(read.folderNames),
    folderNamesExpanded: lower(read.folderNamesExpanded),
    languageIds: lower(read.languageIds),
  }
}
