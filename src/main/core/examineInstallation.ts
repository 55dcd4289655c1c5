import { readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { toFailure } from '../../shared/errors.ts'
import type { SandboxState } from '../../shared/commands/sandbox.ts'
import type { DebuggerStatus } from '../../shared/debug/debug.ts'
import type { LanguageServerStatus } from '../../shared/language/languageServers.ts'
import type { ModelCheck } from '../../shared/models/firstSteps.ts'
import { firstUsableModel, noModelReason } from '../../shared/models/firstUsableModel.ts'
import type { PluginInfo } from '../../shared/plugins/plugins.ts'
import { serverGuides } from '../../shared/models/serverGuides.ts'
import type { EndpointStatus } from '../../shared/settings/settings.ts'
import type { JupyterState } from '../../shared/notebook/kernels.ts'
import { plural } from '../../shared/text/plural.ts'
import { findChromium } from '../base/findChromium.ts'
import { findProgramByName, searchPathOf } from '../base/programSearch.ts'
import { installCommandOf } from '../base/systemPackage.ts'
import { runProgram } from '../base/startProcess.ts'
import { findPrograms } from '../lsp/findProgram.ts'
import { installedServersFolder } from '../lsp/install/serverInstaller.ts'
import { serverTable } from '../lsp/serverTable.ts'
import { mayRunBrowser } from '../preview/browserProcess.ts'
import type { Core } from './coreContract.ts'

/** `ok`: found and usable. `missing`: optional and not there. `wrong`: something that Tizona needs does not work. */
export interface Finding {
  group: 'Program' | 'Model servers' | 'Plug-ins' | 'Debuggers' | 'Notebooks' | 'Language servers'
  name: string
  state: 'ok' | 'missing' | 'wrong'
  detail: string
  /** The command or step that mends it. */
  fix?: string
}

/** Milliseconds that a program may take to print its version. */
const timeLimit = 10_000
/** A turn with tools and one file fits in no smaller context. */
const smallestContext = 4096

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
  const [program, servers, plugins, debuggers, jupyter, languages] = await Promise.all([
    programFindings(installation, await sandboxState(core, signal)),
    modelFindings(core, askModels, signal),
    core.handlers['plugins.list']({}, signal),
    core.handlers['debug.debuggers']({}, signal),
    core.handlers['notebook.find']({}, signal),
    core.handlers['language.state']({}, signal),
  ])
  return [
    ...program,
    ...servers,
    ...plugins.filter(({ enabled }) => enabled).map(pluginFinding),
    ...debuggers.map(debuggerFinding),
    jupyterFinding(jupyter),
    ...(await Promise.all(languages.servers.map((server) => languageFinding(server, { workspace: root, userData })))),
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
    { name: 'Node.js', state: 'ok', detail: process.versions.node },
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
      return { name, state: 'wrong', detail: 'Its check did not finish.' }
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

/** Lists the servers that run or are in the settings. @param ask whether each gets one question that needs a tool */
async function modelFindings(core: Core, ask: boolean, signal: AbortSignal): Promise<Finding[]> {
  const statuses = (await core.handlers['endpoints.list']({ probe: true }, signal)).filter(
    ({ endpoint }) => endpoint.kind !== 'tour',
  )
  const findings: Finding[] = []
  for (const status of statuses) findings.push(await serverFinding(core, status, ask, signal))
  if (firstUsableModel(statuses) === undefined)
    findings.push({ group: 'Model servers', name: 'Model', state: 'wrong', ...noModelAdvice(statuses) })
  return findings
}

/** Explains why there is no model. A server from the settings that is stopped has to be started, not replaced. */
function noModelAdvice(statuses: readonly EndpointStatus[]): Pick<Finding, 'detail' | 'fix'> {
  const { message, next } = noModelReason(statuses)
  const [stopped] = statuses
  if (stopped === undefined)
    return {
      detail: message,
      fix: `${ollamaCommands(process.platform)} Other servers: "First steps" in the Help menu.`,
    }
  if (statuses.some(({ reachable }) => reachable)) return { detail: message, fix: next }
  return {
    detail: `${stopped.endpoint.name} does not respond.`,
    fix: 'Start it, or correct its address in the settings.',
  }
}

async function serverFinding(
  { handlers }: Core,
  status: EndpointStatus,
  ask: boolean,
  signal: AbortSignal,
): Promise<Finding> {
  const { endpoint, reachable, models, problem } = status
  const base = { group: 'Model servers' as const, name: endpoint.name }
  if (!reachable || problem !== undefined)
    return { ...base, state: 'wrong', detail: problem ?? `There is no response from ${endpoint.baseUrl}.` }
  const choice = firstUsableModel([status])
  const model = models.find(({ id }) => id === choice?.model)
  if (model === undefined) {
    const { message, next } = noModelReason([status])
    return { ...base, state: 'wrong', detail: message, fix: next }
  }
  const window = model.loadedWindow ?? model.contextWindow
  const facts = [
    endpoint.baseUrl,
    plural(models.length, 'model'),
    ...(window === undefined ? [] : [`${model.id} has a context of ${plural(window, 'token')}`]),
  ].join(', ')
  if (window !== undefined && window < smallestContext)
    return {
      ...base,
      state: 'wrong',
      detail: `${facts}. That is too small for a turn with tools.`,
      fix: `Start the server with a context of at least ${plural(smallestContext * 2, 'token')}.`,
    }
  if (!ask) return { ...base, state: 'ok', detail: `${facts}.` }
  try {
    const check = await handlers['models.check']({ endpointId: endpoint.id, model: model.id }, signal)
    return { ...base, ...checkResult(check.calls, model.id), detail: `${facts}. ${callTexts[check.calls]}` }
  } catch (error) {
    signal.throwIfAborted()
    const { message, next } = toFailure(error)
    return { ...base, state: 'wrong', detail: message, fix: next }
  }
}

const callTexts: Readonly<Record<ModelCheck['calls'], string>> = {
  native: 'The model calls tools through the API.',
  text: 'The server leaves tools out, or the model writes calls as text. Tizona reads them from the text.',
  guided: 'The model is too small to call tools. Tizona asks it step by step, which is enough for small changes.',
  cut: 'The answer was cut before the model called a tool, because it thinks for long or its context is full.',
  none: 'The model was asked to call a tool, and did not.',
}

const checkResult = (calls: ModelCheck['calls'], model: string): Pick<Finding, 'state' | 'fix'> =>
  calls === 'none'
    ? { state: 'wrong', fix: `Try another model than ${model}, or see "tizona check-model".` }
    : calls === 'cut'
      ? {
          state: 'wrong',
          fix: 'Run "tizona check-model", which gives the model tasks, or choose one that thinks less.',
        }
      : { state: 'ok' }

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
    ? { ...base, state: 'wrong', detail: `An MCP server needs ${lost.join(', ')}, which is not on PATH.` }
    : { ...base, state: 'ok', detail: contents.version === '' ? 'It is trusted.' : `${contents.version}, trusted` }
}

/** The quickest way to a model. Ollama's installer starts it, except that of Homebrew. */
function ollamaCommands(platform: string): string {
  const pull = 'run "ollama pull qwen3:8b"'
  if (findProgramByName('ollama', searchPathOf(process.env)) !== undefined)
    return `Start Ollama with "ollama serve", and ${pull}.`
  const [ollama] = serverGuides(platform)
  const install = ollama && 'command' in ollama.install ? ollama.install.command : ''
  return platform === 'darwin'
    ? `Install Ollama with "${install}", start it with "ollama serve", and ${pull}.`
    : `Install Ollama with "${install}", which also starts it, and ${pull}.`
}

function debuggerFinding({ title, languages, missing, version }: DebuggerStatus): Finding {
  const base = { group: 'Debuggers' as const, name: `${title} (${languages.join(', ')})` }
  return missing === undefined
    ? { ...base, state: 'ok', detail: version ?? 'It was found.' }
    : {
        ...base,
        state: 'missing',
        detail: missing.reason,
        ...(missing.installCommand !== undefined && { fix: missing.installCommand }),
      }
}

function jupyterFinding(jupyter: JupyterState): Finding {
  const base = { group: 'Notebooks' as const, name: 'Jupyter with ipykernel (Python)' }
  if ('python' in jupyter) return { ...base, state: 'ok', detail: `${jupyter.version}, ${jupyter.python}` }
  const { reason, installCommand: fix } = jupyter
  return { ...base, state: 'missing', detail: reason, ...(fix !== undefined && { fix }) }
}

/** @param workspace the open folder, whose programs are looked for only if it is trusted */
async function languageFinding(
  { id, title, languages, state, detail, installable }: LanguageServerStatus,
  { workspace, userData }: { workspace: string; userData: string },
): Promise<Finding> {
  const base = { group: 'Language servers' as const, name: `${title} (${languages.join(', ')})` }
  if (state === 'failed' || state === 'restarting') return { ...base, state: 'wrong', detail }
  if (state === 'off' || state === 'blocked')
    return { ...base, state: 'missing', detail: detail || 'It is turned off.' }
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
