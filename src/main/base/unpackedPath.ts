/** Returns the unpacked copy of a path inside `app.asar`. Programs inside the archive cannot be started. */
export function unpackedPath(path: string): string {
  return path.replace(/([\\/])app\.asar([\\/])/, '$1app.asar.unpacked$2')
}
