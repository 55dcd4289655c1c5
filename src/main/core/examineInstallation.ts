import { readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { SandboxState } from '../../shared/commands/sandbox.ts'
import type { DebuggerStatus } from '../../shared/debug/debug.ts'
import type { LanguageServerStatus } from '../../shared/language/languageServers.ts'
import type { PluginInfo } from '../../shared/plugins/plugins.ts'
import type { JupyterState } from '../../shared/notebook/kernels.ts'
import { findChromium } from '../base/findChromium.ts'
import { quoteWord } from '../base/quoteWord.ts'
import { findProgramByName, searchPathOf } from '../base/programSearch.ts'
import { installCommandOf } from '../base/systemPackage.ts'
import { runProgram } from '../base/startProcess.ts'
import { findPrograms } from '../lsp/findProgram.ts'
import { installedServersFolder } from '../lsp/install/serverInstaller.ts'
import { serverTable } from '../lsp/serverTable.ts'
import { mayRunBrowser } from '../preview/browserProcess.ts'
import type { Core } from './coreContract.ts'
import { modelServerFindings } from './examineModelServers.ts'
import type { Finding } from './finding.ts'

/** Milliseconds that a program may take to print its version. */
const timeLimit = 10_000
/** The version of Node.js that `npm ci` installs, with which Tizona is tested. */
const nodeVersion = 24

/** Where to look: the root of the open folder, the user data folder, and this installation. */
interface Places {
  root: string
  userData: string
  installation: { version: string; resources: string }
}

/**
 * Finds out what is there, missing or does not work on this machine and for the open folder.
 * @param askModels whether the best model of each server is asked to call a tool
 */
export async function examineInstallation(
  core: Core,
  { root, userData, installation }: Places,
  { askModels, signal }: { askModels: boolean; signal: AbortSignal },
): Promise<Finding[]> {
  const [program, servers, plugins, state] = await Promise.all([
    programFindings(installation, await sandboxState(core, signal)),
    modelServerFindings(core, askModels, signal),
    core.handlers['plugins.list']({}, signal),
    core.handlers['app.state']({}, signal),
  ])
  return [
    ...program,
    ...servers,
    ...plugins.filter(({ enabled }) => enabled).map(pluginFinding),
    ...(state.workspace?.restricted
      ? [restrictedFinding(root)]
      : await folderFindings(core, { workspace: root, userData }, signal)),
  ]
}

function restrictedFinding(root: string): Finding {
  return {
    group: 'Folder',
    name: root,
    state: 'missing',
    detail: 'It is not trusted, so neither debuggers, notebooks nor language servers were looked for.',
    fix: `tizona doctor --workspace ${quoteWord(root)} --trust`,
  }
}

/** Looks for the programs that the open folder may use. */
async function folderFindings(
  core: Core,
  places: { workspace: string; userData: string },
  signal: AbortSignal,
): Promise<Finding[]> {
  const [debuggers, jupyter, languages] = await Promise.all([
    core.handlers['debug.debuggers']({}, signal),
    core.handlers['notebook.find']({}, signal),
    core.handlers['language.state']({}, signal),
  ])
  return [
    ...debuggers.map(debuggerFinding),
    jupyterFinding(jupyter),
    ...(await Promise.all(languages.servers.map((server) => languageFinding(server, places)))),
  ]
}

/** Checks what Tizona itself runs on. */
async function programFindings(
  { version, resources }: Places['installation'],
  sandbox: SandboxState,
): Promise<Finding[]> {
  const browser = findChromium()
  const [gitVersion, electron] = await Promise.all([
    versionOf('git', ['--version']),
    electronRuntime(dirname(resources)),
  ])
  const findings: Omit<Finding, 'group'>[] = [
    { name: 'Tizona', state: 'ok', detail: version },
    nodeFinding(process.versions.node),
    electron
      ? { name: 'Electron', state: 'ok', detail: 'The desktop window can start.' }
      : {
          name: 'Electron',
          state: 'missing',
          detail: 'Its runtime is not installed. Tizona opens in a browser instead.',
          fix: `node ${join(dirname(resources), 'node_modules', 'electron', 'install.js')}`,
        },
    browserFinding(browser),
    gitVersion === undefined
      ? { name: 'git', state: 'missing', detail: 'It is not on PATH.', fix: installHint('git') }
      : { name: 'git', state: 'ok', detail: gitVersion.replace(/^git version /, '') },
    sandboxFinding(sandbox),
  ]
  return findings.map((finding) => ({ group: 'Program', ...finding }))
}

/** @param version of the Node.js that runs this */
export function nodeFinding(version: string): Omit<Finding, 'group'> {
  const name = 'Node.js'
  return Number.parseInt(version, 10) >= nodeVersion
    ? { name, state: 'ok', detail: version }
    : {
        name,
        state: 'wrong',
        detail: `${version}. Tizona needs Node.js ${nodeVersion} or newer.`,
        fix: `Run "npm ci" in the folder of Tizona, which installs Node.js ${nodeVersion} there, and start Tizona with "npm start" or "npx tizona".`,
      }
}

function browserFinding(browser: string | null): Omit<Finding, 'group'> {
  const name = 'Chromium'
  if (browser === null)
    return {
      name,
      state: 'missing',
      detail: 'Neither Chromium, Chrome nor Edge was found. The page preview needs one.',
      fix: installHint('chromium'),
    }
  return mayRunBrowser()
    ? { name, state: 'ok', detail: browser }
    : { name, state: 'missing', detail: `${browser} does not start as root.`, fix: 'Run Tizona as another user.' }
}

function sandboxFinding(sandbox: SandboxState): Omit<Finding, 'group'> {
  const name = 'Sandbox'
  switch (sandbox.kind) {
    case 'available':
      return { name, state: 'ok', detail: sandbox.program }
    case 'off':
      return {
        name,
        state: 'missing',
        detail: 'It is turned off in the settings, so commands can change anything that you can.',
        fix: 'Turn on "commandSandbox" in the settings.',
      }
    case 'checking':
      return { name, state: 'wrong', detail: 'Its check did not finish.', fix: 'Run "tizona doctor" again.' }
    case 'unavailable':
      return { name, state: 'missing', detail: sandbox.reason, ...(sandbox.hint !== '' && { fix: sandbox.hint }) }
  }
}

/** Planning a command checks the sandbox. */
async function sandboxState({ handlers }: Core, signal: AbortSignal): Promise<SandboxState> {
  await handlers['approvals.explain']({ command: 'true', mode: 'safe' }, signal)
  const { sandbox } = await handlers['app.state']({}, signal)
  return sandbox ?? { kind: 'off' }
}

function pluginFinding({ name, contents, state, changedFiles, source }: PluginInfo): Finding {
  const base = { group: 'Plug-ins' as const, name }
  if (state === 'changed')
    return {
      ...base,
      state: 'wrong',
      detail: `Its stored files have changed, so nothing of it is used: ${changedFiles.slice(0, 3).join(', ')}`,
      fix:
        source.kind === 'folder'
          ? `tizona plugins add "${source.path}"`
          : `Add ${source.name} again with "tizona plugins add FILE.zip", or run "tizona plugins remove ${name}".`,
    }
  if (state === 'untrusted')
    return {
      ...base,
      state: 'missing',
      detail: 'You have not trusted it, so nothing of it is used.',
      fix: `tizona plugins trust ${name}`,
    }
  const lost = contents.servers.flatMap(({ definition }) =>
    definition.type === 'stdio' &&
    !/[\\/$]/.test(definition.command) &&
    findProgramByName(definition.command, searchPathOf(process.env)) === undefined
      ? [definition.command]
      : [],
  )
  return lost.length > 0
    ? {
        ...base,
        state: 'wrong',
        detail: `An MCP server needs ${lost.join(', ')}, which is not on PATH.`,
        fix: `Install ${lost.join(', ')}, or turn the plug-in off in the settings.`,
      }
    : { ...base, state: 'ok', detail: contents.version === '' ? 'It is trusted.' : `${contents.version}, trusted` }
}

function debuggerFinding({ title, languages, missing, version }: DebuggerStatus): Finding {
  const base = { group: 'Debuggers' as const, name: `${title} (${languages.join(', ')})` }
  return missing === undefined
    ? { ...base, state: 'ok', detail: version ?? 'It was found.' }
    : {
        ...base,
        state: 'missing',
        detail: missing.reason,
        ...fixOf(missing.installCommand ?? missing.fix),
      }
}

function jupyterFinding(jupyter: JupyterState): Finding {
  const base = { group: 'Notebooks' as const, name: 'Jupyter with ipykernel (Python)' }
  if ('python' in jupyter) return { ...base, state: 'ok', detail: `${jupyter.version}, ${jupyter.python}` }
  return { ...base, state: 'missing', detail: jupyter.reason, ...fixOf(jupyter.installCommand) }
}

const fixOf = (fix: string | undefined): Pick<Finding, 'fix'> => (fix === undefined ? {} : { fix })

/** @param workspace the open folder, whose programs are looked for only if it is trusted */
async function languageFinding(
  { id, title, languages, state, detail, installable }: LanguageServerStatus,
  { workspace, userData }: { workspace: string; userData: string },
): Promise<Finding> {
  const base = { group: 'Language servers' as const, name: `${title} (${languages.join(', ')})` }
  if (state === 'failed' || state === 'restarting')
    return { ...base, state: 'wrong', detail, fix: 'Restart it in the settings, under "Language servers".' }
  if (state === 'blocked') return { ...base, state: 'missing', detail }
  if (state === 'off')
    return {
      ...base,
      state: 'missing',
      detail: detail || 'It is turned off.',
      fix: 'Turn it on in the settings, under "Language servers".',
    }
  const definition = serverTable.find((server) => server.id === id)
  const [program] =
    definition === undefined
      ? []
      : await findPrograms(definition, {
          workspace,
          installed: installedServersFolder(userData),
          searchPath: process.env['PATH'] ?? '',
        })
  if (program !== undefined) return { ...base, state: 'ok', detail: program.description }
  return {
    ...base,
    state: 'missing',
    detail: 'It is not installed.',
    fix: installable
      ? 'Install it in the settings, under "Language servers".'
      : (installCommandOf(definition?.installCommand ?? '') ??
        'Install it with your package manager, so that it is on PATH.'),
  }
}

/** @returns the first line that a program prints; undefined if it cannot be run */
async function versionOf(program: string, args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await runProgram(program, args, { timeout: timeLimit })
    return stdout.split('\n')[0]?.trim()
  } catch {
    return undefined // not installed, or broken
  }
}

/** Whether Electron's runtime is there. Its package alone is a few files that download it. */
async function electronRuntime(root: string): Promise<boolean> {
  if (process.versions['electron'] !== undefined) return true
  const folder = join(root, 'node_modules', 'electron')
  try {
    const executable = await readFile(join(folder, 'path.txt'), 'utf8')
    return (await stat(join(folder, 'dist', executable))).isFile()
  } catch {
    return false // not downloaded
  }
}

const toolPackages = {
  git: { apt: 'git', dnf: 'git', pacman: 'git', brew: 'git', winget: 'Git.Git' },
  chromium: { apt: 'chromium', dnf: 'chromium', pacman: 'chromium', brew: '--cask chromium', winget: 'Google.Chrome' },
}

const installHint = (name: keyof typeof toolPackages): string =>
  installCommandOf(toolPackages[name]) ?? `Install ${name} with your package manager.`
