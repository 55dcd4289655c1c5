import path from 'node:path'
import { z } from 'zod'
import { ToolError } from '../../shared/errors.ts'
import { formatSize } from '../../shared/text/formatSize.ts'
import { parseLooseJson } from '../base/looseJson.ts'

/** Maximum bytes of one theme with its includes. */
export const maxThemeBytes = 1_000_000
const maxIncludes = 10

/** A theme with its includes, as JSON. */
export interface FoundTheme {
  name: string
  text: string
}

const themeSchema = z.looseObject({
  include: z.string().optional(),
  colors: z.record(z.string(), z.unknown()).optional(),
  // A path refers to a TextMate theme in XML, which is not supported.
  tokenColors: z.union([z.array(z.unknown()), z.string()]).optional(),
})

const refused = (message: string, next: string) => new ToolError('invalid_arguments', message, next)

/** Parses JSON that can have comments and trailing commas. */
function parse<Schema extends z.ZodType>(text: string, schema: Schema, file: string): z.output<Schema> {
  try {
    return schema.parse(parseLooseJson(text))
  } catch {
    throw refused(`${file} is not a valid JSON file.`, 'Choose a VS Code color theme.')
  }
}

/** Resolves a path in a file. @throws ToolError if it leads out of `root` */
export function resolveIn(root: string, from: string, relative: string): string {
  const resolved = path.posix.join(path.posix.dirname(from), relative.replaceAll('\\', '/'))
  const inside = root === '' ? !resolved.startsWith('..') : resolved.startsWith(`${root}/`)
  if (path.posix.isAbsolute(relative) || /^[a-z]+:/i.test(relative) || !inside)
    throw refused(`${from} leads to "${relative}", which is outside its folder.`, 'Choose another file.')
  return resolved
}

/**
 * Reads a theme with the themes that it includes, whose colors it overrides.
 * @param root folder that includes cannot leave; '' for the file's folder
 * @param read returns the text of a file; null if it does not exist
 * @throws ToolError `invalid_arguments` for a missing, repeated or too large file
 */
export async function readTheme(
  file: string,
  read: (file: string) => Promise<string | null>,
  root = '',
  including: readonly string[] = [],
): Promise<Record<string, unknown>> {
  if (including.includes(file))
    throw refused(`The theme includes itself: ${[...including, file].join(' → ')}.`, 'Choose another theme.')
  if (including.length > maxIncludes)
    throw refused(`The theme includes more than ${maxIncludes} others.`, 'Choose another theme.')
  const text = await read(file)
  if (text === null) {
    const from = including.at(-1)
    throw refused(
      from === undefined ? `${file} is missing.` : `${from} includes ${file}, which is missing.`,
      'Choose both files together, or the .vsix file of the extension.',
    )
  }
  if (text.length > maxThemeBytes)
    throw refused(`${file} is larger than ${formatSize(maxThemeBytes)}.`, 'Choose a smaller theme.')
  const { include, ...own } = parse(text, themeSchema, file)
  const base =
    include === undefined ? {} : await readTheme(resolveIn(root, file, include), read, root, [...including, file])
  const tokens = [base['tokenColors'], own.tokenColors].flatMap((each) =>
    Array.isArray(each) ? (each as unknown[]) : [],
  )
  return {
    ...base,
    ...own,
    colors: { ...(base['colors'] as Record<string, unknown> | undefined), ...own.colors },
    tokenColors: tokens,
  }
}
