/**
 * Commands that a session grant may cover, and the arguments that may follow. Only listed programs, subcommands and
 * options are covered. Excluded on purpose: everything that selects another program, folder, configuration or output
 * file (`make -f`, `git -c`, `npm --prefix`, `go -exec`, `vitest --config`, `sort -o`).
 */
export interface PrefixRule {
  /** Words of the prefix. `<name>` at the end is a script, target or recipe and becomes part of the prefix. */
  prefix: string
  /** Letters of options without a value. They may be combined (`-la`). */
  flags?: string
  /** Letters of options that take a number. It may follow directly (`-n5`), also after combined flags (`-qn5`). */
  numbers?: string
  /** Long options. `--name` also covers `--name=value`; `--name=value` covers only itself. */
  options?: string
  /**
   * `inside`: files below the folder, patterns, names. `none`: options only. `text`: anything, because it has no
   * effect.
   */
  arguments?: 'inside' | 'none' | 'text'
  /** Options without which the rule does not apply. */
  required?: string
  /** Further condition on all words after the prefix together. */
  accepts?(words: readonly string[]): boolean
}

const digits = '0123456789'

/** Returns the same rule for several prefixes, separated by `|`. */
function rules(prefixes: string, rule: Omit<PrefixRule, 'prefix'> = {}): PrefixRule[] {
  return prefixes.split('|').map((prefix) => ({ ...rule, prefix: prefix.trim() }))
}

/** Returns the rules of a program from a JavaScript project, run directly and through the usual runners. */
function fromNode(command: string, rule: Omit<PrefixRule, 'prefix'>): PrefixRule[] {
  return ['', 'npx ', 'pnpm exec ', 'yarn exec ', 'bunx '].map((runner) => ({ ...rule, prefix: runner + command }))
}

function fromPython(command: string, rule: Omit<PrefixRule, 'prefix'>): PrefixRule[] {
  return ['', 'python -m ', 'python3 -m ', 'uv run ', 'poetry run '].map((runner) => ({
    ...rule,
    prefix: runner + command,
  }))
}

/** Whether the filter of a jq command, its first argument, reads nothing but its input. */
function isHarmlessFilter(words: readonly string[]): boolean {
  const filter = words.find((word) => !word.startsWith('-'))
  // A name after a single dot is a field. Text in quotes can contain expressions.
  return (
    filter === undefined ||
    !/\$(?:ENV\b|__)|(?:^|\.\.|[^.\w])(?:env|import|include|modulemeta|get_search_list)\b/.test(filter)
  )
}

const looking: PrefixRule[] = [
  ...rules('echo', { arguments: 'text' }),
  ...rules('pwd', { arguments: 'none', flags: 'LP' }),
  ...rules('ls', { flags: 'laAhRrtS1dFpis' }),
  ...rules('cat', { flags: 'nbsAETv' }),
  ...rules('head|tail', { flags: `${digits}qv`, numbers: 'nc' }),
  ...rules('wc', { flags: 'lwcmL' }),
  ...rules('du', { flags: 'shack', numbers: 'd' }),
  // Excludes `r`, which follows links out of the folder.
  ...rules('diff', { flags: 'uqwbi' }),
  ...rules('sort', { flags: 'nruhfbV', numbers: 'k' }),
  ...rules('uniq', { flags: 'cdui', arguments: 'none' }), // its second argument is an output file
  ...rules('basename|dirname|file|stat'),
  ...rules('jq', { flags: 'rcnSes', accepts: isHarmlessFilter }),
  ...rules('grep', {
    // Excludes `R`, which follows links out of the folder.
    flags: 'rniIlLcvwxEFPoHhsqa',
    numbers: 'ABCm',
    options: '-e --include --exclude --exclude-dir --color --count --line-number',
  }),
  ...rules('rg', {
    flags: 'nilcvwxFoSsuHNPU',
    numbers: 'ABCm',
    options:
      '-g -t -e -T --glob --type --type-not --hidden --files --no-ignore --json --count --stats --sort --max-depth --multiline ' +
      '--no-heading',
  }),
]

const gitLog = {
  flags: `${digits}pwi`,
  numbers: 'nU',
  options:
    '-S -G --oneline --stat --shortstat --numstat --graph --all --decorate --patch --no-patch --name-only --name-status --author --grep ' +
    '--since --until --follow --format --pretty --reverse --merges --no-merges --max-count --abbrev-commit --date --color --no-color',
}
const git: PrefixRule[] = [
  ...rules('git status', { flags: 'sbuv', options: '--short --branch --porcelain --ignored --untracked-files --long' }),
  ...rules('git diff', {
    flags: 'pwbMRa',
    numbers: 'U',
    options:
      '--stat --shortstat --numstat --name-only --name-status --cached --staged --check --color --no-color --word-diff --summary ' +
      '--unified --ignore-all-space --diff-filter',
  }),
  ...rules('git log|git show', gitLog),
  ...rules('git blame', { flags: 'wsle', options: '-L' }),
  ...rules('git grep', { flags: 'nilcwvEFPIoh', numbers: 'ABC', options: '-e --count --cached' }),
  ...rules('git ls-files', {
    flags: 'comsd',
    options: '--others --cached --modified --deleted --exclude-standard --stage',
  }),
  ...rules('git ls-tree', { flags: 'rtdl', options: '--name-only' }),
  ...rules('git rev-parse', { options: '--short --abbrev-ref --show-toplevel --is-inside-work-tree --verify' }),
  ...rules('git describe', { options: '--tags --always --dirty --long' }),
  ...rules('git shortlog', { flags: 'sne' }),
  ...rules('git branch', { flags: 'avr', options: '--list --show-current --all', arguments: 'none' }),
  ...rules('git remote', { flags: 'v', arguments: 'none' }),
  ...rules('git stash list|git worktree list|git tag --list|git tag -l', { arguments: 'none' }),
]

// Options after `--` reach an unknown script, so only output options of test runners are covered.
const scripts = { options: '--silent --if-present --run --watch=false --watchAll=false --coverage --verbose --bail' }
const javascript: PrefixRule[] = [
  ...rules('npm test|npm run <name>|npm run-script <name>|pnpm run <name>', scripts),
  // Without a script of this name, these commands run a program, so only conventional script names are covered.
  ...rules(
    ['test', 'build', 'lint', 'check', 'typecheck', 'format']
      .flatMap((name) => [`pnpm ${name}`, `yarn ${name}`, `yarn run ${name}`, `bun run ${name}`])
      .join('|'),
    scripts,
  ),
  ...rules('bun test', { flags: 't', options: '--coverage --bail --only --todo --timeout' }),
  ...rules('npm ls|npm outdated', { flags: 'a', options: '--all --depth --json --long' }),
  ...rules('node --test', {
    options:
      '--test-only --test-name-pattern --test-concurrency --test-timeout --test-reporter=spec --test-reporter=tap --test-reporter=dot',
  }),
  ...rules('node --check'),
  ...rules('deno task <name>'),
  ...rules('deno lint|deno fmt --check', { options: '--quiet' }),
  ...fromNode('vitest run', {
    options:
      '-t --testNamePattern --coverage --bail --silent --passWithNoTests --retry ' +
      '--reporter=dot --reporter=verbose --reporter=default --reporter=basic --reporter=json',
  }),
  ...fromNode('jest', {
    flags: 'i',
    options:
      '-t --testNamePattern --coverage --runInBand --ci --silent --verbose --bail --watchAll=false --passWithNoTests',
  }),
  ...fromNode('playwright test', {
    options: '-g --grep --project --workers --headed --reporter=list --reporter=line --reporter=dot',
  }),
  // A project file can name any folder for the output, and a `false` after an option turns it off.
  ...fromNode('tsc', {
    options: '-p --project --noEmit --pretty --strict --skipLibCheck --watch --listFiles --noErrorTruncation',
    required: '--noEmit',
    accepts: (words) => !words.includes('false'),
  }),
  ...fromNode('tsc --version', { arguments: 'none' }),
  ...fromNode('eslint', { options: '--quiet --max-warnings --ext --color --no-color' }),
  ...fromNode('oxlint', { options: '--quiet --max-warnings --deny-warnings' }),
  ...fromNode('prettier --check', { options: '--log-level' }),
]

const python: PrefixRule[] = [
  ...fromPython('pytest', {
    flags: 'qvxsl',
    options:
      '-k -m -rA -ra --tb --lf --ff --last-failed --failed-first --maxfail --co --collect-only --durations --no-header --color',
  }),
  ...fromPython('mypy', { options: '--strict --ignore-missing-imports --no-error-summary --pretty' }),
  ...fromPython('ruff check', { options: '--quiet --statistics --select --ignore --no-cache' }),
  ...fromPython('ruff format --check', { options: '--quiet --diff' }),
  ...fromPython('black --check', { flags: 'q', options: '--diff' }),
]

const cargo = {
  flags: 'qvp',
  numbers: 'j',
  options:
    '--all --workspace --release --lib --bin --bins --test --tests --example --examples --bench --benches --doc --all-targets --features ' +
    '--all-features --no-default-features --package --exclude --quiet --verbose --locked --offline --frozen --no-run --no-fail-fast ' +
    '--nocapture --ignored --include-ignored --exact --test-threads --show-output --skip',
}
const go = {
  options:
    '-v -race -short -count -run -bench -benchmem -failfast -timeout -cover -tags -parallel -json -x -n -vet=off',
}
const compiled: PrefixRule[] = [
  ...rules('cargo test|cargo build|cargo check|cargo bench|cargo doc', cargo),
  ...rules('cargo clippy', { ...cargo, options: `${cargo.options} -D -W -A` }),
  ...rules('cargo fmt', { options: '--all --check' }),
  ...rules('cargo tree', { flags: 'id', options: '--depth --workspace --duplicates --invert' }),
  ...rules('go test|go build|go vet|go fmt', go),
  ...rules('go list', { options: '-m -json -deps -test' }),
  ...rules('go version', { arguments: 'none' }),
  // The target is part of the prefix, because another target is another command.
  ...rules('make|make <name>|gmake|gmake <name>', {
    flags: 'ksnBiqw',
    numbers: 'j',
    options: '--keep-going --silent --dry-run',
    arguments: 'none',
  }),
  ...rules('just <name>|task <name>', { arguments: 'none' }),
  ...rules('cmake --build <name>', { numbers: 'j', options: '--parallel --verbose --clean-first', arguments: 'none' }),
  ...rules('ctest', { flags: 'VN', numbers: 'j', options: '-VV -R -E -L --output-on-failure --rerun-failed' }),
  ...rules(
    ['gradle', './gradlew'].flatMap((name) => ['test', 'build', 'check'].map((task) => `${name} ${task}`)).join('|'),
    {
      flags: 'qi',
      options: '--info --stacktrace --offline --quiet --continue --rerun-tasks',
      arguments: 'none',
    },
  ),
  ...rules(
    ['mvn', './mvnw']
      .flatMap((name) => ['test', 'compile', 'verify', 'package'].map((goal) => `${name} ${goal}`))
      .join('|'),
    {
      flags: 'qoBeX',
      options: '--quiet --offline --batch-mode --errors',
      arguments: 'none',
    },
  ),
  ...rules('dotnet test|dotnet build', {
    options: '--no-restore --no-build --nologo --filter --verbosity -c --configuration',
  }),
  ...rules('swift test|swift build|mix test', { options: '--filter --parallel --verbose --trace --failed --stale' }),
]

const containers: PrefixRule[] = [
  ...rules('docker ps|podman ps|docker compose ps|podman compose ps|docker images|podman images', {
    flags: 'aq',
    arguments: 'none',
  }),
]

export const prefixRules: readonly PrefixRule[] = [
  ...looking,
  ...git,
  ...javascript,
  ...python,
  ...compiled,
  ...containers,
]
