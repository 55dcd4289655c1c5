/** Maximum characters of the instruction of an inline edit, which can contain a code block. */
export const maxInstruction = 100_000

/**
 * Maximum characters on each side of the selection that the window sends. Main reduces them to the context of the
 * model.
 */
export const maxSurrounding = 50_000
