import type { ContributionKind } from '../../../shared/extensions/extensions.ts'
import type { JudgedExpression } from '../../../shared/extensions/languageConfiguration.ts'

/** What the readers of contributions share. Paths are relative to the extension, and cannot leave it. */
export interface ExtensionReader {
  /** Reads entries of `package.json`'s `contributes`. */
  entriesOf(kind: string): Record<string, unknown>[]
  /** Resolves a path that a file of the extension names. @throws ToolError if it leads out of the extension */
  resolve(target: unknown, from?: string): string
  /** Reads a file. @throws ToolError if it is missing or too large */
  read(file: string): Promise<Uint8Array>
  readText(file: string): Promise<string>
  /** Reads JSON with comments. @throws ToolError if it is not valid */
  readJson(file: string): Promise<unknown>
  /** Keeps a file under a name of its own. @param content replaces the file's */
  keep(file: string, content?: string): Promise<void>
  use(kind: ContributionKind, name: string): void
  refuse(name: string, reason: string): void
  /** Runs `read`, and lists its failure as the reason why `name` is not used. */
  attempt<T>(name: string, read: () => Promise<T>): Promise<T | null>
  /** Whether a regular expression may be used. The first pass collects them; the second knows the verdicts. */
  accepts(expression: JudgedExpression): boolean
}
