/** Header size: signature, version, number of entries. */
const headerBytes = 12
/** Offsets in an entry: mode, flags (SHA-1 has 20 bytes). */
const modeOffset = 24
const flagsOffset = 60
const isExtended = 0x4000
const nameLengthMask = 0xfff
/** Maximum length of a path. */
const maxNameBytes = 64 * 1024
/** Extensions with entry offsets, which git reads in several threads if there are many. */
const positions: readonly string[] = ['EOIE', 'IEOT']
const gitlink = 0o160000
const folder = 0o040000

/**
 * Returns the paths of the submodules in an index (gitformat-index(5)). Undefined if the file cannot be interpreted
 * with certainty or does not list all of them: a split index refers to another file, and a sparse one has folders as
 * entries. Also undefined for an index in which git, which validates little, could find other names.
 * @param bytes of `.git/index`, with SHA-1
 */
export function submodulesInIndex(bytes: Buffer): string[] | undefined {
  if (bytes.length < headerBytes + 20 || bytes.toString('latin1', 0, 4) !== 'DIRC') return undefined
  const version = bytes.readUInt32BE(4)
  if (version < 2 || version > 4) return undefined
  const end = bytes.length - 20
  const submodules: string[] = []
  /** In version 4, the name of the previous entry. */
  const name = Buffer.alloc(maxNameBytes)
  let nameLength = 0
  let at = headerBytes
  for (let entries = bytes.readUInt32BE(8); entries > 0; entries--) {
    if (at + flagsOffset + 2 > end) return undefined
    const mode = bytes.readUInt32BE(at + modeOffset)
    const flags = bytes.readUInt16BE(at + flagsOffset)
    const length = flags & nameLengthMask
    let start = at + flagsOffset + (flags & isExtended ? 4 : 2)
    if (mode === folder) return undefined
    if (version === 4) {
      // The name is the previous one without its last bytes, plus what follows.
      let removed = 0
      let byte: number
      do {
        byte = bytes[start] ?? 0
        removed = (removed << 7) + (byte & 0x7f)
        if (byte & 0x80) removed += 1
        if (removed > maxNameBytes) return undefined
        start += 1
      } while (byte & 0x80)
      const stop = bytes.indexOf(0, start)
      const kept = nameLength - removed
      nameLength = kept + stop - start
      if (stop < 0 || kept < 0 || nameLength > maxNameBytes) return undefined
      if (length !== Math.min(nameLength, nameLengthMask)) return undefined
      bytes.copy(name, kept, start, stop)
      if (mode === gitlink) submodules.push(name.toString('utf8', 0, nameLength))
      at = stop + 1
    } else {
      const stop = bytes.indexOf(0, start)
      if (stop < 0 || stop > end || length !== Math.min(stop - start, nameLengthMask)) return undefined
      if (mode === gitlink) submodules.push(bytes.toString('utf8', start, stop))
      // Padded with zero bytes to a multiple of eight.
      at += (Math.floor((stop - at) / 8) + 1) * 8
    }
  }
  // A name that is not UTF-8 would decode to a different name.
  const isUncertain = submodules.some((place) => place.includes('\uFFFD')) || isUncertainAfter(bytes, at, end)
  return isUncertain ? undefined : submodules
}

/**
 * Whether an extension follows that affects the entries: one with offsets, or a mandatory one, whose name is not in
 * capital letters.
 */
function isUncertainAfter(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 8 + bytes.readUInt32BE(at + 4)) {
    const name = bytes.toString('latin1', at, at + 4)
    if (at + 8 > end || !/^[A-Z]/.test(name) || positions.includes(name)) return true
  }
  return false
}
