import path from 'node:path'

/**
 * Returns the path of a worker file. In the sources it is next to the file that starts it. In the build it is an
 * entry in out/main, while the starting code may be in out/main/chunks.
 */
export function workerFile({ dirname, filename }: Pick<ImportMeta, 'dirname' | 'filename'>, name: string): string {
  if (filename.endsWith('.ts')) return path.join(dirname, `${name}.ts`)
  return path.join(dirname, /[\\/]chunks$/.test(dirname) ? '..' : '.', `${name}.js`)
}

/** Returns the unpacked copy of a path inside `app.asar`, because programs inside the archive cannot be started. */
export function unpackedPath(path: string): string {
  return path.replace(/([\\/])app\.asar([\\/])/, '$1app.asar.unpacked$2')
}
