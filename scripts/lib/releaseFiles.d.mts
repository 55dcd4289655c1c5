export const licensesFile: string
export const sbomFile: string
export const sumsFile: string
export function writeReleaseFiles(root: string, folder: string): Promise<void>
export function writeSums(folder: string): Promise<string[]>
