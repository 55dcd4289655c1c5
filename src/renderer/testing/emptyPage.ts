import { afterAll } from 'vitest'

// Test files in one process share a page. Each leaves it empty and removes the listeners that its modules added.

type Arguments = [
  type: string,
  listener: EventListenerOrEventListenerObject,
  options?: boolean | AddEventListenerOptions,
]

const added: [EventTarget, Arguments][] = []
const originals = [window, document].map((target) => {
  const original = target.addEventListener
  target.addEventListener = (...args: Arguments) => {
    // React adds this one once for all files.
    if (args[0] !== 'selectionchange') added.push([target, args])
    original.apply(target, args)
  }
  return { target, original }
})

afterAll(() => {
  for (const { target, original } of originals) target.addEventListener = original
  for (const [target, args] of added) target.removeEventListener(...args)
  document.body.replaceChildren()
  localStorage.clear()
})
