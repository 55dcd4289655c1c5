import { constants, createReadStream, fstatSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { ToolError } from '../../../shared/errors.ts'
import type { Core } from '../../core.ts'
import { UsageError } from '../appArguments.ts'
import { openCore, type CommandContext } from './commandContext.ts'
import { parseConversations, parseExport, parseImport } from './commandOptions.ts'
import { exitCodes } from './commandHelp.ts'
import { fileError } from '../../base/fileErrors.ts'

const never = new AbortController().signal

/**
 * `tizona conversations`: lists the conversations of a folder, latest first, one JSON object per line.
 * @throws UsageError
 */
export async function conversationsCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const { workspace, query } = await parseConversations(args)
  const core = await openCore(context)
  try {
    await core.openWorkspace(workspace)
    for (const { id, title, createdAt, updatedAt, forkedFrom, excerpt } of await core.handlers['conversations.list'](
      { query },
      never,
    )) {
      context.output.json({
        id,
        title,
        created: new Date(createdAt).toISOString(),
        updated: new Date(updatedAt).toISOString(),
        forked_from: forkedFrom,
        excerpt,
      })
    }
    return exitCodes.done
  } finally {
    await core.dispose()
  }
}

/** `tizona export`: writes a conversation to standard output. @throws UsageError */
export async function exportCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const { id, format } = parseExport(args)
  const core = await openCore(context)
  try {
    const { text } = await core.handlers['conversations.export']({ id, format }, never)
    context.output.write(text)
    return exitCodes.done
  } catch (error) {
    throw asUsage(error, `There is no conversation ${id}. "tizona conversations --workspace DIR" lists them.`)
  } finally {
    await core.dispose()
  }
}

/** `tizona import`: adds an exported conversation to a folder. @throws UsageError */
export async function importCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const { file, workspace } = await parseImport(args)
  const text = await readInputFile(file, context.interrupted)
  const core = await openCore(context)
  try {
    await core.openWorkspace(workspace)
    const { info } = await core.handlers['conversations.import']({ text }, never)
    context.output.json({ id: info.id, title: info.title })
    return exitCodes.done
  } finally {
    await core.dispose()
  }
}

/** Resolves `--continue`, an id or `last`, to a conversation of the open folder. @throws UsageError if there is none */
export async function findConversation({ handlers }: Core, wanted: string) {
  const listed = await handlers['conversations.list']({}, never)
  // The list starts with pinned conversations.
  const [latest] = listed.toSorted((a, b) => b.updatedAt - a.updatedAt)
  const found = wanted === 'last' ? latest : listed.find(({ id }) => id === wanted)
  if (found) return found
  const why = wanted === 'last' ? 'this folder has no conversation yet' : `this folder has no conversation ${wanted}`
  throw new UsageError(`--continue: ${why}. "tizona conversations --workspace DIR" lists them.`)
}

/** Maximum bytes of a file named on the command line. */
const maxInputBytes = 512 * 1024 * 1024

/**
 * Reads a file named on the command line, which may be a pipe.
 * @param interrupted also stops waiting for the writer of a pipe
 * @throws UsageError if it cannot be read
 */
export async function readInputFile(file: string, interrupted: AbortSignal): Promise<string> {
  try {
    return await readWhole(file, interrupted)
  } catch (error) {
    if (interrupted.aborted || error instanceof UsageError) throw error
    const failure = fileError(error, `${file} could not be read.`)
    throw new UsageError(failure instanceof ToolError ? failure.message : String(failure), { cause: error })
  }
}

async function readWhole(file: string, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  // A thread waiting for a pipe could not be interrupted, and would keep the process alive.
  const fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  const stream = fstatSync(fd).isFIFO()
    ? new Socket({ fd, readable: true, writable: false, signal })
    : createReadStream(file, { fd, signal })
  // A stream without an encoding yields buffers.
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxInputBytes) throw new UsageError(`${file} is larger than ${maxInputBytes / 1024 / 1024} MB.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function asUsage(error: unknown, message: string): unknown {
  return error instanceof ToolError && error.code === 'not_found' ? new UsageError(message, { cause: error }) : error
}
