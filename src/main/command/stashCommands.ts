import { readInvocations } from './invocations.ts'

/** Subcommands of `git stash` that change no reference. */
const harmless = new Set(['list', 'show', 'create'])
/** Options of git that take their value as a separate word. */
const withValue = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--config-env'])

/** Commands that run the rest of their words. */
const launchers = new Set(['command', 'env', 'exec', 'nice', 'nohup', 'sudo', 'time', 'timeout', 'xargs'])

/** Whether a command line changes git's stash. Does not look into scripts and aliases. */
export async function changesStash(line: string): Promise<boolean> {
  const read = await readInvocations(line)
  return read?.commands.some(isStash) === true
}

function isStash(words: readonly string[]): boolean {
  const git = words.findIndex((word) => /^(?:\S*\/)?git$/.test(word))
  if (git === -1 || (git > 0 && !launchers.has(words[0] ?? ''))) return false
  for (let at = git + 1; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (withValue.has(word)) at += 1
    else if (!word.startsWith('-')) return word === 'stash' && !harmless.has(words[at + 1] ?? 'push')
  }
  return false
}
