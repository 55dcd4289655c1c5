import { isAbsolute, join } from 'node:path'
import type {
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
  ToolCallUpdate,
  ToolKind,
} from '@agentclientprotocol/sdk'
import { calledTool, titleFromToolName, mainArgument } from '../../../shared/tools/callArguments.ts'
import type { ToolCallState, ToolItem } from '../../../shared/agent/conversation.ts'
import type { ToolInfo, ToolView } from '../../../shared/tools/tool.ts'
import { diffContent, diffLocation } from './diffContent.ts'

/** Context for updates about tool calls. */
export interface ToolCallContext {
  /** Real path of the workspace. */
  root: string
  /** Returns a tool of the session's toolset. */
  tool(name: string): ToolInfo | undefined
  /** Whether the client shows the output of commands that the agent runs itself, an extension by Zed. */
  showsTerminals: boolean
}

/** Maximum number of locations of a call, which clients show as links. */
const maxLocations = 20

const statusOf: Readonly<Record<ToolCallState, ToolCallStatus>> = {
  streaming: 'pending',
  approval: 'pending',
  running: 'in_progress',
  done: 'completed',
  failed: 'failed',
  refused: 'failed',
  cancelled: 'failed',
}

/** Tool kinds by tool name. The first matching pattern applies. */
const kinds: readonly (readonly [RegExp, ToolKind])[] = [
  [/debug_(?:stack|variables|wait)/, 'read'],
  [/command|terminal|shell|bash|execut|_job|debug_/, 'execute'],
  [/web|http|url|fetch/, 'fetch'],
  [/todo|plan/, 'think'],
  [/delete|remove/, 'delete'],
  [/move|rename/, 'move'],
  [/patch|edit|replace|insert|write|create|copy|mkdir/, 'edit'],
  [/grep|search|glob|find|investigat|symbol|reference|graph/, 'search'],
  [/read|list|structure|outline|info|index|diagnostic|git_|diff|selection|cursor/, 'read'],
]

/** Guesses the kind of a tool, from which clients choose an icon. */
export function toolKind(name: string): ToolKind {
  const lower = name.toLowerCase()
  return kinds.find(([pattern]) => pattern.test(lower))?.[1] ?? 'other'
}

/** Converts the card of a call to an update for the client. */
export function toolCallUpdate(item: ToolItem, context: ToolCallContext): ToolCallUpdate & { title: string } {
  const { result, job } = item
  const { name, values } = calledTool(item)
  const content = contentOf(item, context)
  const locations = locationsOf(values, result?.view, context.root)
  const terminal = job && context.showsTerminals ? terminalMeta(item) : undefined
  return {
    toolCallId: item.id,
    title: callTitle(context.tool(name)?.title ?? titleFromToolName(name), values),
    name,
    kind: toolKind(name),
    status: statusOf[item.state],
    ...(content.length > 0 && { content }),
    ...(locations.length > 0 && { locations }),
    ...(values && { rawInput: values }),
    ...(terminal && { _meta: terminal }),
  }
}

/** Returns the title of a call, e.g. "Read file: src/a.ts". */
export function callTitle(title: string, values: Record<string, unknown> | undefined): string {
  const argument = values ? mainArgument(values) : ''
  return argument === '' ? title : `${title}: ${argument}`
}

function contentOf({ result, job }: ToolItem, { root, showsTerminals }: ToolCallContext): ToolCallContent[] {
  if (job && showsTerminals) return [{ type: 'terminal', terminalId: job.id }]
  if (!result) return []
  const { view } = result
  if (result.ok && view.kind === 'diff') return view.files.flatMap((file) => diffContent(root, file))
  if (result.ok && view.kind === 'pictures')
    return view.pictures.map((picture) => ({ type: 'content', content: { type: 'image', ...picture } }))
  const text = view.kind === 'page' ? view.text : result.text
  return text === '' ? [] : [{ type: 'content', content: { type: 'text', text } }]
}

/** Names of arguments that are workspace paths. */
const pathArguments = ['path', 'file_path', 'filepath', 'from', 'source', 'to', 'destination', 'cwd']

function locationsOf(
  values: Record<string, unknown> | undefined,
  view: ToolView | undefined,
  root: string,
): ToolCallLocation[] {
  switch (view?.kind) {
    case 'diff':
      return view.files.slice(0, maxLocations).map((file) => diffLocation(root, file))
    case 'file':
      return [{ path: join(root, view.path), line: view.startLine }]
    case 'matches':
      return view.matches.slice(0, maxLocations).map(({ path, line }) => ({ path: join(root, path), line }))
    default: {
      const paths = pathArguments.map((name) => values?.[name]).filter((value) => typeof value === 'string')
      return paths.map((path) => ({ path: isAbsolute(path) ? path : join(root, path) }))
    }
  }
}

/** Fields with which Zed shows a terminal that the agent runs. */
function terminalMeta({ job, result }: ToolItem): Record<string, unknown> | undefined {
  if (!job) return undefined
  const ended = result !== undefined
  return {
    terminal_info: { terminal_id: job.id, cwd: job.cwd },
    ...(ended && {
      terminal_exit: { terminal_id: job.id, exit_code: job.exitCode ?? null, signal: job.signal ?? null },
    }),
  }
}
