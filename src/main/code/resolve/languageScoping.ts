import { folderOf } from './workspacePaths.ts'
import type { ReferenceRow } from '../index/indexRows.ts'
import { scriptLanguages } from '../index/languages.ts'
import { symbolKinds } from '../index/symbolTypes.ts'

/** Languages in which members are accessible by their bare name inside their type. */
export const languagesWithImplicitMembers: ReadonlySet<string> = new Set([
  'java',
  'csharp',
  'cpp',
  'ruby',
  'swift',
  'kotlin',
  'scala',
  'dart',
])

/**
 * Returns the folder whose files share a scope, with a trailing `/`; `''` for the workspace root. A Swift module is a
 * folder below `Sources` or `Tests`.
 */
export function packageFolder(language: string, path: string): string {
  const module = language === 'swift' ? /^(?:.*\/)?(?:Sources|Tests)\/[^/]+\//.exec(path)?.[0] : undefined
  const folder = folderOf(path)
  return module ?? (folder === '' ? '' : `${folder}/`)
}

const moduleKindCodes = [symbolKinds.indexOf('namespace'), symbolKinds.indexOf('module')].join(', ')

/** Returns an SQL condition for the symbols that an unresolved name may refer to. */
export function nameMatchCondition({ receiver, language }: ReferenceRow): string {
  const notOfFile = "NOT (s.kind = 'namespace' AND s.body_line IS NULL)"
  const inModule = `EXISTS (SELECT 1 FROM symbol_rows p WHERE p.file = s.file AND p.nth = s.parent_nth AND p.kind IN (${moduleKindCodes}))`
  if (receiver === null)
    return languagesWithImplicitMembers.has(language)
      ? notOfFile
      : `(s.parent IS NULL OR ${inModule}) AND s.kind <> 'method' AND ${notOfFile}`
  // A name after a dot is a member, except in languages that also use the dot for module functions.
  return ['go', 'rust', 'cpp', 'ruby', 'csharp'].includes(language)
    ? notOfFile
    : "(s.parent IS NOT NULL OR s.kind = 'method')"
}

/** Returns the family of languages that call each other's code by name. */
export function languageFamily(language: string): string {
  if (scriptLanguages.has(language)) return 'script'
  return language === 'c' || language === 'cpp' ? 'c' : language
}
