/** Commands that are useless without network. `sub`: alternatives for the first words that are not options. */
interface NetworkCommand {
  program: string
  sub?: string
}

/**
 * Commands that get network in the sandbox; their card shows it. Any other command runs without network and can be run
 * again with it. Lists only commands that always need it, and servers, which the user wants to open.
 */
const networkCommands: readonly NetworkCommand[] = [
  {
    program: 'npm',
    sub: 'install|i|ci|add|update|upgrade|outdated|audit|view|info|search|publish|create|init|exec|login|ping|pack',
  },
  // Without these they run a program installed in the folder.
  { program: 'npx', sub: '-y|--yes|-p|--package|create-*|*@*' },
  { program: 'pnpm', sub: 'install|i|add|update|up|dlx|create|outdated|audit|fetch|import' },
  { program: 'pnpx' },
  { program: 'yarn', sub: 'install|add|upgrade|up|dlx|create|outdated|audit|npm' },
  { program: 'bun', sub: 'install|i|add|update|create|x' },
  { program: 'bunx', sub: '-p|--package|create-*|*@*' },
  { program: 'deno', sub: 'install|add|cache|upgrade' },
  { program: 'corepack' },
  { program: 'pip*', sub: 'install|download|wheel|index|search' },
  { program: 'pipx', sub: 'install|run|upgrade|inject' },
  { program: 'python*', sub: '-m pip install|-m pip download|-m http.server' },
  { program: 'uv', sub: 'add|sync|lock|pip install|pip sync|tool install|tool run|python install' },
  { program: 'uvx' },
  { program: 'poetry', sub: 'add|install|lock|update|publish' },
  { program: 'pdm', sub: 'add|install|lock|update|sync' },
  { program: 'pipenv', sub: 'install|lock|sync|update' },
  { program: 'conda', sub: 'install|create|update|search' },
  { program: 'mamba', sub: 'install|create|update|search' },
  { program: 'cargo', sub: 'add|fetch|install|update|search|publish|generate-lockfile' },
  { program: 'rustup' },
  { program: 'go', sub: 'get|install|mod download|mod tidy' },
  { program: 'gem', sub: 'install|update|fetch' },
  { program: 'bundle', sub: 'install|update|add|outdated' },
  { program: 'composer', sub: 'install|update|require|create-project' },
  { program: 'dotnet', sub: 'restore|add|tool install|nuget' },
  { program: 'mix', sub: 'deps.get|local.hex' },
  { program: 'git', sub: 'clone|fetch|pull|push|ls-remote|submodule update|submodule add|remote update' },
  { program: 'gh' },
  { program: 'glab' },
  { program: 'curl' },
  { program: 'wget' },
  { program: 'http' },
  { program: 'https' },
  { program: 'xh' },
  { program: 'ssh' },
  { program: 'scp' },
  { program: 'sftp' },
  { program: 'ping' },
  { program: 'dig' },
  { program: 'nslookup' },
  { program: 'host' },
  { program: 'nc' },
  { program: 'ncat' },
  { program: 'telnet' },
  // Servers
  { program: 'npm', sub: 'start|run dev|run start|run serve|run preview' },
  { program: 'pnpm', sub: 'start|dev|run dev|serve|preview' },
  { program: 'yarn', sub: 'start|dev|run dev|serve|preview' },
  { program: 'bun', sub: 'run dev|dev|start|run start' },
  { program: 'vite', sub: 'dev|serve|preview' },
  { program: 'next', sub: 'dev|start' },
  { program: 'flask', sub: 'run' },
  { program: 'uvicorn' },
  { program: 'gunicorn' },
  { program: 'rails', sub: 's|server' },
  { program: 'http-server' },
  { program: 'live-server' },
  { program: 'webpack-dev-server' },
]

/** Programs that run the command in their arguments. */
const runners = new Set(['env', 'time', 'timeout', 'nice', 'nohup', 'setsid', 'xargs', 'exec', 'command', 'stdbuf'])

/** Whether one of the commands of a line is known to need network. @param commands words of each command */
export function needsNetwork(commands: readonly (readonly string[])[]): boolean {
  return commands.some((words) => wordsNeedNetwork(words))
}

/** Maximum number of words compared. A longer command does not get network automatically. */
const maxWords = 200

function wordsNeedNetwork(all: readonly string[]): boolean {
  const words = all.slice(0, maxWords)
  if (!runners.has(programName(words[0]))) return startsWithNetworkCommand(words)
  // Where the inner command starts depends on the runner's options, so each word is tried.
  return words.some((_, index) => index > 0 && startsWithNetworkCommand(words.slice(index)))
}

function programName(word = ''): string {
  return word.replace(/^.*\//, '')
}

function startsWithNetworkCommand(words: readonly string[]): boolean {
  const name = programName(words[0])
  return networkCommands.some((known) => {
    const named = known.program.endsWith('*') ? isVersionOf(name, known.program.slice(0, -1)) : name === known.program
    return (
      named &&
      (known.sub === undefined || known.sub.split('|').some((sub) => startsWith(words.slice(1), sub.split(' '))))
    )
  })
}

/** `python3.12` for `python`. */
function isVersionOf(name: string, program: string): boolean {
  return name.startsWith(program) && /^[\d.]*$/.test(name.slice(program.length))
}

/** Whether words start with others, ignoring options that the others do not have: `npm --silent install`. */
function startsWith(words: readonly string[], wanted: readonly string[]): boolean {
  const counted = words.filter((word) => !word.startsWith('-') || wanted.includes(word))
  return wanted.every((word, index) => isLike(counted[index] ?? '', word))
}

/** Compares a word with another, with `prefix*`, or with `*@*` for a package with a version. */
function isLike(word: string, wanted: string): boolean {
  if (wanted === '*@*') return word.indexOf('@') > 0
  return wanted.endsWith('*') ? word.startsWith(wanted.slice(0, -1)) : word === wanted
}
