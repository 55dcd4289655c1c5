import type { ParsedArguments } from './optionSpec.ts'

/**
 * A form of a command that only reads. Anything not listed is not covered: options are listed one by one in their full
 * spelling, and words that are paths must lead into the workspace.
 */
export interface ReadOnlyRule {
  /** Program and subcommand; alternatives separated by `|`. */
  command: string
  /** See `parseOptionSpec`. */
  options?: string
  /** See `operandKinds`. Default none. */
  operands?: string
  /** Options of which one must be present. */
  requires?: string
  /** Options that replace the first operand, a pattern or script. */
  replacesFirst?: string
  /** Options with which the program reads everything below a folder, or `always`. */
  recursive?: string
  /** Whether git reads a repository, which must be in the workspace. */
  repository?: true
  /** Whether the command prints a version. The program must then not be a version manager that starts another one. */
  version?: true
  /** Further condition. */
  accepts?(parsed: ParsedArguments): boolean
}

const files: readonly ReadOnlyRule[] = [
  { command: 'pwd', options: '-L -P' },
  {
    command: 'ls',
    options:
      '-a -A -l -h -R -r -t -S -1 -d -F -p -i -s -n -g -o -G -k -m -x -C -c -u -U -v -X -T:number --all --almost-all ' +
      '--human-readable --recursive --reverse --size --directory --classify --inode --group-directories-first --full-time ' +
      '--color?:text --sort:text --time:text --time-style:text --format:text --ignore:text -I:text --hide:text',
    operands: 'path...',
  },
  {
    command: 'cat',
    options:
      '-n -b -s -A -e -E -t -T -v -u --number --number-nonblank --squeeze-blank --show-all --show-ends --show-tabs',
    operands: 'path...',
  },
  { command: 'tac|rev', operands: 'path...' },
  {
    command: 'head|tail',
    options: '-# -n:number -c:number -q -v -z --lines:number --bytes:number --quiet --silent --verbose',
    operands: 'path...',
  },
  { command: 'wc', options: '-l -w -c -m -L --lines --words --bytes --chars --max-line-length', operands: 'path...' },
  { command: 'nl', options: '-b:text -w:number -s:text -n:text -v:number -i:number', operands: 'path...' },
  { command: 'od', options: '-c -x -d -o -b -v -A:text -t:text -j:number -N:number -w?:number', operands: 'path...' },
  { command: 'hexdump', options: '-C -c -d -x -v -n:number -s:number', operands: 'path...' },
  { command: 'xxd', options: '-! -l:number -s:number -c:number -g:number -p -u', operands: 'path?' },
  {
    command: 'strings',
    options: '-a -n:number -t:d,o,x',
    operands: 'path...',
    // `@file` is a file with arguments.
    accepts: ({ operands }) => !operands.some((operand) => operand.startsWith('@')),
  },
  {
    command: 'file',
    options: '-b -i -h --brief --mime --mime-type --mime-encoding --no-dereference',
    operands: 'path path...',
  },
  { command: 'stat', options: '-c:text -t --format:text --printf:text --terse', operands: 'path path...' },
  {
    command: 'du',
    options:
      '-s -h -a -c -k -m -b -x -S -d:number -t:number --summarize --human-readable --all --total --bytes --apparent-size ' +
      '--max-depth:number --exclude:text --threshold:number --time',
    operands: 'path...',
  },
  {
    command: 'df',
    options: '-h -H -k -T -i -a -P --human-readable --print-type --inodes --total',
    operands: 'path...',
  },
  {
    command: 'tree',
    options:
      '-a -d -f -i -s -h -D -p -C -n -F -v -t -r -J -X -A -S -L+:number -I+:text -P+:text --dirsfirst --gitignore --noreport ' +
      '--prune --du --charset:text --filelimit:number --matchdirs --ignore-case --sort:text --filesfirst',
    operands: 'path...',
  },
  { command: 'basename', options: '-a -z -s:text --multiple --suffix:text', operands: 'text text...' },
  { command: 'dirname', options: '-z --zero', operands: 'text text...' },
  {
    command: 'realpath|readlink',
    options:
      '-f -e -m -n -q -s -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --relative-to:path ' +
      '--relative-base:path --strip',
    operands: 'path path...',
  },
  {
    command: 'md5sum|sha1sum|sha256sum|sha512sum|b2sum|cksum|shasum',
    options: '-b -t -a:number',
    operands: 'path path...',
  },
  { command: 'cmp', options: '-s -l -b -n:number --silent --quiet --verbose', operands: 'path path' },
  {
    command: 'diff',
    options:
      '-u -q -s -w -b -B -i -N -y -a -E -Z -t -p -c -U:number -C:number -W:number --unified?:number --brief --color?:text ' +
      '--side-by-side --suppress-common-lines --ignore-all-space --ignore-blank-lines --ignore-case --new-file --text ' +
      '--strip-trailing-cr --minimal --report-identical-files --width:number',
    // Files only, because diff follows links inside folders.
    operands: 'file file',
  },
  { command: 'comm', options: '-1 -2 -3 --check-order --nocheck-order --total', operands: 'path path' },
]

const searching: readonly ReadOnlyRule[] = [
  {
    command: 'grep|egrep|fgrep',
    options:
      '-r -n -i -I -l -L -c -v -w -x -E -F -P -G -o -H -h -s -q -a -z -y -A:number -B:number -C:number -m:number -e:text ' +
      '-# --recursive --line-number --ignore-case --files-with-matches --files-without-match --count --invert-match ' +
      '--word-regexp --line-regexp --extended-regexp --fixed-strings --perl-regexp --only-matching --with-filename ' +
      '--no-filename --no-messages --quiet --text --include:text --exclude:text --exclude-dir:text --color?:text ' +
      '--max-count:number --after-context:number --before-context:number --context:number --regexp:text --null',
    operands: 'text path...',
    replacesFirst: '-e --regexp',
    recursive: '-r --recursive',
  },
  {
    command: 'rg',
    options:
      '-n -N -i -I -l -c -v -w -x -F -o -S -s -u -U -P -H -p -q -a -0 -A:number -B:number -C:number -m:number -e:text ' +
      '-g:text -t:text -T:text -r:text -M:number -j:number -d:number --line-number --no-line-number --ignore-case ' +
      '--files-with-matches --files-without-match --count --count-matches --invert-match --word-regexp --line-regexp ' +
      '--fixed-strings --only-matching --smart-case --case-sensitive --multiline --multiline-dotall --pcre2 ' +
      '--with-filename --no-filename --pretty --heading --no-heading --column --json --stats --trim --vimgrep --glob:text ' +
      '--iglob:text --type:text --type-not:text --type-list --files --hidden --no-ignore --no-ignore-vcs --no-config ' +
      '--sort:text --sortr:text --max-depth:number --max-count:number --max-columns:number --context:number ' +
      '--after-context:number --before-context:number --color:text --colors:text --replace:text --regexp:text --quiet ' +
      '--text --null --passthru --threads:number --glob-case-insensitive',
    operands: 'text path...',
    replacesFirst: '-e --regexp --files --type-list',
    recursive: 'always',
  },
]

const text: readonly ReadOnlyRule[] = [
  { command: 'printf', operands: 'printf text...' },
  { command: 'true|false|:' },
  {
    command: 'sort',
    options:
      '-n -r -u -f -h -V -b -g -M -d -i -s -c -C -z -R -k:text -t:text --numeric-sort --reverse --unique --ignore-case ' +
      '--human-numeric-sort --version-sort --key:text --field-separator:text --stable --check?:text --general-numeric-sort',
    operands: 'path...',
  },
  {
    command: 'uniq',
    options: '-c -d -D -u -i -z -f:number -s:number -w:number --count --repeated --unique --ignore-case',
    // A second operand is the output file.
    operands: 'path?',
  },
  {
    command: 'cut',
    options:
      '-d:text -f:text -c:text -b:text -s -z -n --delimiter:text --fields:text --characters:text --bytes:text ' +
      '--complement --only-delimited --output-delimiter:text',
    operands: 'path...',
  },
  { command: 'tr', options: '-d -s -c -C -t --delete --squeeze-repeats --complement', operands: 'text text?' },
  { command: 'paste', options: '-s -d:text --serial --delimiters:text', operands: 'path...' },
  { command: 'fold', options: '-w:number -s -b', operands: 'path...' },
  { command: 'expand|unexpand', options: '-t:number -i -a', operands: 'path...' },
  { command: 'column', options: '-t -x -s:text -o:text -c:number --table --separator:text', operands: 'path...' },
  {
    command: 'sed',
    options: '-n -E -r -s -u -z -e:sed --quiet --silent --regexp-extended --separate --expression:sed',
    operands: 'sed path...',
    replacesFirst: '-e --expression',
    requires: '-n --quiet --silent',
  },
  {
    command: 'jq',
    options:
      '-r -c -n -s -S -e -M -C -a -j -R --raw-output --compact-output --null-input --slurp --sort-keys --exit-status ' +
      '--monochrome-output --color-output --ascii-output --join-output --raw-input --tab --indent:number',
    operands: 'jq path...',
  },
  { command: 'seq', options: '-w -s:text -f:text', operands: 'number number? number?' },
]

const system: readonly ReadOnlyRule[] = [
  {
    command: 'date',
    options:
      '-u -R -I?:text -d:text -r:path --utc --universal --rfc-email --iso-8601?:text --rfc-3339:text --date:text',
    // Any other operand sets the clock.
    operands: 'dateFormat?',
  },
  { command: 'which', options: '-a', operands: 'name name...' },
  { command: 'type', options: '-a -t -p -P', operands: 'name name...' },
  { command: 'command', options: '-v -V', operands: 'name name...', requires: '-v -V' },
  { command: 'whereis', options: '-b -m -s', operands: 'name name...' },
  { command: 'uname', options: '-a -s -n -r -m -p -o -v -i --all --kernel-name --kernel-release --machine' },
  { command: 'nproc', options: '--all' },
  { command: 'arch|whoami|uptime' },
  { command: 'id', options: '-u -g -G -n' },
  { command: 'sleep', operands: 'seconds' },
]

const gitOutput =
  '-p -u -s -w -b -M -C -R -a -z -U?:number --patch --no-patch --unified?:number --stat?:text --shortstat --numstat --dirstat ' +
  '--summary --name-only --name-status --raw --color?:text --no-color --color-words?:text --word-diff?:text ' +
  '--word-diff-regex:text --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-blank-lines ' +
  '--find-renames?:text --find-copies?:text --diff-filter:text --no-renames --minimal --patience --histogram ' +
  '--diff-algorithm:text --full-index --abbrev?:number --exit-code --quiet --relative?:path --no-prefix --text ' +
  '--no-ext-diff --no-textconv --compact-summary --function-context -W --check --pickaxe-all --pickaxe-regex -S:text ' +
  '-G:text --submodule?:short,log --ignore-submodules?:text --inter-hunk-context:number --merge-base'
const gitHistory =
  '-# -n:number -i -E -F -g -m -c --oneline --graph --all --decorate?:text --no-decorate --author:text --committer:text ' +
  '--grep:text --invert-grep --all-match --since:text --until:text --after:text --before:text --follow --format?:text ' +
  '--pretty?:text --reverse --merges --no-merges --first-parent --max-count:number --skip:number --abbrev-commit ' +
  '--no-abbrev-commit --date:text --date-order --topo-order --author-date-order --branches?:text --tags?:text ' +
  '--remotes?:text --left-right --cherry-pick --cherry-mark --cherry --ancestry-path --full-history --simplify-by-decoration ' +
  '--boundary --source --relative-date --no-walk --perl-regexp --regexp-ignore-case ' +
  '--extended-regexp --fixed-strings --walk-reflogs --parents --children --no-notes'

/** Options that make `git branch` and `git tag` list. */
const listing = ['-l', '--list', '--contains', '--no-contains', '--merged', '--no-merged', '--points-at']

const gitForms: readonly Omit<ReadOnlyRule, 'repository'>[] = [
  {
    command: 'git status',
    options:
      '-s -b -u?:text -v -z --short --branch --porcelain?:text --long --ignored?:text --untracked-files?:text --show-stash ' +
      '--ahead-behind --no-ahead-behind --renames --no-renames --ignore-submodules?:text --column?:text',
    operands: 'path...',
  },
  {
    command: 'git diff',
    options: `${gitOutput} --cached --staged --no-color-moved --color-moved?:text`,
    operands: 'revision...',
  },
  {
    command: 'git log|git show',
    options: `${gitHistory} ${gitOutput} -L:text`,
    operands: 'revision...',
  },
  {
    command: 'git shortlog',
    options: '-s -n -e -c --summary --numbered --email --since:text --no-merges',
    operands: 'revision revision...',
  },
  {
    command: 'git blame',
    options:
      '-L:text -w -s -l -e -f -n -M -C -p -c -t --show-name --show-number --show-email --date:text --porcelain --line-porcelain --abbrev?:number',
    operands: 'revision...',
  },
  {
    command: 'git grep',
    options:
      '-n -i -l -L -c -w -v -E -F -P -G -I -o -h -H -p -W -q -A:number -B:number -C:number -e:text --line-number ' +
      '--ignore-case --files-with-matches --count --word-regexp --cached --untracked --name-only --heading --break ' +
      '--max-depth:number --color?:text --no-color --and --or --not --all-match --show-function',
    operands: 'text revision...',
    replacesFirst: '-e',
    recursive: 'always',
  },
  {
    command: 'git ls-files',
    options:
      '-c -d -m -o -i -s -u -t -v -z --cached --deleted --modified --others --ignored --stage --unmerged --exclude-standard ' +
      '--full-name --error-unmatch --directory --deduplicate -x:text --exclude:text --format:text --eol',
    operands: 'path...',
  },
  {
    command: 'git ls-tree',
    options: '-r -t -d -l -z --name-only --name-status --long --full-name --full-tree --abbrev?:number',
    operands: 'revision revision...',
  },
  { command: 'git cat-file', options: '-p -t -s -e', operands: 'revision revision?' },
  {
    command: 'git rev-parse',
    options:
      '-q --short?:number --abbrev-ref --show-toplevel --show-prefix --show-cdup --is-inside-work-tree --is-bare-repository ' +
      '--is-shallow-repository --verify --quiet --symbolic-full-name --git-dir --git-common-dir --absolute-git-dir --branches ' +
      '--tags --remotes --all',
    operands: 'revision...',
  },
  { command: 'git rev-list', options: `${gitHistory} --count --objects`, operands: 'revision...' },
  {
    command: 'git merge-base',
    options: '-a --all --is-ancestor --fork-point --octopus --independent',
    operands: 'revision...',
  },
  { command: 'git name-rev', options: '--name-only --tags --always', operands: 'revision...' },
  {
    command: 'git describe',
    options:
      '--tags --always --dirty?:text --long --all --abbrev?:number --match:text --exact-match --contains --first-parent',
    operands: 'revision...',
  },
  {
    command: 'git branch',
    options:
      '-a -r -v -l --all --remotes --verbose --list --show-current --contains?:text --no-contains?:text --merged?:text ' +
      '--no-merged?:text --sort:text --format:text --points-at:text --color?:text --no-color --column?:text --no-column ' +
      '--ignore-case -i',
    // Without one of these options, a name creates a branch or tag.
    accepts: ({ used, operands }) => operands.length === 0 || listing.some((option) => used.has(option)),
    operands: 'revision...',
  },
  {
    command: 'git tag',
    options:
      '-l -n --list --sort:text --format:text --contains?:text --no-contains?:text --merged?:text --points-at:text --column?:text -i',
    accepts: ({ used, operands }) => operands.length === 0 || listing.some((option) => used.has(option)),
    operands: 'revision...',
  },
  { command: 'git remote', options: '-v --verbose' },
  { command: 'git remote get-url', options: '--all --push', operands: 'name' },
  { command: 'git stash list', options: '--oneline --format?:text' },
  { command: 'git stash show', options: `${gitOutput} -p`, operands: 'revision?' },
  { command: 'git worktree list', options: '--porcelain -v' },
  {
    command: 'git check-ignore',
    options: '-v -n -q --verbose --non-matching --no-index --quiet',
    operands: 'path path...',
  },
  { command: 'git check-attr', options: '-a --all', operands: 'text path...' },
  { command: 'git count-objects', options: '-v -H --verbose --human-readable' },
  {
    command: 'git for-each-ref',
    options: '--format:text --sort:text --count:number --merged?:text --contains?:text',
    operands: 'revision...',
  },
  {
    command: 'git show-ref',
    options: '-s --heads --tags --head --hash?:number --verify --branches',
    operands: 'revision...',
  },
  { command: 'git reflog|git reflog show', options: `${gitHistory}` },
  {
    command: 'git diff-tree|git diff-index|git diff-files',
    options: `${gitOutput} -r --root --cached --no-commit-id`,
    operands: 'revision...',
  },
  { command: 'git submodule status', options: '--recursive --cached' },
  { command: 'git var', operands: 'GIT_AUTHOR_IDENT,GIT_COMMITTER_IDENT,GIT_DEFAULT_BRANCH' },
]
const git = gitForms.map((rule): ReadOnlyRule => ({ ...rule, repository: true }))

/**
 * Programs that print their version without reading the folder. Excludes programs that first obey a file in the folder:
 * yarn, pnpm, corepack, mvn, gradle, go, java.
 */
const versioned =
  'node|npm|bun|deno|python|python3|pip|pip3|uv|ruff|ruby|php|perl|rustc|cargo|gcc|g++|cc|c++|clang|clang++|clang-format|' +
  'cmake|ctest|make|gmake|ninja|meson|git|jq|rg|sqlite3|bash|docker|pkg-config'
const versions: readonly ReadOnlyRule[] = [
  { command: versioned, options: '--version', requires: '--version', version: true },
  { command: 'node|npm|deno|rg', options: '-v -V', requires: '-v -V', version: true },
  { command: 'python|python3|rustc|cargo', options: '-V', requires: '-V', version: true },
  {
    command: 'pkg-config',
    options: '--modversion --cflags --libs',
    operands: 'name name...',
    requires: '--modversion --cflags --libs',
  },
]

/** All forms that need no approval in the modes safe, cautious and plan, besides those in specialForms.ts. */
export const readOnlyRules: readonly ReadOnlyRule[] = [...files, ...searching, ...text, ...system, ...git, ...versions]
