import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { CommandSandbox } from '../../shared/commands/sandbox.ts'
import { ToolError } from '../../shared/errors.ts'
import { terminalEnvironment } from './commandEnvironment.ts'
import { createCommandRunner, createTerminalPrograms } from './commandJob.ts'
import type { FilterOutcome, FilterRequest, StartConfinedProgram } from './commandTypes.ts'
import { createJobRecord, endOrphans } from './jobRecord.ts'
import { createJobTable } from './jobTable.ts'
import type { Jobs, JobsOptions } from './jobTypes.ts'
import { createPipedPrograms } from './pipedProgram.ts'
import { endTree, jobVariable } from './processTree.ts'
import { withShellMarks } from './shellMarks.ts'
import { commandLine, interactiveShell, terminalInvocation } from './shellProgram.ts'

/** Milliseconds of silence after which new output is returned; longer at a prompt, where a user may be typing. */
const settleMs = { running: 150, waiting: 1500 }

/**
 * Milliseconds before the sandbox is checked. Less than most models take to respond, but long enough not to slow down
 * the start.
 */
const prepareAfterMs = 400

/** For hosts without a sandbox. */
const noSandbox: CommandSandbox = { sandboxed: false, reason: 'no sandbox in this host' }

export function createJobs(options: JobsOptions): Jobs {
  const graceMs = options.graceMs ?? 2000
  const source = options.environment ?? process.env
  /** Prefix of every job tag, used to find processes left by commands. */
  const instance = randomBytes(8).toString('hex')
  const table = createJobTable({ ...options, graceMs, instance })
  const { find, start, handOver, adopt } = table
  const record = options.records === undefined ? undefined : createJobRecord(options.records, instance)
  let preparing: NodeJS.Timeout | undefined
  const problem = (error: unknown): void => options.onProblem?.(error)
  const orphans =
    options.records === undefined ? Promise.resolve(0) : endOrphans(options.records, graceMs).catch(problem)
  const plan: Jobs['plan'] = async (command, access) => options.sandbox?.plan(command, access) ?? noSandbox

  const processTracking: Jobs['processTracking'] = {
    variable: jobVariable,
    async begin() {
      await record?.open().catch(problem)
      return `${instance}.companion-${randomBytes(3).toString('hex')}`
    },
    started: (pid) => void record?.add(pid).catch(problem),
    end: async (root, jobTag) => void (await endTree({ root, jobTag }, { signal: 'SIGTERM', graceMs })),
  }

  const { startProgram, startConfined, unconfinedReason } = createPipedPrograms({
    plan,
    processes: processTracking,
    source,
    sandbox: options.sandbox,
    passedVariables: options.passedVariables,
  })

  const runner = {
    table,
    plan,
    source,
    sandbox: options.sandbox,
    passedVariables: options.passedVariables,
    beforeStart: async () => record?.open().catch(problem),
    started: (pid: number) => void record?.add(pid).catch(problem),
  }

  return {
    sandboxState: () => options.sandbox?.state() ?? { kind: 'off' },
    prepare: () => void (preparing ??= setTimeout(() => void options.sandbox?.check(), prepareAfterMs).unref()),
    plan,
    run: createCommandRunner(runner),
    startInTerminal: createTerminalPrograms(runner),

    async readOutput(id, { waitMs, conversationId, signal }) {
      const job = find(id, { conversationId })
      const waitedBefore = job.waiting
      const settled = () => job.text.hasUnread && job.quietMs >= (job.waiting ? settleMs.waiting : settleMs.running)
      await job.until(() => job.ended || (!waitedBefore && job.waiting) || settled(), waitMs, signal)
      const output = job.text.unread()
      const missing = job.text.missing('unread')
      job.text.markRead()
      return { job: job.info, output, missing }
    },

    async stop(id, only) {
      const job = find(id, only)
      await job.end('stop')
      return job.info
    },

    async openTerminal({ cwd = options.folders?.[0]?.path ?? options.workspaceRoot, ...size }) {
      const plain = terminalEnvironment(source)
      const own = await interactiveShell(plain)
      const { shell, environment, ...marks } = withShellMarks(own, plain, options.resources)
      return start({
        kind: 'terminal',
        command: commandLine(own.file, []),
        invocation: await terminalInvocation(shell, environment),
        cwd,
        environment,
        ...marks,
        ...size,
      }).info
    },

    input: (id, data) => find(id).write(data),
    resize: (id, columns, rows) => find(id).resize(columns, rows),
    rename: (id, name) => find(id).rename(name),
    backlog: (id) => find(id).readBacklog(),
    list: () => table.all().map((job) => job.info),

    filter: createTextFilter(startConfined),
    startProgram,
    startConfined,
    unconfinedReason,
    processTracking,

    async forget(id) {
      await find(id).end('stop')
      table.drop(id)
    },

    handOver,
    adopt,
    async dispose() {
      clearTimeout(preparing)
      table.close()
      await Promise.all(table.all().map((job) => job.end('shutdown')))
      const [left] = await Promise.all([endTree({ jobTag: instance }, { signal: 'SIGTERM', graceMs }), orphans])
      if (left.length === 0) await record?.close().catch(problem)
      await options.sandbox?.dispose()
      table.clear()
    },
  }
}

/** Maximum characters of standard output. */
const maxOutput = 64 * 1024 * 1024
/** Maximum characters kept of standard error. The end is kept, because it states the reason. */
const maxErrors = 16 * 1024

/** Implements `Jobs.filter`: like a command, but with pipes, because a terminal would alter the text. */
export function createTextFilter(start: StartConfinedProgram) {
  return async ({ input, timeoutMs, ...program }: FilterRequest, signal: AbortSignal): Promise<FilterOutcome> => {
    const { child, end, release } = await start(program, signal)
    try {
      const stop = (): void => void end()
      const limit = AbortSignal.timeout(timeoutMs)
      const either = AbortSignal.any([signal, limit])
      either.addEventListener('abort', stop, { once: true })
      try {
        const outcome = await readOutcome(child, input, stop)
        signal.throwIfAborted()
        if (limit.aborted)
          throw new ToolError('timeout', `It took longer than ${timeoutMs / 1000} seconds and was stopped.`)
        return outcome
      } finally {
        either.removeEventListener('abort', stop)
      }
    } finally {
      await release()
    }
  }
}

/** Writes the text to a program and collects its output. @param end ends the program */
async function readOutcome(
  child: ChildProcessWithoutNullStreams,
  input: string,
  end: () => void,
): Promise<FilterOutcome> {
  const chunks: string[] = []
  let length = 0
  let errors = ''
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (text: string) => {
    length += text.length
    if (length <= maxOutput) chunks.push(text)
    else end()
  })
  child.stderr.setEncoding('utf8')
  child.stderr.on('data', (text: string) => {
    errors = (errors + text).slice(-maxErrors)
  })
  // The program may exit before it has read all input. Its exit code reports that.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const closed = Promise.withResolvers<number | null>()
  child.once('close', (code) => closed.resolve(code))
  child.once('error', closed.reject)
  const exitCode = await closed.promise
  if (length > maxOutput) throw new ToolError('too_large', 'It wrote more than 64 MB and was stopped.')
  return { exitCode, output: chunks.join(''), errors: errors.trim() }
}
