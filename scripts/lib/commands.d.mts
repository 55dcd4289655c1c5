/** The commands that need no window; any other first word is a folder to open. */
export const commandNames: ReadonlySet<string | undefined>
