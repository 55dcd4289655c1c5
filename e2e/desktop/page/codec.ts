/** Encoding of functions and promises. Without hooks they are refused, as by structured clone. */
export interface CodecHooks {
  writeFunction(value: (...args: unknown[]) => unknown): unknown
  readFunction(reference: unknown): unknown
  writePromise(value: Promise<unknown>): unknown
  readPromise(reference: unknown): unknown
}

/** A value as text, with objects that text cannot represent (`File`) as attachments. */
export interface Encoded {
  text: string
  attachments: unknown[]
}

export interface Codec {
  /** @throws Error "An object could not be cloned." */
  encode(value: unknown): Encoded
  decode(encoded: Encoded): unknown
}

/**
 * Creates a codec for values that structured clone supports: primitives, `undefined`, `-0`, `NaN`, bigint, plain
 * objects without their prototype, arrays with holes, dates, regular expressions, maps, sets, bytes, errors, and
 * cycles.
 */
// oxlint-disable-next-line eslint/max-lines-per-function -- Pages run its source text, so it cannot call others.
export function createCodec(hooks: CodecHooks | null): Codec {
  type Node = [kind: string, ...parts: unknown[]]
  /** Maximum nesting, above which `contextBridge` refuses a value too. */
  const maxDepth = 1000
  const refuse = (): never => {
    throw new Error('An object could not be cloned.')
  }
  const bytesAsText = (bytes: Uint8Array): string => {
    let text = ''
    for (let start = 0; start < bytes.length; start += 8192)
      text += String.fromCharCode(...bytes.subarray(start, start + 8192))
    return btoa(text)
  }
  const textAsBytes = (text: string): ArrayBuffer =>
    Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer

  function encode(value: unknown): Encoded {
    const nodes: Node[] = []
    const attachments: unknown[] = []
    const seen = new Map<object, number>()

    function write(given: unknown, depth: number): unknown {
      if (given === null || typeof given === 'string' || typeof given === 'boolean') return given
      if (given === undefined) return { special: 'undefined' }
      if (typeof given === 'number')
        return Number.isFinite(given) && !Object.is(given, -0)
          ? given
          : { special: Object.is(given, -0) ? '-0' : String(given) }
      if (typeof given === 'bigint') return { bigint: String(given) }
      if (typeof given === 'symbol') return refuse()
      if (depth > maxDepth)
        throw new Error(`Recursion depth exceeded: nested objects deeper than ${maxDepth} are not supported.`)
      const known = seen.get(given)
      if (known !== undefined) return { node: known }
      const index = nodes.push(['pending']) - 1
      seen.set(given, index)
      nodes[index] = describe(given, depth + 1)
      return { node: index }
    }

    const entriesOf = (given: object, depth: number): unknown[] =>
      Object.keys(given).map((key) => [key, write((given as Record<string, unknown>)[key], depth)])

    function describe(given: object, depth: number): Node {
      if (typeof given === 'function')
        return hooks === null ? refuse() : ['function', hooks.writeFunction(given as (...args: unknown[]) => unknown)]
      if (Array.isArray(given)) return ['array', given.length, entriesOf(given, depth)]
      if (given instanceof Date) return ['date', given.getTime()]
      if (given instanceof RegExp) return ['regexp', given.source, given.flags]
      if (given instanceof Map) return ['map', [...given].map(([key, item]) => [write(key, depth), write(item, depth)])]
      if (given instanceof Set) return ['set', [...given].map((item) => write(item, depth))]
      if (given instanceof ArrayBuffer) return ['buffer', bytesAsText(new Uint8Array(given))]
      if (given instanceof DataView)
        return ['view', 'DataView', write(given.buffer, depth), given.byteOffset, given.byteLength]
      // All other views are typed arrays with a length. A Node Buffer is copied as Uint8Array.
      if (ArrayBuffer.isView(given))
        return ['view', viewName(given), write(given.buffer, depth), given.byteOffset, (given as Uint8Array).length]
      if (given instanceof Error) return ['error', given.name, given.message, given.stack]
      if (typeof Blob === 'function' && given instanceof Blob)
        return hooks === null ? refuse() : ['attachment', attachments.push(given) - 1]
      if (given instanceof Promise) return hooks === null ? refuse() : ['promise', hooks.writePromise(given)]
      if (given instanceof WeakMap || given instanceof WeakSet || given instanceof WeakRef) return refuse()
      // Host objects, such as elements and responses, have a different tag.
      if (Object.prototype.toString.call(given) !== '[object Object]') return refuse()
      return ['object', entriesOf(given, depth)]
    }

    const viewName = (view: ArrayBufferView): string => Object.prototype.toString.call(view).slice(8, -1)

    const root = write(value, 0)
    return { text: JSON.stringify({ root, nodes }), attachments }
  }

  function decode({ text, attachments }: Encoded): unknown {
    const { root, nodes } = JSON.parse(text) as { root: unknown; nodes: Node[] }
    const made = new Map<number, unknown>()

    function read(written: unknown): unknown {
      if (typeof written !== 'object' || written === null) return written
      const { special, bigint, node } = written as { special?: string; bigint?: string; node?: number }
      if (special !== undefined) return special === 'undefined' ? undefined : Number(special)
      if (bigint !== undefined) return BigInt(bigint)
      if (node === undefined) return refuse()
      if (!made.has(node)) create(node)
      return made.get(node)
    }

    function fill(target: object, entries: unknown): void {
      for (const [key, item] of entries as [string, unknown][])
        Object.defineProperty(target, key, { value: read(item), writable: true, enumerable: true, configurable: true })
    }

    /**
     * Creates the object of a node. It is registered before its content is read, because the content may refer to it.
     */
    function create(index: number): void {
      const node = nodes[index]
      if (node === undefined) return refuse()
      const [kind, first, second, third, fourth] = node
      const set = <T>(value: T): T => {
        made.set(index, value)
        return value
      }
      switch (kind) {
        case 'object':
          return fill(set({}), first)
        case 'array': {
          const list = set<unknown[]>([])
          // Holes stay holes.
          list.length = Number(first)
          return fill(list, second)
        }
        case 'date':
          return void set(new Date(Number(first)))
        case 'regexp':
          return void set(new RegExp(String(first), String(second)))
        case 'map': {
          const map = set(new Map<unknown, unknown>())
          for (const [key, item] of first as [unknown, unknown][]) map.set(read(key), read(item))
          return
        }
        case 'set': {
          const items = set(new Set<unknown>())
          for (const item of first as unknown[]) items.add(read(item))
          return
        }
        case 'buffer':
          return void set(textAsBytes(String(first)))
        case 'view': {
          // `encode` writes only names of view constructors, which are globals in every realm.
          const View = (
            globalThis as unknown as Record<string, new (buffer: unknown, offset: unknown, length: unknown) => unknown>
          )[String(first)]
          return void set(View === undefined ? refuse() : new View(read(second), third, fourth))
        }
        case 'error': {
          const error = set(new Error(String(second)))
          error.name = String(first)
          if (typeof third === 'string') error.stack = third
          return
        }
        case 'attachment':
          return void set(attachments[Number(first)])
        case 'function':
          return void set(hooks === null ? refuse() : hooks.readFunction(first))
        case 'promise':
          return void set(hooks === null ? refuse() : hooks.readPromise(first))
        default:
          return refuse()
      }
    }

    return read(root)
  }

  return { encode, decode }
}
