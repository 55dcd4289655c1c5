import { ToolError } from '../../shared/errors.ts'
import { applyPlacements, type Edit, type ParameterNames, locateEdit, type Placement } from './locateEdit.ts'

/** The text after all patches were applied. */
export interface PatchedText {
  text: string
  /** One per patch, in the order of the patches. Line numbers refer to the original text. */
  placements: Placement[]
}

/**
 * Applies all edits to a text, or none if one fails. Matches each of them in the original text.
 * @throws ToolError the errors of `locateEdit` with the patch, overlapping_patches with both
 */
export function applyPatches(text: string, patches: readonly Edit[], names?: ParameterNames): PatchedText {
  const placements = patches.map((patch, index) => {
    try {
      return locateEdit(text, patch, names)
    } catch (error) {
      if (!(error instanceof ToolError) || patches.length === 1) throw error
      const message = `${patchName(index, patches.length)} failed, so no patch was applied. ${error.message}`
      throw new ToolError(error.code, message, error.next, { cause: error })
    }
  })
  refuseOverlaps(placements)
  return { text: applyPlacements(text, placements), placements }
}

function refuseOverlaps(placements: readonly Placement[]): void {
  const ordered = placements
    .map((placement, index) => ({ placement, index }))
    .toSorted((a, b) => a.placement.start - b.placement.start)
  for (const [at, later] of ordered.entries()) {
    const earlier = ordered[at - 1]
    if (!earlier || earlier.placement.end <= later.placement.start) continue
    const [first, second] = [earlier, later].toSorted((a, b) => a.index - b.index)
    if (!first || !second) continue
    throw new ToolError(
      'overlapping_patches',
      `patches[${first.index}] (${lineRange(first.placement)}) and patches[${second.index}] (${lineRange(second.placement)}) overlap. Edit not applied.`,
      'Merge the two into one patch, or use shorter old_text values that do not overlap.',
    )
  }
}

/** Formats lines: `line 4` or `lines 4-7`. */
export function lineRange(place: { startLine: number; endLine: number }): string {
  return place.startLine === place.endLine ? `line ${place.startLine}` : `lines ${place.startLine}-${place.endLine}`
}

function patchName(index: number, count: number): string {
  return `patches[${index}] (the ${ordinal(index + 1)} of ${count})`
}

function ordinal(number: number): string {
  const suffix = ['th', 'st', 'nd', 'rd'][number % 100 > 10 && number % 100 < 14 ? 0 : number % 10] ?? 'th'
  return `${number}${suffix}`
}
