/** Returns the parent folders of a relative path, outermost first, without the workspace itself. */
export function parentFolders(place: string): string[] {
  const names = place.split('/').slice(0, -1)
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}
