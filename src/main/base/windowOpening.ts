/**
 * Milliseconds after opening a folder in which the window opens. Work in the background that would take the processor
 * from it starts afterwards.
 */
export const windowOpeningTime = 1000
