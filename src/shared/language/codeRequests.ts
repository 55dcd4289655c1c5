import { z } from 'zod'
import { request, path } from '../requestType.ts'
import {
  callDirections,
  type CodeDefinitions,
  type CodeHover,
  type CodeOutline,
  type CodeReferences,
  type CodeSymbol,
  type IndexProgress,
  type CallHierarchy,
} from './codeNavigation.ts'
import type { RenamePlan } from './symbolRename.ts'

/** A position in the current text of a file, including unsaved changes. 1-based; columns count UTF-16 units. */
const textPosition = z.object({ path, line: z.number().int().min(1), column: z.number().int().min(1) })

export const codeRequests = {
  /** Finds the definitions of the symbol at a position; null if there is no name. */
  'code.definition': request<CodeDefinitions | null>()(() => textPosition),
  'code.references': request<CodeReferences>()(() =>
    textPosition.extend({ limit: z.number().int().min(1).max(5000).default(1000) }),
  ),
  /** Computes the changes of a rename. The window previews and applies them. */
  'code.rename': request<RenamePlan>()(() => textPosition.extend({ newName: z.string().max(500) })),
  'code.hover': request<CodeHover | null>()(() => textPosition),
  /**
   * `indexOnly`, for both requests: return the index's symbols, whose ids and names the symbol tools and mentions use.
   * Otherwise running language servers take precedence. Null: the outline is still the one with the revision `known`.
   */
  'code.outline': request<CodeOutline | null>()(() =>
    z.object({ path, indexOnly: z.boolean().default(false), known: z.string().max(100).optional() }),
  ),
  /**
   * Finds symbols in the folder by name, best first. `building`: progress while the index is incomplete, otherwise
   * null.
   */
  'code.symbols': request<{ symbols: CodeSymbol[]; building: IndexProgress | null }>()(() =>
    z.object({
      query: z.string().max(500),
      limit: z.number().int().min(1).max(200).default(100),
      indexOnly: z.boolean().default(false),
    }),
  ),
  /** Finds the callers of the function at a position, or the functions that it calls; null if there is no function. */
  'code.callHierarchy': request<CallHierarchy | null>()(() =>
    textPosition.extend({ direction: z.enum(callDirections) }),
  ),
} as const
