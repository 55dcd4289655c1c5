/** Members that remain usable after an object is destroyed. */
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
 * Wraps an object of the harness for the application. Members that the harness does not model throw an error with their
 * name, because `undefined` would look like a missing feature of Electron. After `destroyed()`, all members throw
 * Electron's error.
 */
export function guarded<T extends object>(name: string, target: T, destroyed: () => boolean = () => false): T {
  return new Proxy(target, {
    get(object, key) {
      if (typeof key === 'string' && destroyed() && !alwaysAllowed.has(key))
        throw new TypeError('Object has been destroyed')
      if (typeof key === 'string' && !(key in object) && !alwaysAllowed.has(key)) throw notModelled(`${name}.${key}`)
      const value: unknown = Reflect.get(object, key, object)
      // Bound to the target, because a proxy has no access to private members.
      return typeof value === 'function' && key !== 'constructor' ? value.bind(object) : value
    },
  })
}

export function notModelled(what: string): Error {
  return new Error(`The desktop harness does not model ${what}: see e2e/desktop/README.md.`)
}

/** An Electron event with `preventDefault`. */
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

/** Creates the error of Electron's argument conversion. */
export function conversionFailure(index: number): TypeError {
  return new TypeError(`Error processing argument at index ${index}, conversion failure`)
}
