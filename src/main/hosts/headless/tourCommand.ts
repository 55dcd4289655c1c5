import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import type { ConversationItem, ToolItem, TurnOutcome } from '../../../shared/agent/conversation.ts'
import { fileDiff } from '../../edit/fileDiff.ts'
import type { Core } from '../../core.ts'
import { UsageError } from '../appArguments.ts'
import { openCore, type CommandContext } from './commandContext.ts'
import type { Output } from './standardOutput.ts'
import { createTerminalEditor } from './terminalEditor.ts'
import { exitCodes } from './commandHelp.ts'
import { truncate } from '../../../shared/text/truncate.ts'

/**
 * `tizona tour`: plays the scripted tour in the terminal. Approves every call, because workspace, settings and
 * conversation are temporary, and prints each with its complete command.
 * @throws UsageError
 */
export async function tourCommand(args: readonly string[], context: CommandContext): Promise<number> {
  if (args.length > 0) throw new UsageError(`tour accepts no arguments, but got "${args[0]}".`)
  const userData = await mkdtemp(join(tmpdir(), 'tizona-tour-'))
  const core = await openCore({ ...context, userData }).catch(async (error: unknown) => {
    await rm(userData, { recursive: true, force: true })
    throw error
  })
  try {
    const editor = createTerminalEditor(core)
    const detach = core.attach({ emit() {}, ask: editor })
    const { workspace, conversation, prompt, selection } = await core.handlers['tour.start']({}, context.interrupted)
    const { text } = await core.handlers['files.read']({ path: selection.path }, context.interrupted)
    await editor('editor.open', { path: selection.path, line: text.split('\n').indexOf(selection.text) + 1 })
    context.output.line(
      `The tour: a scripted endpoint and real tools on a temporary copy in ${workspace.root}\n\n> ${prompt}\n`,
    )
    const before = await textsOf(workspace.root)
    const outcome = await play(core, conversation.info.id, prompt, context)
    const after = await textsOf(workspace.root)
    detach()
    context.output.line('\nWhat changed:\n')
    for (const path of [...new Set([...before.keys(), ...after.keys()])].toSorted()) {
      const was = before.get(path) ?? null
      const is = after.get(path) ?? null
      if (was !== is) context.output.line(fileDiff(path, was, is).diff.trimEnd())
    }
    if (outcome === 'done') return exitCodes.done
    context.output.line(`\nThe tour did not finish: ${outcome}`)
    return outcome === 'cancelled' ? exitCodes.cancelled : exitCodes.failed
  } finally {
    await core.dispose()
    await rm(userData, { recursive: true, force: true })
  }
}

function play(core: Core, id: string, prompt: string, { output, interrupted }: CommandContext): Promise<TurnOutcome> {
  const { handlers } = core
  const signal = new AbortController().signal
  return new Promise((resolve, reject) => {
    const attempt = (action: unknown): void => void Promise.resolve(action).catch(reject)
    core.subscribe((...event) => {
      const [name, payload] = event
      // TypeScript does not tie the payload to the name. Each branch only reads fields of its own event.
      if (payload === null || !('conversationId' in payload) || payload.conversationId !== id) return
      if ('outcome' in payload) resolve(payload.outcome)
      else if ('item' in payload) show(payload.item, output)
      else if (name === 'conversation.delta' && 'itemId' in payload && 'text' in payload)
        output.write(payload.text ?? '')
      else if (name === 'approval.requested' && 'requestedAt' in payload) {
        output.line(`  approved for the tour: ${payload.command ?? payload.title}`)
        attempt(handlers['approvals.decide']({ requestId: payload.id, decision: { kind: 'once' } }, signal))
      }
    })
    interrupted.addEventListener('abort', () => attempt(handlers['conversations.stop']({ id }, signal)), { once: true })
    attempt(handlers['conversations.send']({ id, text: prompt }, signal))
  })
}

/** Prints a notice or a finished call. Assistant text was already printed while it streamed. */
function show(item: ConversationItem, output: Output): void {
  if (item.kind === 'notice') output.line(`! ${item.text}`)
  if (item.kind === 'assistant' && item.state !== 'streaming' && item.text !== '') output.line('')
  if (item.kind === 'tool' && item.result !== undefined) output.line(callLines(item))
}

function callLines({ name, arguments: json, result }: ToolItem): string {
  const truncated = truncate(json, 200)
  const text = (result?.text ?? '')
    .split('\n')
    .slice(0, 8)
    .map((line) => `    ${line}`)
  return [`${result?.ok === true ? '✓' : '✗'} ${name} ${truncated}`, ...text].join('\n')
}

/** Returns the text of all files in the tour workspace, by path. */
async function textsOf(root: string): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const path = relative(root, file).split(sep).join('/')
    if (!path.startsWith('.git/')) texts.set(path, await readFile(file, 'utf8'))
  }
  return texts
}
