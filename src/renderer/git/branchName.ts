/** Checks a branch name by the rules of git-check-ref-format(1). @returns the problem; null if the name is valid */
export function branchNameProblem(name: string): string | null {
  if (name === '') return 'Enter a name.'
  // oxlint-disable-next-line eslint/no-control-regex -- Git forbids control characters.
  if (/[\u0000- ~^:?*[\\\u007f]/.test(name)) return 'A name cannot contain spaces or any of ~ ^ : ? * [ \\.'
  if (/\.\.|@\{|\/\/|^@$/.test(name)) return 'A name cannot contain "..", "@{" or "//".'
  if (/^[-/]|[/.]$/.test(name)) return 'A name cannot start with "-" or "/", or end with "/" or ".".'
  if (name.split('/').some((part) => part.startsWith('.') || part.endsWith('.lock')))
    return 'No part of a name can start with "." or end with ".lock".'
  return null
}

/** A branch or tag, or the start of a commit's hash. */
export const shortName = (name: string): string => (/^[0-9a-f]{40,64}$/.test(name) ? name.slice(0, 8) : name)
