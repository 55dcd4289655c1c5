import { z } from 'zod'
import type { JudgedExpression } from '../../../shared/extensions/languageConfiguration.ts'
import { contributionKinds, type ContributionKind } from '../../../shared/extensions/extensions.ts'

const texts = z.array(z.string())
const byScope = z.record(z.string(), z.string())

const languageSchema = z.object({
  id: z.string(),
  aliases: texts,
  extensions: texts,
  filenames: texts,
  filenamePatterns: texts,
  firstLine: z.string().optional(),
  mimetypes: texts,
  configuration: z.record(z.string(), z.unknown()).optional(),
})

const grammarSchema = z.object({
  path: z.string(),
  scopeName: z.string(),
  language: z.string().optional(),
  injectTo: texts,
  embeddedLanguages: byScope,
  tokenTypes: byScope,
  balancedBracketScopes: texts.optional(),
  unbalancedBracketScopes: texts,
})

/** What an installed extension brings: `extension.json` in its folder. */
export const extensionRecordSchema = z.object({
  format: z.literal(1),
  id: z.string(),
  name: z.string(),
  version: z.string(),
  description: z.string(),
  /** Stored files by their path in the extension. */
  files: z.record(z.string(), z.string()),
  themes: z.array(z.object({ label: z.string(), path: z.string() })),
  iconThemes: z.array(z.object({ id: z.string(), label: z.string(), path: z.string() })),
  languages: z.array(languageSchema),
  grammars: z.array(grammarSchema),
  snippets: z.array(z.object({ language: z.string().nullable(), path: z.string() })),
  keybindings: z.array(z.object({ key: z.string(), command: z.string(), when: z.string().optional() })),
  schemas: z.array(z.object({ path: z.string(), fileMatch: texts })),
  used: z.array(z.object({ kind: z.enum(Object.keys(contributionKinds) as ContributionKind[]), names: texts })),
  notUsed: z.array(z.object({ name: z.string(), reason: z.string() })),
})
export type ExtensionRecord = z.output<typeof extensionRecordSchema>

/** Reads a file of an extension that is being installed; null if it does not exist. @throws ToolError if it is too large */
export type ReadPackageFile = (path: string) => Promise<Uint8Array | null>

/** Returns whether each regular expression takes little time on every text of a line's length. */
export type JudgeExpressions = (expressions: readonly JudgedExpression[]) => Promise<boolean[]>
