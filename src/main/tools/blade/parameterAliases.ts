/** Other names that models use for the file a tool works on (Blade's documents, "Accepted aliases"). */
export const pathAliases = { file_path: 'path', filepath: 'path', filename: 'path' } as const

/** Other names for the folder a tool looks in. */
export const directoryAliases = { dir: 'path', directory: 'path' } as const
