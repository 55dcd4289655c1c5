import type { Attachment } from '../../../shared/agent/attachments.ts'
import type { ConversationInfo, ConversationItem, ExportFormat, ToolItem } from '../../../shared/agent/conversation.ts'

/** Exports a conversation as Markdown: messages, tool calls and results in order. */
export function toMarkdown(info: ConversationInfo, items: readonly ConversationItem[]): string {
  const about = [
    `- Started: ${new Date(info.createdAt).toISOString()}`,
    `- Model: ${info.model?.model ?? 'none'}`,
    `- Tools: ${info.toolset}, mode ${info.mode}`,
  ]
  const parts = items.map(itemMarkdown).filter((part) => part !== '')
  return `${[`# ${oneLine(info.title)}`, about.join('\n'), ...parts].join('\n\n')}\n`
}

/** Returns a file name that is valid on every file system. */
export function exportFileName(title: string, format: ExportFormat): string {
  const plain = title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60)
  return `${plain || 'conversation'}.${format === 'json' ? 'json' : 'md'}`
}

function itemMarkdown(item: ConversationItem): string {
  switch (item.kind) {
    case 'user':
      if (item.nudge) return `> Tizona to the model: ${item.text}`
      return [`## You\n\n${item.text}`, attachedLine(item.attachments)].filter(Boolean).join('\n\n')
    case 'instructions':
      return `> Instructions sent to the model: ${item.sources.map(({ label }) => oneLine(label)).join(', ')}`
    case 'assistant':
      return [item.reasoning && details('Reasoning', item.reasoning), item.text && `## Model\n\n${item.text}`]
        .filter(Boolean)
        .join('\n\n')
    case 'tool':
      return toolMarkdown(item)
    case 'notice':
      return `> ${item.level === 'info' ? 'Note' : item.level === 'warning' ? 'Warning' : 'Error'}: ${item.text.replaceAll('\n', '\n> ')}`
    case 'summary':
      return details('Summary of earlier messages', item.text)
    default:
      return ''
  }
}

function attachedLine(attachments: readonly Attachment[] = []): string {
  return attachments.length === 0 ? '' : `> Attached: ${attachments.map(({ label }) => oneLine(label)).join(', ')}`
}

function toolMarkdown({ name, arguments: args, state, result }: ToolItem): string {
  const outcome = result ? (result.ok ? 'done' : `failed: ${result.error?.code ?? 'error'}`) : state
  return [
    `### \`${oneLine(name)}\` (${outcome})`,
    fenced(args, 'json'),
    result && details('Result', fenced(result.text)),
  ]
    .filter(Boolean)
    .join('\n\n')
}

function details(summary: string, body: string): string {
  return `<details>\n<summary>${summary}</summary>\n\n${body}\n\n</details>`
}

/** Returns a code block whose fence is longer than any in the text (CommonMark 4.5). */
function fenced(text: string, language = ''): string {
  const maxTicks = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(maxTicks + 1)
  return `${fence}${language}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
