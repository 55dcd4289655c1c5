import { ToolError } from '../../../shared/errors.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { plural } from '../../../shared/text/plural.ts'
import type { ToolContext, ToolOutput } from '../common/toolDefinition.ts'
import { indexNote } from '../common/symbolReport.ts'

/** Returns a page of the project index with the field names of Blade's document. */
export async function projectPage(
  path: string,
  offset: number,
  { value: maxChars, note }: { value: number; note: string },
  { code, workspace, signal }: ToolContext,
): Promise<ToolOutput> {
  const { text: whole, indexPath } = await code.projectOverview(path, signal)
  if (offset > whole.length)
    throw new ToolError(
      'out_of_range',
      `The index has ${plural(whole.length, 'character')}, so offset ${offset} is out of range.`,
      'Start at offset 0.',
    )
  const end = Math.min(whole.length, offset + maxChars)
  const answer = {
    workspace_root: workspace.folders ? '.' : workspace.root,
    index_path: indexPath,
    total_chars: whole.length,
    offset,
    end,
    returned_chars: end - offset,
    max_chars: maxChars,
    has_more: end < whole.length,
    next_offset: end < whole.length ? end : null,
    ...indexNote(
      await code.status(),
      'The list of files is complete, but symbols are missing because indexing takes longer than the wait limit.',
    ),
    ...(note === '' ? {} : { note }),
    content: whole.slice(offset, end),
  }
  return {
    text: JSON.stringify(answer, null, 1),
    format: 'json',
    view: { kind: 'page', text: answer.content, note: pageNote(answer) },
  }
}

function pageNote({
  offset,
  end,
  total_chars: total,
  index,
}: {
  offset: number
  end: number
  total_chars: number
  index?: string
}): string {
  const part =
    end - offset < total ? `Characters ${formatNumber(offset)} to ${formatNumber(end)} of ${formatNumber(total)}.` : ''
  return [part, index ?? ''].filter((text) => text !== '').join(' ')
}
