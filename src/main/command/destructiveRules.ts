/** A destructive command. The first matching rule provides the reason. */
export interface DestructiveRule {
  /** Program names, separated by `|`. `mkfs.*` matches every name that starts with `mkfs.`. */
  program: string
  /** Subcommands, separated by `|`. */
  sub?: string
  /** Options, separated by spaces, of which one must be present. Default none. */
  options?: string
  /** Options that make the command harmless. */
  unless?: string
  /** Pattern that one of the arguments must match. */
  argument?: RegExp
  /** Effect, as the end of a sentence that starts with the command. */
  why: string
}

const discards = 'discards changes that are not committed'
const deletes = 'deletes files permanently'
const remote = 'overwrites or deletes what others have fetched'

/** Programs that delete, overwrite or turn off. Unlisted programs are not harmless, only not marked. */
export const destructiveRules: readonly DestructiveRule[] = [
  { program: 'rm|unlink|srm|trash-empty', why: deletes },
  { program: 'shred|wipe', why: 'overwrites files so that they cannot be restored' },
  { program: 'truncate', why: 'cuts files off' },
  { program: 'dd', argument: /^of=/, why: 'overwrites a file or device' },
  { program: 'mkfs|mkfs.*|mke2fs|mkswap|wipefs|blkdiscard|fdisk|sfdisk|parted|diskpart|format', why: 'erases a disk' },
  { program: 'tee', unless: '-a --append', argument: /^(?!\/dev\/)./, why: 'replaces what the file holds' },
  {
    program: 'chmod|chown|chgrp|setfacl',
    options: '-R --recursive',
    why: 'changes every file below a folder; the old permissions are not kept',
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
  { program: 'git', sub: 'branch', options: '-D', why: 'deletes a branch that may not be merged' },
  { program: 'git', sub: 'tag', options: '-d --delete -f --force', why: 'deletes or moves a tag' },
  { program: 'git', sub: 'stash drop|stash clear', why: 'deletes stashed changes' },
  {
    program: 'git',
    sub: 'reflog expire|reflog delete|gc|prune',
    options: '--prune --expire --all --expire-unreachable',
    why: 'deletes what could restore commits',
  },
  { program: 'git', sub: 'rm', unless: '--cached -n --dry-run', why: deletes },
  { program: 'git', sub: 'filter-branch|filter-repo|update-ref', why: 'rewrites history' },
  { program: 'git', sub: 'worktree remove', options: '-f --force', why: discards },

  {
    program: 'docker|podman',
    sub: 'rm|rmi|container rm|image rm|volume rm|network rm',
    why: 'deletes containers, images or volumes',
  },
  {
    program: 'docker|podman',
    sub: 'system prune|volume prune|image prune|container prune|builder prune',
    why: 'deletes what no container uses now',
  },
  {
    program: 'docker|podman|docker-compose',
    sub: 'compose down|down',
    options: '-v --volumes',
    why: 'deletes the volumes and their data',
  },
  { program: 'kubectl', sub: 'delete', why: 'deletes from the cluster' },
  { program: 'helm', sub: 'uninstall|delete', why: 'deletes from the cluster' },
  { program: 'terraform|tofu', sub: 'destroy', why: 'deletes the infrastructure' },
  { program: 'aws', sub: 's3 rm|s3 rb', why: 'deletes stored objects' },
  { program: 'gh', sub: 'repo delete|release delete', why: 'deletes on GitHub' },
  { program: 'npm|cargo|yarn', sub: 'unpublish|yank', why: 'withdraws a published package' },
  { program: 'dropdb|dropuser', why: 'deletes a database or its user' },
  {
    program: 'psql|mysql|mariadb|sqlite3|sqlcmd',
    argument: /\b(?:drop\s+(?:table|database|schema|view|index)|truncate|delete\s+from)\b/i,
    why: 'deletes data from a database',
  },
  { program: 'crontab', options: '-r', why: 'deletes all scheduled jobs' },
  { program: 'userdel|groupdel', why: 'deletes an account' },
  { program: 'shutdown|reboot|halt|poweroff', why: 'turns the machine off' },

  { program: 'Remove-Item|ri|del|erase|rd', why: deletes },
  { program: 'Clear-Content|Format-Volume|Clear-Disk', why: 'erases what it is given' },
]

/** Programs that run another program from their arguments. */
export const runners: ReadonlySet<string> = new Set(
  (
    'sudo doas env command builtin exec nohup nice ionice time timeout xargs parallel stdbuf setsid chroot busybox toybox find fd fdfind watch ' +
    'flock script strace unbuffer caffeinate'
  ).split(' '),
)

/** Shells, whose option `-c` takes a command line. */
export const shells: ReadonlySet<string> = new Set('sh bash dash zsh ksh ash fish'.split(' '))
