/**
 * Returns a 32-bit hash of a name (FNV-1a over its UTF-16 units). SQL indexes hold hashes instead of names, since most
 * names are longer; a query compares the name too.
 */
export function nameHash(name: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < name.length; index++) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193)
  return hash | 0
}
