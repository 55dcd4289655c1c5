/**
 * Milliseconds from opening a folder until its window is shown. Background work starts afterwards, so that it does
 * not compete for the processor.
 */
export const windowOpeningTime = 1000
