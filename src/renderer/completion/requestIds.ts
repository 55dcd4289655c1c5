let nextId = 1
// Distinguishes this page's ids from those before a reload.
const page = Math.random().toString(36).slice(2)

/** Returns an id that no other request has. */
export function newRequestId(): string {
  return `${page}-${nextId++}`
}
