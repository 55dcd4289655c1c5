/** Maximum characters of the instruction of an inline edit, which can contain a code block. */
export const maxInstruction = 100_000

/**
 * Maximum characters that the window sends on each side of the selection. Main reduces them to fit the model's context.
 */
export const maxSurrounding = 50_000
