const wordsOf = (text: string) => new Set(text.trim().split(/\s+/))
const phrasesOf = (text: string) => new Set(text.split('|').map((phrase) => phrase.trim().replace(/\s+/g, ' ')))

/** Programs that run what their arguments say, or undo what cannot be undone: no prefix of theirs is harmless. */
const never = wordsOf(`
  sh bash zsh dash ksh fish csh tcsh pwsh powershell cmd busybox sudo doas su pkexec runuser chroot unshare nsenter bwrap ssh
  scp rsync tmux screen script expect env xargs parallel find fd nice ionice nohup time timeout setsid stdbuf watch strace
  ltrace gdb entr flock eval exec source . command builtin alias trap enable hash set shopt bind complete export read cd
  pushd popd awk gawk mawk nawk sed vi vim nvim emacs ed less more man tclsh osascript tee install ln cp mv rm rmdir unlink
  shred dd mkfs truncate chmod chown chgrp kill killall pkill shutdown reboot crontab at systemctl curl wget nc ncat socat
  telnet ftp sftp
`)

/** Interpreters: only together with the file or mode that says what runs. */
const interpreters = wordsOf('python pypy node ruby perl php lua java rscript julia')
/** Modes of interpreters that run no code from the command line. */
const interpreterModes: Readonly<Record<string, readonly string[]>> = {
  node: ['--test', '--check', '--version', '-v'], python: ['--version', '-V'], java: ['--version'],
}
/** Python modules that take code or another program as their argument. */
const runningModules = wordsOf('timeit pdb cprofile profile trace runpy code asyncio doctest webbrowser')

/** Tools whose second word says what they do. */
const subcommands = wordsOf(`
  git npm pnpm yarn bun deno cargo rustup go dotnet gradle gradlew mvn mvnw make just task cmake ninja meson bazel pip pipx
  poetry uv pdm hatch tox conda bundle gem rake rails composer artisan mix swift flutter dart zig stack cabal docker podman
  kubectl helm terraform gh apt apt-get brew nx turbo lerna jj hg svn
`)
/** Two words that only together say what runs, so a third one belongs to them. */
const needThird = phrasesOf(`
  npm run | npm run-script | pnpm run | yarn run | bun run | deno task | deno run | go run | go tool | docker compose |
  podman compose | docker image | docker container | git stash | git remote | git worktree | gh pr | gh issue | gh repo | uv
  pip
`)
/** Runners: what follows is a command of its own. */
const runners = phrasesOf(`
  npx | bunx | uvx | npm exec | pnpm exec | pnpm dlx | yarn exec | yarn dlx | bundle exec | poetry run | pdm run | pipenv run
  | uv run | hatch run | conda run
`)
/** Pairs that run anything, or change what other commands mean. */
const neverPairs = phrasesOf(`
  docker run | docker exec | podman run | podman exec | kubectl exec | kubectl run | docker compose run | docker compose exec
  | git config | git alias | git filter-branch | git bisect | git rebase | npm config | npm explore | pnpm config | yarn
  config | gh api | gh alias | gh extension | deno eval | deno repl | cargo config | uv tool | git submodule
`)

/** Options with which an otherwise ordinary tool starts another program, loads code, or writes where it is told. */
const longEscapes = [...wordsOf(`
  exec execdir toolexec pre eval ext-diff textconv upload-pack receive-pack exec-path open-files-in-pager to-command
  use-compress-program compress-program checkpoint-action rsh script-shell node-options hostname-bin output config config-env
  init-script require import loader plugin git-dir work-tree makefile file info-script new-volume-script
`)]
const shortEscapes: Readonly<Record<string, RegExp>> = {
  git: /^-O/, make: /^-[fIC]/, go: /^-(?:exec|toolexec|vettool)/, mvn: /^-[fs]/, gradle: /^-[Ibcp]/, gradlew: /^-[Ibcp]/,
  node: /^-[rpe]/, pytest: /^-[cp]/, sort: /^-[a-zA-Z]*o/, tar: /^-?[a-zA-Z]*[IF]/, base64: /^-o/, zip: /^-T/,
}

function isEscape(name: string, argument: string): boolean {
  // NAME=value arguments of make and its like replace the programs a build runs.
  if (/^[A-Z_]+\+?=/.test(argument)) return true
  const long = /^--([\w-]+)/.exec(argument)?.[1]
  // GNU programs and git take any unambiguous beginning of an option for the option.
  if (long !== undefined) return longEscapes.some((option) => option === long || (long.length > 1 && option.startsWith(long)))
  return shortEscapes[name]?.test(argument) ?? false
}

/**
 * The words of a command that "always allow" may cover: the program and its sub-command words. Undefined where such a
 * prefix would allow anything (interpreters, shells, wrappers) or something irreversible.
 */
export function proposePrefix(words: readonly string[]): string[] | undefined {
  const [program] = words
  if (program === undefined || program === '' || program.startsWith('-')) return undefined
  const name = baseName(program)
  if (never.has(name) || /^(?:mkfs|lua\d|perl\d|ruby\d)/.test(name)) return undefined
  const interpreter = name.replace(/[\d.]+$/, '')
  if (interpreters.has(interpreter)) return interpreterPrefix(interpreter, words)
  const runnerLength = runners.has(name) ? 1 : runners.has(`${name} ${words[1] ?? ''}`) ? 2 : 0
  if (runnerLength === 0) return toolPrefix(name, words)
  const inner = proposePrefix(words.slice(runnerLength))
  return inner && [...words.slice(0, runnerLength), ...inner]
}

function baseName(program: string): string {
  return (program.split(/[\\/]/).at(-1) ?? '').toLowerCase().replace(/\.(?:exe|cmd|bat)$/, '')
}

function interpreterPrefix(interpreter: string, words: readonly string[]): string[] | undefined {
  const [program = '', first = '', second = ''] = words
  if (interpreter === 'python' && first === '-m') {
    return isSubcommand(second) && !runningModules.has(second.toLowerCase()) ? [program, first, second] : undefined
  }
  if (first === '-jar') return second === '' ? undefined : [program, first, second]
  if (interpreterModes[interpreter]?.includes(first)) return [program, first]
  return first !== '' && !first.startsWith('-') ? [program, first] : undefined
}

function toolPrefix(name: string, words: readonly string[]): string[] | undefined {
  if (!subcommands.has(name)) return words.slice(0, 1)
  const pair = `${name} ${words[1] ?? ''}`
  if (!isSubcommand(words[1]) || neverPairs.has(pair)) return undefined
  if (!needThird.has(pair)) return words.slice(0, 2)
  if (words[2] === undefined || words[2].startsWith('-') || neverPairs.has(`${pair} ${words[2]}`)) return undefined
  return words.slice(0, 3)
}

function isSubcommand(word: string | undefined): boolean {
  return word !== undefined && /^[\w][\w.:/-]*$/.test(word)
}

/**
 * Whether a command may run under a granted prefix: it starts with the same words, and no argument after them makes the
 * program start another one.
 */
export function startsWith(words: readonly string[], prefix: readonly string[]): boolean {
  if (prefix.length === 0 || !prefix.every((word, index) => words[index] === word)) return false
  const name = baseName(prefix[0] ?? '')
  return !words.slice(prefix.length).some((argument) => isEscape(name, argument))
}
