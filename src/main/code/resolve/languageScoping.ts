import { folderOf } from './workspacePaths.ts'
import type { ReferenceRow } from '../index/indexStore.ts'

/** Members are seen by their bare name inside their type. */
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
/** Languages of scripts that import one another. */
export const scriptLanguages: ReadonlySet<string> = new Set(['typescript', 'tsx', 'javascript', 'vue', 'svelte'])

/** The folder whose files see one another's names, ended by `/`; `''` for the workspace's own. A Swift package keeps each module below `Sources` or `Tests`. */
export function packageFolder(language: string, path: string): string {
  const module = language === 'swift' ? /^(?:.*\/)?(?:Sources|Tests)\/[^/]+\//.exec(path)?.[0] : undefined
  const folder = folderOf(path)
  return module ?? (folder === '' ? '' : `${folder}/`)
}

/** Where a name may be defined that is not followed, as a condition on symbols. */
export function nameMatchCondition({ receiver, language }: ReferenceRow): string {
  const notOfFile = "NOT (s.kind = 'namespace' AND s.body_line IS NULL)"
  const inModule = "EXISTS (SELECT 1 FROM symbols p WHERE p.id = s.parent AND p.kind IN ('namespace', 'module'))"
  if (receiver === null)
    return languagesWithImplicitMembers.has(language)
      ? notOfFile
      : `(s.parent IS NULL OR ${inModule}) AND s.kind <> 'method' AND ${notOfFile}`
  // Behind a dot stands a member; only where a module's functions are called with one too, it may be any.
  return ['go', 'rust', 'cpp', 'ruby', 'csharp'].includes(language)
    ? notOfFile
    : "(s.parent IS NOT NULL OR s.kind = 'method')"
}

/** Languages that call one another's code by name. */
export function languageFamily(language: string): string {
  if (scriptLanguages.has(language)) return 'script'
  return language === 'c' || language === 'cpp' ? 'c' : language
}
