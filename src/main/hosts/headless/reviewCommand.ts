import { plural } from '../../../shared/plural.ts'
import type { ReviewFile, ReviewScope, ReviewTarget } from '../../../shared/review.ts'
import { visibleText } from '../../../shared/visibleText.ts'
import type { Core } from '../../core.ts'
import { UsageError } from '../appArguments.ts'
import { openCore, type CommandContext } from './commandContext.ts'
import { exitCodes } from './commandHelp.ts'
import { parseReview } from './commandOptions.ts'

const never = new AbortController().signal

/**
 * `tizona review`: keeps and undoes changes of the agent, then lists those that remain.
 * @returns `failed` if a change could not be kept or undone
 * @throws UsageError
 */
export async function reviewCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const options = await parseReview(args)
  const core = await openCore(context)
  const { output } = context
  try {
    await core.openWorkspace(options.workspace)
    const scope = await scopeSince(core, options.since)
    const skipped = []
    for (const kind of ['keep', 'undo'] as const) {
      if (options[kind].length === 0) continue
      const targets = await targetsOf(core, scope, options[kind])
      skipped.push(...(await core.handlers[`review.${kind}`]({ scope, targets }, never)).skipped)
    }
    for (const { path, why } of skipped) console.error(`${visibleText(path)} was not changed. ${why}`)
    const { files } = await core.handlers['review.list']({ scope }, never)
    for (const file of files) {
      if (options.json) output.json({ ...file, hunks: await hunksOf(core, scope, file) })
      else output.line(describe(file))
    }
    return skipped.length > 0 ? exitCodes.failed : exitCodes.done
  } finally {
    await core.dispose()
  }
}

/** Returns the scope since a user message, since the last one (`last`), or all pending changes. @throws UsageError */
async function scopeSince({ handlers }: Core, since: string | undefined): Promise<ReviewScope> {
  if (since === undefined) return { kind: 'pending' }
  const conversations = await handlers['conversations.list']({}, never)
  for (const { id } of since === 'last' ? conversations.slice(0, 1) : conversations) {
    const { items } = await handlers['conversations.open']({ id }, never)
    const messages = items.filter((item) => item.kind === 'user').filter(({ nudge }) => !nudge)
    const message = since === 'last' ? messages.at(-1) : messages.find((item) => item.id === since)
    if (message) return { kind: 'since', conversation: id, message: message.id }
  }
  throw new UsageError(
    `--since: there is no turn "${since}" in this folder. Use "last", or the id of a user message: "tizona export ID --format json" shows them.`,
  )
}

/** Resolves `PATH` and `PATH:HUNK`, in which HUNK counts from 1. @throws UsageError */
async function targetsOf(core: Core, scope: ReviewScope, words: readonly string[]): Promise<ReviewTarget[]> {
  const { files } = await core.handlers['review.list']({ scope }, never)
  const targets = new Map<string, ReviewTarget>()
  for (const word of words) {
    const [, path = word, number] = files.some((file) => file.path === word) ? [] : (/^(.+):(\d+)$/.exec(word) ?? [])
    const known = targets.get(path)
    if (number === undefined) {
      targets.set(path, { path })
      continue
    }
    const { hunkList, revision } = await core.handlers['review.hunks']({ scope, path }, never)
    const hunk = hunkList[Number(number) - 1]
    if (!hunk) throw new UsageError(`"${path}" has ${plural(hunkList.length, 'hunk')}, so there is no hunk ${number}.`)
    targets.set(path, { path, hunks: [...(known?.hunks ?? []), hunk.id], revision })
  }
  return [...targets.values()]
}

async function hunksOf({ handlers }: Core, scope: ReviewScope, { path, hunks }: ReviewFile): Promise<object[]> {
  if (hunks === 0) return []
  const { hunkList } = await handlers['review.hunks']({ scope, path }, never)
  return hunkList.map(({ base, current, turn }, index) => ({ hunk: index + 1, base, current, turn }))
}

const letters = { created: 'A', changed: 'M', deleted: 'D', renamed: 'R' } as const

function describe({ path, change, renamedFrom, added, removed, hunks, mode, content, problem }: ReviewFile): string {
  const name = renamedFrom === undefined ? visibleText(path) : `${visibleText(renamedFrom)} -> ${visibleText(path)}`
  const details = [
    ...(content === 'text'
      ? [`+${added} -${removed}`, plural(hunks, 'hunk')]
      : [content === 'binary' ? 'binary' : 'too large']),
    ...(mode ? [`mode ${mode.from.toString(8)} -> ${mode.to.toString(8)}`] : []),
  ]
  return `${letters[change]} ${name}  ${details.join(', ')}${problem === undefined ? '' : `\n  ${problem}`}`
}
