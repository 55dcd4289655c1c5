import { edgeKinds, type EdgeKind, type FoundReference } from './symbolTypes.ts'

// References of a file as bytes: names and receivers once, then a few small integers per reference. One row per
// reference, with its SQL indexes, would take ten times the space and most of the write time.

/** References of one file, in text order. */
type StoredReference = Omit<FoundReference, 'from'> & {
  /** Index of the innermost enclosing symbol among the file's symbols. */
  from: number | null
}

/** Returns reference kinds as bits of an integer. */
export function kindBits(kinds: readonly EdgeKind[]): number {
  return kinds.reduce((bits, kind) => bits | (1 << edgeKinds.indexOf(kind)), 0)
}

/** Bits of a reference's first integer: its kind, and which optional values follow. */
const kindMask = 7
const hasReceiver = 8
const hasOrigin = 16
const hasSymbol = 32

/** Encodes references as bytes. @param references sorted by line */
export function encodeReferences(references: readonly FoundReference[]): Uint8Array<ArrayBuffer> {
  const strings = new Map<string, number>()
  const indexOf = (text: string): number => {
    const known = strings.get(text)
    if (known !== undefined) return known
    strings.set(text, strings.size)
    return strings.size - 1
  }
  const numbers: number[] = []
  let line = 0
  for (const reference of references) {
    const { kind, name, receiver, origin, column, from } = reference
    numbers.push(
      edgeKinds.indexOf(kind) |
        (receiver === null ? 0 : hasReceiver) |
        (origin === null ? 0 : hasOrigin) |
        (from === null ? 0 : hasSymbol),
      indexOf(name),
      reference.line - line,
      column,
    )
    if (receiver !== null) numbers.push(indexOf(receiver))
    if (origin !== null) numbers.push(indexOf(origin))
    if (from !== null) numbers.push(from)
    line = reference.line
  }
  const table = Buffer.from(JSON.stringify([...strings.keys()]))
  const bytes = new Uint8Array((numbers.length + 2) * maxIntegerBytes + table.length)
  let end = writeInteger(bytes, 0, table.length)
  bytes.set(table, end)
  end += table.length
  end = writeInteger(bytes, end, references.length)
  for (const value of numbers) end = writeInteger(bytes, end, value)
  return bytes.slice(0, end)
}

/**
 * Decodes all references, or those to a name.
 * @returns each with `place`, its index among all references of the file
 */
export function decodeReferences(bytes: Uint8Array, name?: string): { place: number; reference: StoredReference }[] {
  const reader = createReader(bytes)
  const strings = reader.strings()
  const wanted = name === undefined ? -1 : strings.indexOf(name)
  if (name !== undefined && wanted < 0) return []
  const found: { place: number; reference: StoredReference }[] = []
  const count = reader.integer()
  let line = 0
  for (let place = 0; place < count; place++) {
    const flags = reader.integer()
    const nameIndex = reader.integer()
    line += reader.integer()
    const column = reader.integer()
    const receiver = flags & hasReceiver ? reader.integer() : -1
    const origin = flags & hasOrigin ? reader.integer() : -1
    const from = flags & hasSymbol ? reader.integer() : null
    if (name !== undefined && nameIndex !== wanted) continue
    found.push({
      place,
      reference: {
        // Written by `encodeReferences`.
        kind: edgeKinds[flags & kindMask] as FoundReference['kind'],
        name: strings[nameIndex] ?? '',
        receiver: receiver < 0 ? null : (strings[receiver] ?? ''),
        origin: origin < 0 ? null : (strings[origin] ?? ''),
        line,
        column,
        from,
      },
    })
  }
  return found
}

/** Integers take 7 bits per byte, lowest first; the top bit means that more follow. */
const maxIntegerBytes = 5

function writeInteger(bytes: Uint8Array, at: number, value: number): number {
  let end = at
  let rest = value >>> 0
  while (rest > 127) {
    bytes[end++] = (rest & 127) | 128
    rest >>>= 7
  }
  bytes[end++] = rest
  return end
}

function createReader(bytes: Uint8Array): { integer(): number; strings(): string[] } {
  let at = 0
  function integer(): number {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0
      value |= (byte & 127) << shift
      if (byte < 128) return value >>> 0
    }
  }
  return {
    integer,
    strings() {
      const length = integer()
      const text = Buffer.from(bytes.buffer, bytes.byteOffset + at, length).toString()
      at += length
      // Written by `encodeReferences`.
      return JSON.parse(text) as string[]
    },
  }
}
