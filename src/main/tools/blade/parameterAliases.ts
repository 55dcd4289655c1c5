/** Names that models use for the file of a tool (Blade's documents, "Accepted aliases"). */
export const pathAliases = { file_path: 'path', filepath: 'path', filename: 'path' } as const

/** Names that models use for the folder of a tool. */
export const directoryAliases = { dir: 'path', directory: 'path' } as const
