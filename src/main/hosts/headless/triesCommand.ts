import { toFailure } from '../../../shared/errors.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { UsageError } from '../appArguments.ts'
import { openCore, type CommandContext } from './commandContext.ts'
import { exitCodes } from './commandHelp.ts'
import { parseTries, type RunOptions } from './commandOptions.ts'
import { failedRun, readAll, runPrompt, type RunEnded } from './runTurnCommand.ts'

/** What came of a try. */
interface Try {
  try: number
  options: RunOptions
  ended: RunEnded
  seconds: number
  added: number
  removed: number
}

/**
 * `tizona tries`: gives one prompt to several sessions in worktrees at once, and compares what came of them.
 * @returns `failed` if none ended with `done`
 * @throws UsageError
 */
export async function triesCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const { runs, test, json, ...given } = await parseTries(args)
  const prompt = given.prompt === '-' ? await readAll(context.stdin) : given.prompt
  if (prompt.trim() === '') throw new UsageError('The prompt on standard input is empty.')
  const tries = await Promise.all(runs.map((options, index) => runTry(index + 1, options, prompt, test, json, context)))
  if (json) for (const { options: _, ...each } of tries) context.output.json({ event: 'try.ended', ...each })
  else for (const line of table(tries, test)) context.output.line(line)
  return tries.some(({ ended }) => ended.outcome === 'done') ? exitCodes.done : exitCodes.failed
}

async function runTry(
  number: number,
  options: RunOptions,
  prompt: string,
  test: string | undefined,
  json: boolean,
  context: CommandContext,
): Promise<Try> {
  const started = performance.now()
  const output = {
    ...context.output,
    json: (event: unknown) => json && context.output.json({ try: number, ...(event as object) }),
  }
  const run: { conversationId?: string } = {}
  let ended: RunEnded
  try {
    ended = await runPrompt(options, prompt, { ...context, output }, run, test)
  } catch (error) {
    if (error instanceof UsageError) throw error
    ended = failedRun(run, error, context.interrupted)
    console.error(`Try ${number} failed: ${toFailure(error).message}`)
  }
  const seconds = Math.round((performance.now() - started) / 1000)
  return { try: number, options, ended, seconds, ...(await changedLines(options, ended, context)) }
}

async function changedLines(
  { workspace }: RunOptions,
  { session }: RunEnded,
  context: CommandContext,
): Promise<{ added: number; removed: number }> {
  const sum = { added: 0, removed: 0 }
  if (session === undefined) return sum
  const core = await openCore(context)
  try {
    await core.openWorkspace(workspace)
    const { id } = await core.sessions.find(session.name, workspace)
    for (const file of (await core.sessions.diff(id)).files) {
      sum.added += file.added
      sum.removed += file.removed
    }
    return sum
  } finally {
    await core.dispose()
  }
}

/** Returns the lines of the table, and how to go on. */
function table(tries: readonly Try[], test: string | undefined): string[] {
  const rows = tries.map(({ try: number, options, ended, seconds, added, removed }) => [
    String(number),
    options.model ?? '',
    options.temperature === undefined ? '' : String(options.temperature),
    options.toolset ?? '',
    ended.outcome,
    ...(test === undefined ? [] : [testResult(ended)]),
    `+${added} -${removed}`,
    formatNumber(ended.tokens ?? 0),
    `${seconds} s`,
    ended.session?.name ?? '',
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

function testResult({ test }: RunEnded): string {
  if (test === undefined) return 'not run'
  return test.exitCode === 0 ? 'passed' : `failed (${test.exitCode ?? 'ended'})`
}
