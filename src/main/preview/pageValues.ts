import { z } from 'zod'
import { withoutHiddenCharacters } from '../../shared/text/visibleText.ts'

// What functions that run in a page return. A script of the page can replace everything that they use.

const finite = z.number().min(-1_000_000).max(1_000_000)

export const pageBox = z.object({ x: finite, y: finite, width: finite.min(0), height: finite.min(0) })

/** A text of one line. A longer one is cut. */
export const pageLine = (max: number) =>
  z.string().transform((text) =>
    withoutHiddenCharacters(text.slice(0, 2 * max).replaceAll(/\s+/g, ' '))
      .trim()
      .slice(0, max),
  )

/** A text with line breaks. A longer one is cut. */
export const pageText = (max: number) => z.string().transform((text) => withoutHiddenCharacters(text.slice(0, max)))
