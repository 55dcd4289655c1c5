import { toFailure } from '../../../shared/errors.ts'
import type { TryOptions, TryResult } from '../../../shared/agent/sessionTries.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import type { Core } from '../../core.ts'
import type { SessionRecord } from '../../core/coreContract.ts'
import { UsageError } from '../appArguments.ts'
import { commandLineEndpoint } from './commandLineEndpoint.ts'
import { openCore, type CommandContext } from './commandContext.ts'
import { exitCodes } from './commandHelp.ts'
import { parseTries, type RunOptions } from './commandOptions.ts'
import { failedRun, readAll, reportSkipped, runPrompt, type RunEnded } from './runTurnCommand.ts'

/** What came of a try. */
interface Try {
  try: number
  options: RunOptions
  /** Name of its session. */
  session: string
  ended: RunEnded
  result: TryResult
}

/**
 * `tizona tries`: gives one prompt to several sessions in worktrees at once, and compares what came of them.
 * @returns `failed` if none ended with `done`
 * @throws UsageError
 */
export async function triesCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const { runs, name, test, json, ...given } = await parseTries(args)
  const prompt = given.prompt === '-' ? await readAll(context.stdin) : given.prompt
  if (prompt.trim() === '') throw new UsageError('The prompt on standard input is empty.')
  // Before anything is made, so that a wrong option leaves no worktree.
  await Promise.all(runs.map((options) => commandLineEndpoint(options, context.interrupted)))
  const core = await openCore(context)
  let tries: Try[]
  try {
    const folder = runs[0]?.workspace ?? ''
    const { made, skipped } = await core.sessions.createTries({ folder, prompt, tries: runs.map(own), test, name })
    reportSkipped(skipped)
    tries = await Promise.all(
      made.flatMap((session, index) => {
        const options = runs[index]
        return options ? [runTry(options, prompt, session, json, core, context)] : []
      }),
    )
  } finally {
    await core.dispose()
  }
  if (json)
    for (const { options: _, result, ...each } of tries) {
      const { seconds, files, added, removed } = result
      context.output.json({ event: 'try.ended', ...each, seconds, files, added, removed })
    }
  else for (const line of table(tries, test)) context.output.line(line)
  return tries.some(({ ended }) => ended.outcome === 'done') ? exitCodes.done : exitCodes.failed
}

/** Returns the options by which tries may differ. */
function own({ model, temperature, toolset, profile }: RunOptions): TryOptions {
  return { model, temperature, toolset, profile }
}

async function runTry(
  options: RunOptions,
  prompt: string,
  session: SessionRecord,
  json: boolean,
  { sessions }: Core,
  context: CommandContext,
): Promise<Try> {
  const number = session.try?.number ?? 0
  const made = { try: number, options, session: session.name }
  const output = {
    ...context.output,
    json: (event: unknown) => json && context.output.json({ try: number, ...(event as object) }),
  }
  const run: { conversationId?: string } = {}
  try {
    const { ended, result } = await runPrompt(options, prompt, { ...context, output }, run, session)
    if (result === undefined) throw new Error('A try has a result.')
    return { ...made, ended, result }
  } catch (error) {
    if (error instanceof UsageError) throw error
    console.error(`Try ${number} failed: ${toFailure(error).message}`)
    const result = await sessions.failTry(session.id, error)
    return { ...made, ended: failedRun(run, error, context.interrupted), result }
  }
}

/** Returns the lines of the table, and how to go on. */
function table(tries: readonly Try[], test: string | undefined): string[] {
  const rows = tries.map(({ try: number, options, session, ended, result }) => [
    String(number),
    options.model ?? '',
    options.temperature === undefined ? '' : String(options.temperature),
    options.toolset ?? '',
    ended.outcome,
    ...(test === undefined ? [] : [testResult(result)]),
    result.added === null ? '–' : `+${result.added} -${result.removed}`,
    result.tokens === null ? '–' : formatNumber(result.tokens),
    result.seconds === null ? '–' : `${result.seconds} s`,
    session,
  ])
  const titles = ['try', 'model', 'temperature', 'toolset', 'outcome', 'lines', 'tokens', 'time', 'session']
  const all = [test === undefined ? titles : titles.toSpliced(5, 0, 'test'), ...rows]
  const shown = (all[0] ?? []).map((_, column) => all.slice(1).some((row) => row[column] !== ''))
  const widths = (all[0] ?? []).map((_, column) => Math.max(...all.map((row) => visibleText(row[column] ?? '').length)))
  const lines = all.map((row) =>
    row
      .map((cell, column) => visibleText(cell).padEnd(widths[column] ?? 0))
      .filter((_, column) => shown[column])
      .join('  ')
      .trimEnd(),
  )
  return [...lines, '', 'tizona sessions show|take-over|remove NAME']
}

function testResult({ test }: TryResult): string {
  if (test?.ran !== true) return 'not run'
  return test.exitCode === 0 ? 'passed' : `failed (${test.exitCode ?? 'ended'})`
}
