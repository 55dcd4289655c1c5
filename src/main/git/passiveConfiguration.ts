/** Sections of which no setting makes git start a program when it reads the repository. */
const passiveSections = new Set('advice branch color fetch gui init pull push rebase user'.split(' '))
/** Settings of other sections, of which some start programs. */
const passiveSettings = new Set(
  (
    'core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase core.precomposeunicode ' +
    'core.symlinks core.autocrlf core.safecrlf core.eol core.longpaths core.abbrev core.quotepath core.untrackedcache ' +
    'core.preloadindex core.fscache core.commentchar remote.url remote.pushurl remote.fetch remote.tagopt remote.prune ' +
    'submodule.url submodule.active extensions.refstorage diff.algorithm diff.renames ' +
    'diff.mnemonicprefix diff.colormoved merge.conflictstyle merge.ff rerere.enabled commit.gpgsign tag.gpgsign ' +
    'remote.gh-resolved lfs.repositoryformatversion lfs.access gc.auto maintenance.auto maintenance.strategy'
  ).split(' '),
)

/**
 * Whether it is certain that the configuration file of a repository makes git start no program when it reads the
 * repository, such as `core.fsmonitor`, `diff.external`, a filter, a text conversion, a pager or an included file.
 * @param text of .git/config
 */
export function isPassiveConfiguration(text: string): boolean {
  let section: string | undefined
  for (const line of text.split(/\r?\n/)) {
    const header = /^\s*\[\s*([\w.-]+)(?:\s+"[^"\\]*")?\s*\]\s*(?:[#;].*)?$/.exec(line)
    if (header) section = header[1]?.toLowerCase()
    else if (!/^\s*(?:[#;].*)?$/.test(line)) {
      const key = /^\s*([A-Za-z][\w-]*)\s*(?:=.*)?$/.exec(line)?.[1]?.toLowerCase()
      // A `\` at the end continues the value in the next line.
      if (section === undefined || key === undefined || line.endsWith('\\')) return false
      if (!passiveSections.has(section) && !passiveSettings.has(`${section}.${key}`)) return false
    }
  }
  return section !== undefined
}
