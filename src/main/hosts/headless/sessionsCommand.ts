import { realpath } from 'node:fs/promises'
import { ToolError } from '../../../shared/errors.ts'
import { plural } from '../../../shared/text/plural.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import type { Core } from '../../core.ts'
import { openCore, type CommandContext } from './commandContext.ts'
import { exitCodes } from './commandHelp.ts'
import { parseSessions, type SessionsOptions } from './commandOptions.ts'

const never = new AbortController().signal

/**
 * `tizona sessions`: lists, archives, removes and sweeps worktrees that Tizona made.
 *
 * @returns `failed` if a session could not be removed
 * @throws UsageError
 */
export async function sessionsCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const options = await parseSessions(args)
  const core = await openCore(context)
  try {
    await core.sessions.recover()
    // Without --workspace, the sessions of all repositories.
    const folder = options.workspace === undefined ? undefined : await realpath(options.workspace)
    return await run(core, options, folder, context)
  } finally {
    await core.dispose()
  }
}

async function run(
  core: Core,
  options: SessionsOptions,
  folder: string | undefined,
  { output }: CommandContext,
): Promise<number> {
  const { sessions } = core
  switch (options.action) {
    case 'list':
      for (const session of await sessions.list(folder)) {
        if (options.json) output.json(session)
        else output.line(describe(session))
      }
      for (const kept of sessions.kept(folder)) {
        if (options.json) output.json({ kept })
        else output.line(describeKept(kept))
      }
      return exitCodes.done
    case 'archive':
    case 'unarchive':
      await sessions.archive((await sessions.find(options.name, folder)).id, options.action === 'archive')
      return exitCodes.done
    case 'remove': {
      const { id } = await sessions.find(options.name, folder)
      const kept = await sessions.remove(id, { confirmed: options.yes }).catch((error: unknown) => {
        throw withConfirmation(error)
      })
      if (kept) output.line(describeKept(kept))
      return exitCodes.done
    }
    case 'sweep':
      return sweep(core, options.yes, folder, output)
  }
}

/** Lists sessions whose conversation is gone, and with `--yes` removes those without work. */
async function sweep(
  core: Core,
  yes: boolean,
  folder: string | undefined,
  output: CommandContext['output'],
): Promise<number> {
  const hasConversation = async ({ conversation }: { conversation?: string }): Promise<boolean> => {
    if (conversation === undefined) return false
    try {
      await core.handlers['conversations.export']({ id: conversation, format: 'json' }, never)
      return true
    } catch (error) {
      if (error instanceof ToolError && error.code === 'not_found') return false
      throw error
    }
  }
  let failed = false
  for (const session of await core.sessions.sweepable(hasConversation, folder)) {
    output.line(describe(session))
    if (!yes || session.hasWork) continue
    try {
      await core.sessions.remove(session.id)
      output.line('  removed')
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      failed = true
      output.line(`  ${error.message}`)
    }
  }
  return failed ? exitCodes.failed : exitCodes.done
}

type Session = Awaited<ReturnType<Core['sessions']['list']>>[number]
type Kept = ReturnType<Core['sessions']['kept']>[number]

function describe({ name, state, branch, worktree, changed, hasWork, inUse, archived }: Session): string {
  const details = [
    state,
    plural(changed.length, 'changed file'),
    ...(hasWork ? ['work that is nowhere else'] : []),
    ...(inUse ? ['in use'] : []),
    ...(archived ? ['archived'] : []),
  ]
  return `${name}  ${branch}  ${visibleText(worktree)}  ${details.join(', ')}`
}

function describeKept({ name, folder, ref, files, until }: Kept): string {
  const date = new Date(until).toISOString().slice(0, 10)
  const copies = files === undefined ? '' : `, and copies of ignored files in ${visibleText(files)}`
  return `${name}: its work is kept until ${date}${copies}. To restore it: git -C ${visibleText(folder)} branch ${name} ${ref}`
}

/** Names the option of this command that confirms. */
function withConfirmation(error: unknown): unknown {
  return error instanceof ToolError && error.code === 'conflict' && /confirm/i.test(error.next)
    ? new ToolError('conflict', error.message, `${error.next} The option --yes confirms.`)
    : error
}
