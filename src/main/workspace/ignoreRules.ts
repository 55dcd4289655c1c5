import path from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { exists, readSmallFile } from './smallFile.ts'

/** The rules of one `.gitignore`, for the paths below its folder. */
interface RuleSet { folder: string; rules: Ignore }

/** Whether git ignores an entry of the folder the rules were read for. */
export type IgnoreTest = (name: string, directory: boolean) => boolean

/**
 * The git rules that hold in a folder: every `.gitignore` from the repository's top down to it and `.git/info/exclude`. Outside
 * a repository nothing is ignored. No git process runs: the folder's configuration could make it start programs.
 * @param folder real absolute path
 */
export async function ignoreRulesFor(folder: string): Promise<IgnoreTest> {
  const ruleSets = await readRules(folder)
  if (isIgnoredBelow(ruleSets, folder)) return () => true
  return (name, directory) => name === '.git' || isIgnored(ruleSets, path.join(folder, name), directory)
}

/** Deepest first. */
async function readRules(folder: string): Promise<RuleSet[]> {
  const found: RuleSet[] = []
  for (let current = folder; ; current = path.dirname(current)) {
    await addRules(found, current, path.join(current, '.gitignore'))
    if (await exists(path.join(current, '.git'))) {
      await addRules(found, current, path.join(current, '.git', 'info', 'exclude'))
      return found
    }
    if (current === path.dirname(current)) return []
  }
}

async function addRules(found: RuleSet[], folder: string, file: string): Promise<void> {
  const rules = await readSmallFile(file)
  if (rules !== null) found.push({ folder, rules: ignore({ ignorecase: process.platform !== 'linux' }).add(rules.split(/\r?\n/).filter(isQuick)) })
}

/**
 * A rule becomes a regular expression that runs here: more wildcards in one segment, or more `**`, would match for hours on a name
 * made for it, so such a rule is left out. Nobody needs them.
 */
const maxWildcards = 3

function isQuick(rule: string): boolean {
  const segments = rule.split('/')
  return segments.every((segment) => (segment.match(/\*+/g)?.length ?? 0) <= maxWildcards)
    && segments.filter((segment) => segment.includes('**')).length <= maxWildcards
}

/** A folder inside an ignored folder is ignored whatever its own rules say. */
function isIgnoredBelow(ruleSets: readonly RuleSet[], folder: string): boolean {
  const top = ruleSets.at(-1)?.folder
  if (top === undefined) return false
  for (let current = folder; current !== top && current !== path.dirname(current); current = path.dirname(current)) {
    if (isIgnored(ruleSets, current, true)) return true
  }
  return false
}

/** The deepest file with a word on it decides. */
function isIgnored(ruleSets: readonly RuleSet[], absolute: string, directory: boolean): boolean {
  for (const { folder, rules } of ruleSets) {
    const relative = path.relative(folder, absolute)
    if (relative === '' || relative.split(path.sep)[0] === '..') continue
    const { ignored, unignored } = rules.test(relative.split(path.sep).join('/') + (directory ? '/' : ''))
    if (ignored) return true
    if (unignored) return false
  }
  return false
}
