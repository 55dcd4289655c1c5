/** Names of the commands that need no window. Any other first argument is a folder to open. */
export const commandNames: ReadonlySet<string | undefined>
