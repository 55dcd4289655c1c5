import { isGitLfs } from './userConfiguration.ts'

/** Sections in which no setting makes git start a program when it reads the repository. */
const passiveSections = new Set(
  (
    'advice alias branch color column credential difftool fetch gc gitflow github gui http index init maintenance merge ' +
    'mergetool notes oh-my-zsh pack pull push rebase receive rerere sendemail svn svn-remote tag transfer url user ' +
    'versionsort worktree'
  ).split(' '),
)
/** Passive settings of other sections, in which other settings start programs. */
const passiveSettings = new Set(
  (
    'core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase core.precomposeunicode ' +
    'core.symlinks core.autocrlf core.safecrlf core.eol core.longpaths core.abbrev core.quotepath core.untrackedcache ' +
    'core.preloadindex core.fscache core.commentchar core.whitespace core.editor core.sshcommand core.sparsecheckout ' +
    'core.sparsecheckoutcone core.multipackindex core.commitgraph core.compression core.trustctime core.checkstat ' +
    'core.sharedrepository core.protecthfs core.protectntfs ' +
    'remote.url remote.pushurl remote.fetch remote.push remote.tagopt remote.prune remote.prunetags remote.mirror ' +
    'remote.pushdefault remote.skipfetchall remote.followremotehead remote.gh-resolved ' +
    'submodule.url submodule.active submodule.branch submodule.ignore submodule.update submodule.shallow ' +
    'extensions.refstorage extensions.worktreeconfig extensions.preciousobjects extensions.relativeworktrees ' +
    'diff.algorithm diff.renames diff.renamelimit diff.mnemonicprefix diff.noprefix diff.context diff.interhunkcontext ' +
    'diff.indentheuristic diff.colormoved diff.colormovedws diff.xfuncname diff.funcname diff.wordregex diff.binary ' +
    'log.date log.decorate log.abbrevcommit log.follow status.short status.branch status.showstash ' +
    'status.showuntrackedfiles status.relativepaths commit.gpgsign commit.template commit.verbose commit.cleanup ' +
    'feature.manyfiles protocol.version gpg.format lfs.repositoryformatversion lfs.access lfs.locksverify'
  ).split(' '),
)
/** Settings that are passive with certain values, compared as git does. */
const passiveValues: Readonly<Record<string, RegExp>> = {
  'core.fsmonitor': /^(?:true|false)$/,
  'core.pager': /^(?:cat)?$/,
  'diff.submodule': /^(?:short|log)$/,
  'filter.required': /^(?:true|false)$/,
  // Git prints a line of another file in its error message.
  'blame.ignorerevsfile': /^[\w.-]+$/,
}
const boolean = /^(?:true|false)$/
/** Settings that name a folder, which the caller has to check. */
const folderSettings: Readonly<Record<string, 'hooksPath' | 'workTree'>> = {
  'core.hookspath': 'hooksPath',
  'core.worktree': 'workTree',
}

/** A configuration that starts no program, provided that its folders do not. */
export interface PassiveConfiguration {
  /** `core.hooksPath`. */
  hooksPath?: string
  /** `core.worktree`. */
  workTree?: string
}

/**
 * Parses a repository's configuration file. Returns undefined unless it certainly makes git start no program when it
 * reads the repository, such as `core.fsmonitor`, `diff.external`, a filter, a text conversion, a pager or an included
 * file. Network settings count as passive, because only a partial clone needs the network then.
 * @param text of .git/config
 */
export function readPassiveConfiguration(text: string): PassiveConfiguration | undefined {
  const found: PassiveConfiguration = {}
  let section: string | undefined
  for (const line of text.split(/\r?\n/)) {
    const header = /^\s*\[\s*([\w.-]+)(?:\s+"[^"\\]*")?\s*\]\s*(?:[#;].*)?$/.exec(line)
    if (header) section = header[1]?.toLowerCase()
    else if (!/^\s*(?:[#;].*)?$/.test(line)) {
      const [, name, written = ''] = /^\s*([A-Za-z][\w-]*)\s*(=.*)?$/.exec(line) ?? []
      // A `\` at the end continues the value on the next line.
      if (section === undefined || name === undefined || line.endsWith('\\')) return undefined
      const key = `${section}.${name.toLowerCase()}`
      const folder = folderSettings[key]
      if (folder !== undefined) {
        const value = plainValue(written)
        if (value === undefined) return undefined
        found[folder] = value
      } else if (!isPassive(section, key, plainValue(written))) return undefined
    }
  }
  return section === undefined ? undefined : found
}

function isPassive(section: string, key: string, value: string | undefined): boolean {
  if (passiveSections.has(section) || passiveSettings.has(key)) return true
  if (value === undefined) return false
  if (/^filter\.(?:clean|smudge|process)$/.test(key)) return isGitLfs(value)
  return passiveValues[key]?.test(value) ?? (section === 'pager' && boolean.test(value))
}

/** Parses a value without quotes, escapes and comments; undefined for others. @param written with its `=` */
function plainValue(written: string): string | undefined {
  const value = written.slice(1).trim()
  return written.startsWith('=') && !/["\\#;]/.test(value) ? value : undefined
}
