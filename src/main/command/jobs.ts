import { randomBytes } from 'node:crypto'
import type { CommandSandbox } from '../../shared/commands/sandbox.ts'
import { terminalEnvironment } from './commandEnvironment.ts'
import { createCommandRunner } from './commandRunner.ts'
import { createJobRecord, endOrphans } from './jobRecord.ts'
import { createJobTable } from './jobTable.ts'
import type { Jobs, JobsOptions } from './jobTypes.ts'
import { createPipedPrograms } from './pipedProgram.ts'
import { endTree, jobVariable } from './processTree.ts'
import { withShellMarks } from './shellMarks.ts'
import { createTextFilter } from './textFilter.ts'
import { commandLine, interactiveShell, terminalInvocation } from './shellProgram.ts'

/** Silence after which new output is returned, in milliseconds; longer at a prompt, where a user may be typing. */
const settleMs = { running: 150, waiting: 1500 }

/** Delay of the preparation, less than most models take for a first answer. It must not slow down a quick one. Milliseconds. */
const prepareAfterMs = 400

/** Commands are not sandboxed in a host without a sandbox. */
const noSandbox: CommandSandbox = { sandboxed: false, reason: 'no sandbox in this host' }

export function createJobs(options: JobsOptions): Jobs {
  const graceMs = options.graceMs ?? 2000
  const source = options.environment ?? process.env
  /** Prefix of every job tag, to find processes left by commands. */
  const instance = randomBytes(8).toString('hex')
  const table = createJobTable({ ...options, graceMs, instance })
  const { find, start } = table
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

  return {
    sandboxState: () => options.sandbox?.state() ?? { kind: 'off' },
    prepare() {
      preparing ??= setTimeout(() => void options.sandbox?.check(), prepareAfterMs).unref()
    },
    plan,
    run: createCommandRunner({
      table,
      plan,
      source,
      sandbox: options.sandbox,
      passedVariables: options.passedVariables,
      beforeStart: async () => record?.open().catch(problem),
      started: (pid) => void record?.add(pid).catch(problem),
    }),

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

    async openTerminal(size) {
      const plain = terminalEnvironment(source)
      const own = await interactiveShell(plain)
      const environment = withShellMarks(own.file, plain)
      const command = commandLine(own.file, [])
      return start({
        kind: 'terminal',
        command,
        invocation: await terminalInvocation(own, environment),
        cwd: options.workspaceRoot,
        environment,
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
