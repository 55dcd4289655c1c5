import { folderPaths, type WorkspaceRoots } from '../base/workspaceRoots.ts'
import path from 'node:path'
import { unsandboxedReason, type CommandSandbox } from '../../shared/commands/sandbox.ts'
import { Delayer } from '../../shared/async/delayer.ts'
import { ToolError, toFailure } from '../../shared/errors.ts'
import type {
  CellProgress,
  CellResult,
  JupyterState,
  KernelChoice,
  KernelChoices,
  NotebookKernel,
} from '../../shared/notebook/kernels.ts'
import type { RunOutputs } from '../../shared/notebook/outputs.ts'
import { findPythons, probeProgram } from '../base/pythonSearch.ts'
import type { StartPipedProgram } from '../command/commandTypes.ts'
import { startJupyter, withoutFolder, type JupyterServer } from './jupyterServer.ts'
import { connectKernel, type KernelSession, type RunRequest } from './kernelSession.ts'

export interface NotebookKernelDeps {
  workspace: WorkspaceRoots
  searchPath: string
  startProgram: StartPipedProgram
  /** Returns how a program would run now. */
  sandbox(): Promise<CommandSandbox>
  isTrusted(): boolean
  onChanged(kernels: NotebookKernel[]): void
  onOutput(progress: CellProgress): void
  onNotice(message: string): void
}

/** The kernels of the notebooks of a folder. One Jupyter server runs them all. */
export interface NotebookKernels {
  kernels(): NotebookKernel[]
  /** Returns how kernels run, or would run if none does. */
  sandbox(): Promise<CommandSandbox>
  /** Looks for a Python that has Jupyter, without starting it. */
  find(): Promise<JupyterState>
  /** Lists the kernels that Jupyter finds. @throws ToolError `refused` if the folder is not trusted */
  choices(): Promise<KernelChoices>
  /** Starts a kernel for a notebook, in place of the one that it has. @param name default: the first one */
  start(notebook: string, name: string | undefined): Promise<void>
  /**
   * Runs a cell. Starts a kernel if the notebook has none.
   * @throws ToolError `refused`, `not_found`, `server_error`
   */
  run(notebook: string, request: RunRequest & { name?: string | undefined }): Promise<CellResult>
  wait(notebook: string, key: string): Promise<CellResult> | null
  outputs(notebook: string, key: string): RunOutputs | null
  answer(notebook: string, key: string, text: string): void
  /** Interrupts the cell that runs. Stops a kernel that still starts. */
  interrupt(notebook: string): Promise<void>
  restart(notebook: string): Promise<void>
  /** Ends the kernel of a notebook, also one that still starts. */
  stop(notebook: string): Promise<void>
  /** Ends all kernels and Jupyter. */
  dispose(): Promise<void>
}

const installCommand = 'python3 -m pip install jupyter-server ipykernel'
/** Milliseconds in which changes are sent as one. */
const stateDelay = 20
const maxKernels = 20

interface RunningKernel {
  kernel: KernelChoice
  session: KernelSession | undefined
  started: Promise<KernelSession>
}

/** Creates the kernels of a folder. Starts nothing. */
// oxlint-disable-next-line eslint/max-lines-per-function -- The server and its kernels share their state.
export function createNotebookKernels(deps: NotebookKernelDeps): NotebookKernels {
  const running = new Map<string, RunningKernel>()
  let starting: Promise<JupyterServer> | undefined
  /** The Python with Jupyter, and the candidates among which it was found. */
  let lastFound: { state: JupyterState; candidates: string } | undefined
  /** How the last server was started. */
  let startedIn: CommandSandbox = { sandboxed: true, network: false }
  const ending = new AbortController()
  const changes = new Delayer(() => deps.onChanged(kernels()), stateDelay)

  const kernels = (): NotebookKernel[] =>
    Array.from(running, ([notebook, { kernel, session }]) => ({
      path: notebook,
      kernel,
      status: session?.status() ?? 'starting',
      executions: session?.executions() ?? [],
      ...(!startedIn.sandboxed && { unsandboxed: startedIn.reason }),
    }))

  async function find(): Promise<JupyterState> {
    if (!deps.isTrusted()) return { reason: 'This folder is not trusted.' }
    const refused = await checkSandbox().then(() => undefined, toFailure)
    if (refused) return { reason: refused.message }
    if (process.platform === 'win32')
      return { reason: 'Notebooks cannot be run on Windows yet, because Jupyter has no Unix sockets there.' }
    const candidates = await findPythons(folderPaths(deps.workspace), deps.searchPath)
    const known = candidates.join('\n')
    if (lastFound?.candidates === known) return lastFound.state
    const code = `${withoutFolder}import jupyter_server, ipykernel; print(jupyter_server.__version__, ipykernel.__version__)`
    for (const file of candidates) {
      const request = {
        program: file,
        args: ['-c', code],
        cwd: folderPaths(deps.workspace)[0] ?? deps.workspace.root,
        access: 'sandbox',
      } as const
      const { code: exitCode, text } = await probeProgram(await deps.startProgram(request, ending.signal))
      if (exitCode === 0 && text !== '') {
        lastFound = { state: { python: file, version: text }, candidates: known }
        return lastFound.state
      }
    }
    return {
      reason:
        candidates.length === 0
          ? 'Python is not on PATH.'
          : 'No Python of this folder or on PATH has jupyter-server and ipykernel.',
      ...(candidates.length > 0 && { installCommand }),
    }
  }

  /** Runs code outside the sandbox only if the user turned the sandbox off. */
  async function checkSandbox(): Promise<CommandSandbox> {
    const how = await deps.sandbox()
    if (how.sandboxed || how.reason === unsandboxedReason({ kind: 'off' })) return how
    throw new ToolError(
      'refused',
      `Notebooks run only in the sandbox, which is not available: ${how.reason}.`,
      'Settings, under Commands, explains how to enable it, and can turn it off.',
    )
  }

  /** A server from the time without a sandbox runs nothing once there is one. */
  async function checkServer(): Promise<void> {
    const how = await checkSandbox()
    if (starting === undefined || startedIn.sandboxed || !how.sandboxed) return
    if (running.size > 0)
      throw new ToolError(
        'refused',
        'The kernels were started without the sandbox, which is on now.',
        'Stop all kernels, then run the cell again.',
      )
    const old = starting
    starting = undefined
    await (await old).end()
  }

  function checkTrust(): void {
    if (!deps.isTrusted())
      throw new ToolError('refused', 'This folder is restricted, so it runs no notebooks.', 'Trust the folder first.')
  }

  async function startServer(signal: AbortSignal): Promise<JupyterServer> {
    startedIn = await checkSandbox()
    const found = await find()
    if ('reason' in found)
      throw new ToolError(
        'not_found',
        `There is no Jupyter to run notebooks: ${found.reason}`,
        found.installCommand === undefined ? 'Install Python first.' : `Install it with: ${found.installCommand}`,
      )
    const { startProgram } = deps
    // Kernels start in the folder of their notebook, whose path is relative to this folder.
    const { root } = deps.workspace
    const server = await startJupyter({ python: found.python, root, startProgram }, signal)
    if (startedIn.sandboxed && !server.sandbox.sandboxed) {
      await server.end()
      throw new ToolError('refused', `Jupyter did not start in the sandbox: ${server.sandbox.reason}.`, 'Run it again.')
    }
    void server.exited.then((reason) => {
      starting = undefined
      if (running.size > 0 && !ending.signal.aborted) deps.onNotice(`Jupyter has ended (${reason}).`)
    })
    return server
  }

  function server(): Promise<JupyterServer> {
    checkTrust()
    if (ending.signal.aborted) throw new ToolError('io_error', 'The folder was closed.', 'Open it again.')
    starting ??= startServer(ending.signal).catch((error: unknown) => {
      starting = undefined
      throw error
    })
    return starting
  }

  async function listChoices(): Promise<KernelChoice[]> {
    const specs = await (await server()).request('GET', '/api/kernelspecs')
    return readChoices(specs)
  }

  async function launch(notebook: string, name: string | undefined): Promise<RunningKernel> {
    const choices = await listChoices()
    const kernel = chosenKernel(choices, name)
    const entry: RunningKernel = { kernel, session: undefined, started: startKernel() }
    async function startKernel(): Promise<KernelSession> {
      const jupyter = await server()
      const folder = path.posix.dirname(notebook)
      const created = await jupyter.request('POST', '/api/kernels', {
        name: kernel.name,
        ...(folder !== '.' && { path: folder }),
      })
      const id = typeof created === 'object' && created !== null && 'id' in created ? created.id : undefined
      if (typeof id !== 'string' || !/^[\w-]+$/.test(id))
        throw new ToolError('server_error', 'Jupyter started no kernel.', 'Run the cell again.')
      const session = await connectKernel(jupyter, id, {
        onChanged: () => changes.start(),
        onOutput: (key, messages) => deps.onOutput({ path: notebook, key, messages }),
        onEnded: (reason) => {
          if (running.get(notebook) === entry) running.delete(notebook)
          changes.start()
          if (!ending.signal.aborted) deps.onNotice(`${path.posix.basename(notebook)}: ${reason}`)
        },
      })
      entry.session = session
      changes.start()
      return session
    }
    return entry
  }

  /** Kernels that start. */
  const launching = new Map<string, { session: Promise<KernelSession>; abort(): void }>()

  function sessionOf(notebook: string, name: string | undefined): Promise<KernelSession> {
    checkTrust()
    const known = launching.get(notebook)?.session ?? running.get(notebook)?.started
    if (known) return startedIn.sandboxed ? known : checkServer().then(() => known)
    const others = [...running.keys()].filter((each) => !launching.has(each))
    if (others.length + launching.size >= maxKernels)
      throw new ToolError('too_large', `${maxKernels} kernels are running.`, 'Stop one of them with "Stop the kernel".')
    return launchOnce(notebook, name)
  }

  /** One promise for all, so that cells run in the order in which they were sent. */
  function launchOnce(notebook: string, name: string | undefined): Promise<KernelSession> {
    const aborted = Promise.withResolvers<never>()
    const launched = launchEntry()
    const start = {
      session: Promise.race([launched, aborted.promise]).finally(forget),
      abort() {
        forget()
        running.delete(notebook)
        changes.start()
        aborted.reject(new ToolError('conflict', 'The start of the kernel was stopped.', 'Run the cell again.'))
        // What has started by then ends. A start that failed has nothing to end.
        launched.then((each) => each.stop()).catch(() => undefined)
      },
    }
    launching.set(notebook, start)
    function forget(): void {
      if (launching.get(notebook) === start) launching.delete(notebook)
    }
    async function launchEntry(): Promise<KernelSession> {
      await checkServer()
      const entry = await launch(notebook, name)
      if (launching.get(notebook) === start) running.set(notebook, entry)
      changes.start()
      try {
        return await entry.started
      } catch (error) {
        if (running.get(notebook) === entry) running.delete(notebook)
        changes.start()
        throw error
      }
    }
    return start.session
  }

  function session(notebook: string): KernelSession {
    const found = running.get(notebook)?.session
    if (found === undefined)
      throw new ToolError('not_found', `${notebook} has no running kernel.`, 'Run one of its cells first.')
    return found
  }

  async function stop(notebook: string): Promise<void> {
    const start = launching.get(notebook)
    if (start) return start.abort()
    const entry = running.get(notebook)
    if (entry === undefined) return
    running.delete(notebook)
    changes.start()
    // A kernel that failed to start has nothing to stop.
    await entry.started.then((each) => each.stop()).catch(() => undefined)
  }

  return {
    kernels,
    sandbox: async () => (starting === undefined ? deps.sandbox() : startedIn),
    find,
    async choices() {
      checkTrust()
      const found = await find()
      return 'reason' in found
        ? { kernels: [], missing: found }
        : { kernels: await listChoices(), python: found.python }
    },
    async start(notebook, name) {
      await stop(notebook)
      await sessionOf(notebook, name)
    },
    async run(notebook, { name, ...request }) {
      return (await sessionOf(notebook, name)).run(request)
    },
    wait: (notebook, key) => running.get(notebook)?.session?.running(key) ?? null,
    outputs: (notebook, key) => running.get(notebook)?.session?.outputs(key) ?? null,
    answer: (notebook, key, text) => session(notebook).answer(key, text),
    interrupt: (notebook) => (launching.has(notebook) ? stop(notebook) : session(notebook).interrupt()),
    restart: (notebook) => session(notebook).restart(),
    stop,
    async dispose() {
      ending.abort()
      changes.cancel()
      const jupyter = await starting?.catch(() => undefined)
      // Kernels end with the server, whose processes end together.
      const ended = [...running.values()].flatMap(({ session: each }) => (each ? [each.stop()] : []))
      running.clear()
      await jupyter?.end()
      await Promise.all(ended)
    },
  }
}

/** @throws ToolError `not_found` if there is none of this name. Another one would run the code as another language */
function chosenKernel(choices: readonly KernelChoice[], name: string | undefined): KernelChoice {
  const kernel =
    name === undefined
      ? (choices.find((choice) => choice.name === 'python3') ?? choices[0])
      : choices.find((choice) => choice.name === name)
  if (kernel) return kernel
  if (name === undefined || choices.length === 0)
    throw new ToolError('not_found', 'Jupyter has no kernel.', `Install one with: ${installCommand}`)
  throw new ToolError(
    'not_found',
    `Jupyter does not have the kernel "${name}" that the notebook asks for.`,
    'Install it, or choose another one with "Select the kernel…".',
  )
}

/** Reads the list of kernel specifications. */
function readChoices(value: unknown): KernelChoice[] {
  const specs = typeof value === 'object' && value !== null && 'kernelspecs' in value ? value.kernelspecs : undefined
  if (typeof specs !== 'object' || specs === null) return []
  return Object.entries(specs as Record<string, { spec?: Record<string, unknown> } | null>).map(([name, entry]) => {
    const { display_name: title, language } = entry?.spec ?? {}
    return {
      name,
      title: typeof title === 'string' ? title : name,
      language: typeof language === 'string' ? language : '',
    }
  })
}
