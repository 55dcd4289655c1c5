import { readInvocations } from './invocations.ts'

/** A rule for destructive commands. The first matching rule provides the reason. */
interface DestructiveRule {
  /** Program names, separated by `|`. `mkfs.*` matches every name that starts with `mkfs.`. */
  program: string
  /** Subcommands, separated by `|`. */
  sub?: string
  /** Options, separated by spaces, one of which must be present. Default: none required. */
  options?: string
  /** Options that make the command harmless. */
  unless?: string
  /** Pattern that one argument must match. */
  argument?: RegExp
  /** Sentence about the effect. `{command}` is replaced with the words that make the command destructive. */
  why: string
}

const discards = '`{command}` discards uncommitted changes.'
const deletes = '`{command}` deletes files permanently.'
const remote = '`{command}` overwrites or deletes commits that others may have fetched.'

/** Programs that delete, overwrite or shut down. Unlisted programs are not harmless, only not marked. */
const destructiveRules: readonly DestructiveRule[] = [
  { program: 'rm|unlink|srm|trash-empty', why: deletes },
  { program: 'shred|wipe', why: '`{command}` overwrites files so that they cannot be restored.' },
  { program: 'truncate', why: '`{command}` truncates files.' },
  { program: 'dd', argument: /^of=/, why: '`{command}` overwrites a file or device.' },
  {
    program: 'mkfs|mkfs.*|mke2fs|mkswap|wipefs|blkdiscard|fdisk|sfdisk|parted|diskpart|format',
    why: '`{command}` erases a disk.',
  },
  { program: 'tee', unless: '-a --append', argument: /^(?!\/dev\/)./, why: '`{command}` replaces the file content.' },
  {
    program: 'chmod|chown|chgrp|setfacl',
    options: '-R --recursive',
    why: '`{command}` changes every file in a folder, and the old permissions are lost.',
  },
  { program: 'find', argument: /^-delete$/, why: deletes },
  {
    program: 'rsync',
    options: '--delete --delete-after --delete-before --delete-during --del --remove-source-files',
    unless: '-n --dry-run',
    why: deletes,
  },

  { program: 'git', sub: 'reset', options: '--hard --merge', why: discards },
  { program: 'git', sub: 'clean', options: '-f --force -x -X', unless: '-n --dry-run', why: deletes },
  { program: 'git', sub: 'checkout', options: '-f --force', why: discards },
  { program: 'git', sub: 'checkout', argument: /^(?:--|\.)$/, why: discards },
  { program: 'git', sub: 'restore', options: '-W --worktree', why: discards },
  { program: 'git', sub: 'restore', unless: '-S --staged', why: discards },
  { program: 'git', sub: 'switch', options: '-f --force --discard-changes', why: discards },
  { program: 'git', sub: 'push', options: '-f --force --force-with-lease --mirror --prune -d --delete', why: remote },
  { program: 'git', sub: 'push', argument: /^[+:]./, why: remote },
  { program: 'git', sub: 'branch', options: '-D', why: '`{command}` deletes a branch that may not be merged.' },
  { program: 'git', sub: 'tag', options: '-d --delete -f --force', why: '`{command}` deletes or moves a tag.' },
  { program: 'git', sub: 'stash drop|stash clear', why: '`{command}` deletes stashed changes.' },
  {
    program: 'git',
    sub: 'reflog expire|reflog delete|gc|prune',
    options: '--prune --expire --all --expire-unreachable',
    why: '`{command}` deletes data needed to restore commits.',
  },
  { program: 'git', sub: 'rm', unless: '--cached -n --dry-run', why: deletes },
  { program: 'git', sub: 'filter-branch|filter-repo|update-ref', why: '`{command}` rewrites history.' },
  { program: 'git', sub: 'worktree remove', options: '-f --force', why: discards },

  {
    program: 'docker|podman',
    sub: 'rm|rmi|container rm|image rm|volume rm|network rm',
    why: '`{command}` deletes containers, images or volumes.',
  },
  {
    program: 'docker|podman',
    sub: 'system prune|volume prune|image prune|container prune|builder prune',
    why: '`{command}` deletes everything that no container uses.',
  },
  {
    program: 'docker|podman|docker-compose',
    sub: 'compose down|down',
    options: '-v --volumes',
    why: '`{command}` deletes the volumes and their data.',
  },
  { program: 'kubectl', sub: 'delete', why: '`{command}` deletes resources from the cluster.' },
  { program: 'helm', sub: 'uninstall|delete', why: '`{command}` deletes resources from the cluster.' },
  { program: 'terraform|tofu', sub: 'destroy', why: '`{command}` deletes the infrastructure.' },
  { program: 'aws', sub: 's3 rm|s3 rb', why: '`{command}` deletes stored objects.' },
  { program: 'gh', sub: 'repo delete|release delete', why: '`{command}` deletes a repository or release on GitHub.' },
  { program: 'npm|cargo|yarn', sub: 'unpublish|yank', why: '`{command}` unpublishes a package.' },
  { program: 'dropdb|dropuser', why: '`{command}` deletes a database or its user.' },
  {
    program: 'psql|mysql|mariadb|sqlite3|sqlcmd',
    argument: /\b(?:drop\s+(?:table|database|schema|view|index)|truncate|delete\s+from)\b/i,
    why: '`{command}` deletes data from a database.',
  },
  { program: 'crontab', options: '-r', why: '`{command}` deletes all scheduled jobs.' },
  { program: 'userdel|groupdel', why: '`{command}` deletes an account.' },
  { program: 'shutdown|reboot|halt|poweroff', why: '`{command}` shuts down the machine.' },

  { program: 'Remove-Item|ri|del|erase|rd', why: deletes },
  { program: 'Clear-Content|Format-Volume|Clear-Disk', why: '`{command}` erases its target.' },
]

/** Programs that run another program from their arguments. */
const runners: ReadonlySet<string> = new Set(
  (
    'sudo doas env command builtin exec nohup nice ionice time timeout xargs parallel stdbuf setsid chroot busybox toybox find fd fdfind watch ' +
    'flock script strace unbuffer caffeinate'
  ).split(' '),
)

/** Shells, whose option `-c` takes a command line. */
const shells: ReadonlySet<string> = new Set('sh bash dash zsh ksh ash fish'.split(' '))

/** Maximum nesting of command lines (`bash -c '…'`) that are checked. */
const maxDepth = 4
/** Maximum number of reasons shown. */
const maxReasons = 4
/** Maximum words of a command passed to another program, such as `xargs`. */
const maxInnerWords = 200
const tooLong = 'The command line is too long to check.'

/** Redirection targets that store nothing. */
const harmlessTargets = /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$/

/**
 * Returns why a command line deletes or overwrites something permanently, one sentence per reason. Only marks approval
 * requests: a line without a reason is not necessarily harmless.
 */
export async function destructiveReasons(line: string): Promise<string[]> {
  return [...new Set(await reasonsOf(line, 0))].slice(0, maxReasons)
}

async function reasonsOf(line: string, depth: number): Promise<string[]> {
  const read = await readInvocations(line)
  if (!read) return [tooLong]
  const reasons = read.overwritten
    .filter((file) => !harmlessTargets.test(file))
    .map((file) => `\`> ${file}\` replaces the file content.`)
  for (const words of read.commands) {
    reasons.push(...reasonsOfWords(words))
    const inner = innerLine(words)
    if (inner !== undefined)
      reasons.push(
        ...(depth < maxDepth
          ? await reasonsOf(inner, depth + 1)
          : ['The command line contains more nested command lines than can be checked.']),
      )
  }
  return reasons
}

function reasonsOfWords(words: readonly string[]): string[] {
  const own = reasonOf(words)
  const reasons = own === undefined ? [] : [own]
  // Where the inner command starts depends on the runner's options, so each word is tried.
  if (runners.has(nameOf(words[0]))) {
    const inside = words.slice(0, maxInnerWords)
    for (const start of inside.keys()) {
      const inner = start === 0 ? undefined : reasonOf(inside.slice(start))
      if (inner !== undefined) return [...reasons, inner]
    }
    if (inside.length < words.length) reasons.push(tooLong)
  }
  return reasons
}

function reasonOf(words: readonly string[]): string | undefined {
  const program = nameOf(words[0])
  const rest = withoutGlobals(program, words.slice(1))
  for (const rule of destructiveRules) {
    const matched = matches(rule, program, rest)
    if (matched !== undefined) return rule.why.replace('{command}', () => [program, ...matched].join(' '))
  }
  return undefined
}

/** @returns the words after the program that make it destructive; undefined if the rule does not match */
function matches(rule: DestructiveRule, program: string, rest: readonly string[]): string[] | undefined {
  const named = rule.program
    .split('|')
    .some((name) => (name.endsWith('*') ? program.startsWith(name.slice(0, -1)) : program === name))
  if (!named) return undefined
  const plain = rest.filter((word) => !/^-./.test(word))
  const sub = rule.sub?.split('|').find((words) => words.split(' ').every((word, at) => plain[at] === word))
  if (rule.sub !== undefined && sub === undefined) return undefined
  if (rule.unless !== undefined && optionIn(rest, rule.unless) !== undefined) return undefined
  const option = rule.options === undefined ? undefined : optionIn(rest, rule.options)
  if (rule.options !== undefined && option === undefined) return undefined
  const argument = rule.argument && rest.find((word) => rule.argument?.test(word))
  if (rule.argument && argument === undefined) return undefined
  return [sub, option, argument].filter((word) => word !== undefined)
}

/** Finds one of the options in the words: by name, as an abbreviated long option, or in combined letters. */
function optionIn(words: readonly string[], options: string): string | undefined {
  const before = words.includes('--') ? words.slice(0, words.indexOf('--')) : words
  return before.find((word) =>
    options.split(' ').some((option) => {
      if (option.startsWith('--')) {
        const [name = ''] = word.split('=')
        return name.length > 4 && option.startsWith(name)
      }
      return word === option || (option.length === 2 && /^-[a-z0-9]+$/i.test(word) && word.includes(option.slice(1)))
    }),
  )
}

/** Removes git's options and their values before the subcommand. */
function withoutGlobals(program: string, words: readonly string[]): readonly string[] {
  if (program !== 'git') return words
  let start = 0
  while (start < words.length && words[start]?.startsWith('-'))
    start += /^(?:-[Cc]|--(?:git-dir|work-tree|namespace|exec-path))$/.test(words[start] ?? '') ? 2 : 1
  return words.slice(start)
}

/** Returns the name of a program: `rm` for `/usr/bin/rm` and `rm.exe`. */
function nameOf(word: string | undefined): string {
  return (word ?? '').replace(/^.*[/\\]/, '').replace(/\.exe$/i, '')
}

/** Returns the line that a command passes to a shell: `bash -c LINE`, `sudo sh -c LINE`, `eval WORDS`. */
function innerLine(words: readonly string[]): string | undefined {
  if (nameOf(words[0]) === 'eval') return words.slice(1).join(' ')
  const shell = words.findIndex((word) => shells.has(nameOf(word)))
  if (shell === -1 || (shell > 0 && !runners.has(nameOf(words[0])))) return undefined
  const option = words.findIndex((word, at) => at > shell && /^-[a-z]*c$/.test(word))
  return option === -1 ? undefined : words[option + 1]
}
