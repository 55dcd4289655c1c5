import {
  maxImageBytes,
  type ImageAttachment,
  type MentionAttachment,
  type SpecialMention,
} from '../../../shared/agent/attachments.ts'
import { ToolError, toFailure } from '../../../shared/errors.ts'
import { resourceLabel, type PathTarget, type ResourceTarget } from '../../../shared/agent/mentions.ts'
import { plural } from '../../../shared/text/plural.ts'
import type { Picture } from '../../../shared/tools/tool.ts'
import { createPlainText } from '../../command/plainText.ts'
import type { ToolServices } from '../../tools/common/toolDefinition.ts'

/** The full content of a mention. The caller truncates it. */
export type MentionContent = Omit<MentionAttachment, 'cut'> & {
  /** Describes what the text omits. */
  note?: string
  /** Truncates the start instead of the end, e.g. for terminal output. */
  keepEnd?: true
  /** Pictures that belong to the content. */
  pictures?: readonly ImageAttachment[]
}

/** Provide the content of files and of the editor. */
type LocalServices = Pick<ToolServices, 'workspace' | 'documents' | 'files' | 'code' | 'git' | 'jobs' | 'editor'>

/** Provide the content of mentions. */
export interface MentionServices extends LocalServices {
  /** Reads a resource of a connected MCP server. */
  readResource(
    server: string,
    uri: string,
    signal: AbortSignal,
  ): Promise<{ text: string; pictures: readonly Picture[] }>
  /**
   * Stores a picture. @throws ToolError `invalid_arguments` if the bytes are not a picture; `too_large`
   * @returns undefined if the model of the conversation does not support images
   */
  addPicture(label: string, bytes: Uint8Array): ImageAttachment | undefined
}

/** Maximum number of entries listed for a folder. */
const maxEntries = 300
/** Maximum characters of terminal output. */
const maxTerminal = 40_000

/**
 * Reads a file, some of its lines, a symbol in it, a picture, or a folder.
 * @throws ToolError `not_found`, `outside_workspace`, or an error of reading
 */
export async function readFileMention(
  place: PathTarget,
  services: LocalServices & Pick<MentionServices, 'addPicture'>,
  signal: AbortSignal,
): Promise<MentionContent> {
  const { relative, type } = await services.workspace.resolve(place.path, { missing: 'allow' })
  if (type === 'directory') return readFolder(relative, services, signal)
  const document = await services.documents.read(relative, signal).catch(async (error: unknown) => {
    if (toFailure(error).code !== 'binary_file') throw error
    const picture = services.addPicture(relative, await services.files.readBytes(relative, maxImageBytes, signal))
    if (!picture) throw error
    return { text: '[A picture. It is attached to this message.]', path: relative, picture }
  })
  const { text, path } = document
  if ('picture' in document) return { kind: 'file', label: path, path, text, pictures: [document.picture] }
  const lines = text.split('\n')
  if (place.symbol !== undefined) {
    const { symbols } = await services.code.outline(path, signal)
    const found =
      symbols.find(({ qualified }) => qualified === place.symbol) ?? symbols.find(({ name }) => name === place.symbol)
    if (!found)
      throw new ToolError(
        'not_found',
        `"${path}" has no symbol "${place.symbol}".`,
        'Mention another symbol, or the file.',
      )
    const { line, end_line: endLine } = found
    return {
      kind: 'symbol',
      label: `${path}#${place.symbol}`,
      path,
      line,
      endLine,
      text: lines.slice(line - 1, endLine).join('\n'),
    }
  }
  const { line } = place
  if (line === undefined) return { kind: 'file', label: path, path, text }
  if (line > lines.length)
    throw new ToolError(
      'out_of_range',
      `"${path}" has ${plural(lines.length, 'line')}, so line ${line} does not exist.`,
      'Correct the line number.',
    )
  const endLine = Math.min(place.endLine ?? line, lines.length)
  return {
    kind: 'file',
    label: `${path}:${linesText(line, endLine)}`,
    path,
    line,
    endLine,
    text: lines.slice(line - 1, endLine).join('\n'),
  }
}

function linesText(line: number, endLine: number): string {
  return endLine === line ? String(line) : `${line}-${endLine}`
}

/** Reads a resource of an MCP server. @throws ToolError */
export async function readResourceMention(
  target: ResourceTarget,
  { readResource, addPicture }: MentionServices,
  signal: AbortSignal,
): Promise<MentionContent> {
  const { server, uri } = target
  const label = resourceLabel(target)
  const { text, pictures } = await readResource(server, uri, signal)
  const added = pictures.flatMap(({ data }) => addPicture(label, Buffer.from(data, 'base64')) ?? [])
  const missing = pictures.length - added.length
  return {
    kind: 'resource',
    label,
    text,
    ...(missing > 0 && { note: `${plural(missing, 'picture')} (the model does not support images)` }),
    ...(added.length > 0 && { pictures: added }),
  }
}

async function readFolder(path: string, { files }: LocalServices, signal: AbortSignal): Promise<MentionContent> {
  const entries = (await files.list(path, signal)).filter((entry) => !entry.ignored)
  const names = entries
    .slice(0, maxEntries)
    .map((entry) => (entry.directory || entry.type === 'directory' ? `${entry.path}/` : entry.path))
  const note =
    entries.length > maxEntries ? `${plural(entries.length - maxEntries, 'more entry', 'more entries')}` : undefined
  return { kind: 'folder', label: path === '.' ? '.' : `${path}/`, path, text: names.join('\n') || '(empty)', note }
}

/** Reads the current selection, terminal, diff or problems. @throws ToolError if there is none */
export const readSpecialMention: Record<
  SpecialMention,
  (services: MentionServices, signal: AbortSignal) => Promise<MentionContent>
> = {
  async selection({ editor }, signal) {
    const { path, text, startLine: line, endLine } = await editor.ask('editor.selection', {}, signal)
    if (text === '')
      throw new ToolError(
        'no_selection',
        'Nothing is selected in the editor, so @selection is empty.',
        'Select some text first.',
      )
    return { kind: 'selection', label: `${path}:${linesText(line, endLine)}`, path, line, endLine, text }
  },

  async terminal({ jobs }) {
    const job = jobs.list().toSorted((a, b) => b.startedAt - a.startedAt)[0]
    if (!job)
      throw new ToolError(
        'not_found',
        'No command has run and no terminal is open, so @terminal is empty.',
        'Run the command first.',
      )
    const screen = createPlainText(maxTerminal)
    screen.write(jobs.backlog(job.id))
    const output = screen.all().trim()
    const state = job.exitCode === undefined ? '' : ` (exit code ${job.exitCode})`
    return {
      kind: 'terminal',
      label: job.kind === 'terminal' ? 'Terminal' : job.command,
      text: `${job.kind === 'terminal' ? '' : `$ ${job.command}${state}\n`}${output || '(no output)'}`,
      keepEnd: true,
    }
  },

  async diff({ git }, signal) {
    const { text, files, secret, truncated } = await git.diff('.', { commit: 'HEAD' }, signal)
    const missing = [
      ...(secret.length > 0 ? [plural(secret.length, 'secret file')] : []),
      ...(truncated ? ['the rest of a long diff'] : []),
    ]
    if (text.trim() === '')
      throw new ToolError(
        'no_change',
        'There are no changes since the last commit, so @diff is empty.',
        'New files appear after they are staged.',
      )
    return {
      kind: 'diff',
      label: `Changes in ${plural(files.length, 'file')}`,
      text,
      note: missing.length > 0 ? missing.join(' and ') : undefined,
    }
  },

  async problems({ editor }, signal) {
    const { problems } = await editor.ask('editor.problems', {}, signal)
    if (problems.length === 0)
      throw new ToolError(
        'not_found',
        'The open files have no problems, so @problems is empty.',
        'Only open files are checked.',
      )
    const lines = problems.map(
      ({ path, line, column, severity, message }) => `${path}:${line}:${column} ${severity}: ${message}`,
    )
    return {
      kind: 'problems',
      label: plural(problems.length, 'problem'),
      path: problems[0]?.path,
      line: problems[0]?.line,
      text: lines.join('\n'),
    }
  },
}
