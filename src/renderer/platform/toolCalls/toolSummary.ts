import type { ToolItem } from '../../../shared/agent/conversation.ts'
import type { ToolInfo, ToolView } from '../../../shared/tools/tool.ts'
import { calledTool, titleFromToolName, mainArgument } from '../../../shared/tools/callArguments.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { pluralNoun } from '../../../shared/text/plural.ts'

/** The parts of a tool card's header line. */
export interface ToolSummary {
  icon: string
  title: string
  /** The most informative argument: a command, a path or a pattern. */
  argument: string
}

const icons: readonly (readonly [RegExp, string])[] = [
  [/command|terminal|shell|bash|execute|exec\b/, 'terminal'],
  [/web|http|url/, 'globe'],
  [/^git_/, 'git-commit'],
  [/^batch$/, 'layers'],
  [/outline/, 'list-tree'],
  [/graph/, 'type-hierarchy'],
  [/project_index|document/, 'book'],
  [/todo|plan/, 'checklist'],
  [/calculator/, 'symbol-numeric'],
  [/datetime/, 'clock'],
  [/^diff$/, 'diff'],
  [/delete|remove/, 'trash'],
  [/patch|edit|replace|insert/, 'edit'],
  [/write|create_file/, 'new-file'],
  [/create_dir|mkdir/, 'new-folder'],
  [/move|rename/, 'arrow-right'],
  [/copy/, 'copy'],
  [/grep|search|investigat|\brg\b|symbol|reference/, 'search'],
  [/find|glob/, 'search-fuzzy'],
  [/list|structure|tree|overview/, 'list-tree'],
  [/selection|cursor|goto|editor|open/, 'go-to-file'],
  [/read|info|file/, 'file-code'],
]

/** Returns the codicon for a tool by guessing from its name. */
export function toolIcon(name: string): string {
  const lower = name.toLowerCase()
  return icons.find(([pattern]) => pattern.test(lower))?.[1] ?? 'tools'
}

/** Returns the header of a tool card. @param info the tool, if it is in the active toolset */
export function summarizeCall(
  item: Pick<ToolItem, 'name' | 'arguments' | 'result'>,
  info: ToolInfo | undefined,
): ToolSummary {
  const { name, values } = calledTool(item)
  return {
    icon: toolIcon(info?.name ?? name),
    title: info?.title ?? titleFromToolName(name),
    argument: values ? mainArgument(values) : '',
  }
}

/** Formats the size of a result: "3 matches", "12 lines". @returns undefined if the size is not informative */
export function outcomeText(view: ToolView): string | undefined {
  switch (view.kind) {
    case 'matches':
      if (view.summary !== undefined) return count(view.total, 'location', 'locations', view.truncated)
      return count(view.total, 'match', 'matches', view.truncated)
    case 'files':
      return count(view.total, 'entry', 'entries', view.truncated)
    case 'file':
      return count(view.endLine - view.startLine + 1, 'line', 'lines')
    case 'todos':
      return `${view.todos.filter(({ status }) => status === 'completed').length} of ${view.todos.length}`
    case 'symbols':
      return count(view.symbols.length, 'symbol', 'symbols')
    case 'calls': {
      const failed = view.calls.filter((call) => !call.ok).length
      return count(view.calls.length, 'call', 'calls') + (failed > 0 ? `, ${failed} failed` : '')
    }
    default:
      return undefined
  }
}

function count(number: number, one: string, many: string, more = false): string {
  return `${formatNumber(number)}${more ? '+' : ''} ${pluralNoun(number, one, many)}`
}
