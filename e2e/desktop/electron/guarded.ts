/** Members that a destroyed object still answers, and those of its emitter. */
const alwaysAllowed = new Set([
  'isDestroyed',
  'on',
  'once',
  'off',
  'addListener',
  'removeListener',
  'removeAllListeners',
  'emit',
  'listenerCount',
  'listeners',
  'eventNames',
  'prependListener',
  'constructor',
  'then',
  'toJSON',
])

/**
 * The object as the application sees it. What the harness does not model throws by name instead of being `undefined`, so that a missing part
 * never looks like a missing feature; after `destroyed()` everything throws what Electron throws.
 */
export function guarded<T extends object>(name: string, target: T, destroyed: () => boolean = () => false): T {
  return new Proxy(target, {
    get(object, key) {
      if (typeof key === 'string' && destroyed() && !alwaysAllowed.has(key))
        throw new TypeError('Object has been destroyed')
      if (typeof key === 'string' && !(key in object) && !alwaysAllowed.has(key)) throw notModelled(`${name}.${key}`)
      const value: unknown = Reflect.get(object, key, object)
      // Bound, because a class's private members are the target's, not the proxy's.
      return typeof value === 'function' && key !== 'constructor' ? value.bind(object) : value
    },
  })
}

export function notModelled(what: string): Error {
  return new Error(`The desktop harness does not model ${what}: see e2e/desktop/README.md.`)
}

/** An event of Electron's with `preventDefault`. */
export interface Preventable {
  defaultPrevented: boolean
  preventDefault(): void
}

export function preventable<T extends object>(more: T): T & Preventable {
  const event: T & Preventable = {
    ...more,
    defaultPrevented: false,
    preventDefault() {
      event.defaultPrevented = true
    },
  }
  return event
}

/** The error of Electron's argument conversion. */
export function conversionFailure(index: number): TypeError {
  return new TypeError(`Error processing argument at index ${index}, conversion failure`)
}
