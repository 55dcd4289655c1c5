import { plural } from '../../../shared/text/plural.ts'
import type { ReviewFile, ReviewScope, ReviewTarget } from '../../../shared/review/review.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import type { Core } from '../../core.ts'
import { UsageError } from '../appArguments.ts'
import { openCore, type CommandContext } from './commandContext.ts'
import { exitCodes } from './commandHelp.ts'
import { parseReview } from './commandOptions.ts'

const never = new AbortController().signal

/**
 * `tizona review`: keeps and undoes changes by the agent, then lists the remaining ones.
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
    const skipped = await keepAndUndo(core, scope, options)
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
  if (since === 'last') throw new UsageError('--since last: no message has been sent in this folder yet.')
  throw new UsageError(
    `--since: there is no turn "${since}" in this folder. Use "last", or the id of a user message: "tizona export ID --format json" shows them.`,
  )
}

type Skipped = { path: string; why: string }[]
type Hunks = Awaited<ReturnType<Core['handlers']['review.hunks']>>

/** Selection from a list of `PATH` and `PATH:HUNK`. */
interface Selection {
  /** Paths of whole files. */
  files: Set<string>
  /** Hunk indexes by path. */
  hunks: Map<string, Set<number>>
}

/** Keeps and undoes. All hunk numbers refer to the original list. @throws UsageError */
async function keepAndUndo(
  core: Core,
  scope: ReviewScope,
  options: { keep: readonly string[]; undo: readonly string[] },
): Promise<Skipped> {
  const before = new Map<string, Hunks>()
  const keep = await selectionOf(core, scope, options.keep, before)
  const undo = await selectionOf(core, scope, options.undo, before)
  refuseBoth(keep, undo)
  const skipped: Skipped = []
  const run = async (kind: 'keep' | 'undo', targets: ReviewTarget[]): Promise<void> => {
    if (targets.length === 0) return
    skipped.push(...(await core.handlers[`review.${kind}`]({ scope, targets }, never)).skipped)
  }
  await run('keep', hunkTargets(keep, before))
  const now = new Map(before)
  for (const path of undo.hunks.keys())
    if (keep.hunks.has(path)) now.set(path, await core.handlers['review.hunks']({ scope, path }, never))
  await run('undo', hunkTargets(undo, before, { keep, now }))
  const whole = ({ files }: Selection) => [...files].map((path) => ({ path }))
  await run('keep', whole(keep))
  await run('undo', whole(undo))
  return skipped
}

/** Resolves `PATH` and `PATH:HUNK`, in which HUNK counts from 1. @throws UsageError */
async function selectionOf(
  core: Core,
  scope: ReviewScope,
  words: readonly string[],
  before: Map<string, Hunks>,
): Promise<Selection> {
  const selection: Selection = { files: new Set(), hunks: new Map() }
  if (words.length === 0) return selection
  const { files } = await core.handlers['review.list']({ scope }, never)
  for (const word of words) {
    const [, path = word, number] = files.some((file) => file.path === word) ? [] : (/^(.+):(\d+)$/.exec(word) ?? [])
    if (number === undefined) {
      selection.files.add(path)
      continue
    }
    const hunks = before.get(path) ?? (await core.handlers['review.hunks']({ scope, path }, never))
    before.set(path, hunks)
    const { length } = hunks.hunkList
    const position = Number(number) - 1
    if (!hunks.hunkList[position])
      throw new UsageError(`"${path}" has ${plural(length, 'hunk')}, so there is no hunk ${number}.`)
    selection.hunks.set(path, (selection.hunks.get(path) ?? new Set()).add(position))
  }
  // A whole file includes its hunks.
  for (const path of selection.files) selection.hunks.delete(path)
  return selection
}

/** @throws UsageError if the same change is to be kept and undone */
function refuseBoth(keep: Selection, undo: Selection): void {
  const file = [...keep.files].find((path) => undo.files.has(path))
  const both = [...keep.hunks].flatMap(([path, positions]) =>
    [...positions].filter((position) => undo.hunks.get(path)?.has(position)).map((at) => `${path}:${at + 1}`),
  )
  const twice = file ?? both[0]
  if (twice !== undefined)
    throw new UsageError(`"${twice}" is both in --keep and in --undo. Use one of them for each change.`)
}

/**
 * Returns the targets of selected hunks.
 * @param after what was kept since the list `before`, and the current lists
 */
function hunkTargets(
  { hunks }: Selection,
  before: ReadonlyMap<string, Hunks>,
  after?: { keep: Selection; now: ReadonlyMap<string, Hunks> },
): ReviewTarget[] {
  return [...hunks].map(([path, positions]) => {
    const { hunkList, revision } = after?.now.get(path) ?? before.get(path) ?? { hunkList: [], revision: 0 }
    const kept = after?.keep.hunks.get(path) ?? new Set()
    // If the keep was refused, the list has not changed.
    const removed = hunkList.length === before.get(path)?.hunkList.length ? [] : [...kept]
    const present = (position: number) => position - removed.filter((each) => each < position).length
    return { path, hunks: [...positions].flatMap((each) => hunkList[present(each)]?.id ?? []), revision }
  })
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
