import { realpath } from 'node:fs/promises'
import { ToolError } from '../../../shared/errors.ts'
import { plural } from '../../../shared/text/plural.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import type { Core } from '../../core.ts'
import { UsageError } from '../appArguments.ts'
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
  const core = await openCore(context, undefined, { trustWorkspace: options.trust })
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
        else output.line(await describeKept(core, kept))
      }
      return exitCodes.done
    case 'show':
      return show(core, await sessions.find(options.name, folder), options.json, output)
    case 'take-over':
      return takeOver(core, await sessions.find(options.name, folder), options.only, output)
    case 'merge':
    case 'rebase': {
      const session = await sessions.find(options.name, folder)
      await core.openWorkspace(session.folder)
      const { uncommitted } = await sessions.branch(session.id)
      await sessions[options.action](session.id, { allowProtected: options.yes }).catch((error: unknown) => {
        throw withConfirmation(error)
      })
      if (uncommitted.length > 0)
        console.error(`Not merged, because it is not committed: ${uncommitted.map(visibleText).join(', ')}`)
      return exitCodes.done
    }
    case 'archive':
    case 'unarchive':
      await sessions.archive((await sessions.find(options.name, folder)).id, options.action === 'archive')
      return exitCodes.done
    case 'remove': {
      const { id } = await sessions.find(options.name, folder)
      const kept = await sessions.remove(id, { confirmed: options.yes }).catch((error: unknown) => {
        throw withConfirmation(error)
      })
      if (kept) output.line(await describeKept(core, kept))
      return exitCodes.done
    }
    case 'sweep':
      return sweep(core, options.yes, folder, output)
  }
}

/** Lists the changed files of a session since its base commit, with `--json` also their hunks. */
async function show(
  { sessions }: Core,
  { id }: Found,
  json: boolean,
  output: CommandContext['output'],
): Promise<number> {
  const { changes, skipped } = await sessions.changes(id)
  for (const { path, base, now, hunks } of changes) {
    const letter = base === null ? 'A' : now === null ? 'D' : 'M'
    if (json) output.json({ path, change: letter, hunks: hunks?.map((hunk, index) => ({ hunk: index + 1, ...hunk })) })
    else output.line(`${letter} ${visibleText(path)}${hunks === undefined ? '' : `  ${plural(hunks.length, 'hunk')}`}`)
  }
  for (const { path, why } of skipped) console.error(`${visibleText(path)}: ${why}`)
  return exitCodes.done
}

/** Applies changes of a session to its repository's folder. @throws UsageError */
async function takeOver(
  core: Core,
  session: Found,
  only: readonly string[],
  output: CommandContext['output'],
): Promise<number> {
  const { sessions } = core
  await core.openWorkspace(session.folder)
  const selection = only.length === 0 ? undefined : selected((await sessions.changes(session.id)).changes, only)
  const { changed, same, protectedPaths, skipped } = await sessions.takeOver(session.id, selection)
  for (const path of changed) output.line(visibleText(path))
  for (const path of same) console.error(`${visibleText(path)}: already the same.`)
  for (const path of protectedPaths)
    console.error(`${visibleText(path)}: not taken over, because it is protected. Name it with --only.`)
  for (const { path, why } of skipped) console.error(`${visibleText(path)}: not taken over. ${why}`)
  return skipped.length > 0 ? exitCodes.failed : exitCodes.done
}

/** Resolves `PATH` and `PATH:HUNK`, in which HUNK counts from 1. @throws UsageError */
function selected(changes: readonly Change[], words: readonly string[]): Map<string, Set<number> | 'all'> {
  const selection = new Map<string, Set<number> | 'all'>()
  for (const word of words) {
    const [, name = word, number] = changes.some(({ path }) => path === word) ? [] : (/^(.+):(\d+)$/.exec(word) ?? [])
    const change = changes.find(({ path }) => path === name)
    if (!change) throw new UsageError(`The session has no change of "${name}". "tizona sessions show" lists them.`)
    const before = selection.get(name)
    if (number === undefined) selection.set(name, 'all')
    else if (before !== 'all') {
      const count = change.hunks?.length ?? 0
      if (Number(number) < 1 || Number(number) > count)
        throw new UsageError(`"${name}" has ${plural(count, 'hunk')}, so there is no hunk ${number}.`)
      selection.set(name, new Set([...(before ?? []), Number(number) - 1]))
    }
  }
  return selection
}

/** Lists sessions whose recorded conversation is gone, and with `--yes` removes those without work. */
async function sweep(
  core: Core,
  yes: boolean,
  folder: string | undefined,
  output: CommandContext['output'],
): Promise<number> {
  const hasConversation = async (conversation: string): Promise<boolean> => {
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

type Found = Awaited<ReturnType<Core['sessions']['find']>>
type Change = Awaited<ReturnType<Core['sessions']['changes']>>['changes'][number]
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

async function describeKept({ sessions }: Core, kept: Kept): Promise<string> {
  const { name, folder, ref, files, until } = kept
  const date = new Date(until).toISOString().slice(0, 10)
  const copies = files === undefined ? '' : `Changed ignored files are kept in ${visibleText(files)} until ${date}.`
  if (!(await sessions.hasReference(kept))) return `${name}: ${copies || 'The kept work is no longer in Git.'}`
  const restore = `To restore it: git -C ${visibleText(folder)} branch ${name} ${ref}`
  return [`${name}: The work is kept until ${date}.`, copies, restore].filter(Boolean).join(' ')
}

/** Names the option of this command that confirms. */
function withConfirmation(error: unknown): unknown {
  return error instanceof ToolError && error.code === 'conflict' && /confirm/i.test(error.next)
    ? new ToolError('conflict', error.message, `${error.next} The option --yes confirms.`)
    : error
}
