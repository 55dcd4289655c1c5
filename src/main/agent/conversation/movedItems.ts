import type { ConversationItem } from '../../../shared/agent/conversation.ts'
import { portable } from '../../history/export/jsonExport.ts'

/** Names of the fields and arguments that hold workspace paths. */
const pathFields = new Set(['path', 'paths', 'file_path', 'file_a', 'file_b', 'active_file', 'cwd'])
/** The same, in an object that has another field too. Alone, they hold other texts. */
const pairedFields: Readonly<Record<string, string>> = {
  source: 'destination',
  destination: 'source',
  from: 'change',
  renamedFrom: 'change',
}

/**
 * Returns items of a conversation for a window that shows other folders. What the window shows of them has the new
 * paths; texts keep the old ones. Omits data that is valid only in the workspace before: checkpoints, undo and review.
 * @param moved returns the new workspace path of an old one; null if the folders do not contain it
 */
export function movedItems(
  items: readonly ConversationItem[],
  moved: (path: string) => string | null,
): ConversationItem[] {
  return items.map((item) => movedItem(portable(item), moved))
}

function movedItem(item: ConversationItem, moved: (path: string) => string | null): ConversationItem {
  switch (item.kind) {
    case 'user':
      return {
        ...item,
        ...(item.attachments && { attachments: withPaths(item.attachments, moved) }),
        ...(item.changedFiles && { changedFiles: withPaths(item.changedFiles, moved) }),
      }
    case 'assistant':
      return { ...item, review: undefined }
    case 'tool':
      return {
        ...item,
        arguments: inJson(item.arguments, moved),
        ...(item.result && {
          result: {
            ...item.result,
            arguments: withPaths(item.result.arguments, moved),
            view: withoutUndo(withPaths(item.result.view, moved)),
          },
        }),
        ...(item.job && { job: withPaths(item.job, moved) }),
        ...(item.changedFiles && { changedFiles: withPaths(item.changedFiles, moved) }),
      }
    case 'instructions':
      return { ...item, sources: withPaths(item.sources, moved) }
    default:
      return item
  }
}

function withoutUndo<T extends { kind: string }>(view: T): T {
  return view.kind === 'diff' ? { ...view, editId: undefined } : view
}

/** @param text the arguments of a call. A model can write ones that are not JSON. */
function inJson(text: string, moved: (path: string) => string | null): string {
  try {
    return JSON.stringify(withPaths(JSON.parse(text), moved))
  } catch {
    return text
  }
}

/** Replaces the paths in a JSON value. */
function withPaths<T>(value: T, moved: (path: string) => string | null): T {
  const replace = (part: unknown): unknown => {
    if (typeof part === 'string') return movedOr(part, moved)
    return Array.isArray(part) ? part.map(replace) : part
  }
  // The copy has the same type, because only strings change.
  return JSON.parse(JSON.stringify(value), function (this: object, key, part: unknown) {
    return pathFields.has(key) || (pairedFields[key] ?? '') in this ? replace(part) : part
  }) as T
}

/** Only a plain relative path, as Tizona writes them, names a file for certain. */
function movedOr(path: string, moved: (path: string) => string | null): string {
  if (path === '' || /^(?:[/~\\]|\.\.?\/|\.\.$|[a-z][a-z\d+.-]*:)|\n/i.test(path)) return path
  return moved(path) ?? path
}
