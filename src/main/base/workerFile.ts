import path from 'node:path'

/**
 * Returns the file of a worker. In the sources it is next to the file that starts it. In the build it is an entry in
 * out/main, and the starting code may be in out/main/chunks.
 */
export function workerFile({ dirname, filename }: Pick<ImportMeta, 'dirname' | 'filename'>, name: string): string {
  if (filename.endsWith('.ts')) return path.join(dirname, `${name}.ts`)
  return path.join(dirname, /[\\/]chunks$/.test(dirname) ? '..' : '.', `${name}.js`)
}
