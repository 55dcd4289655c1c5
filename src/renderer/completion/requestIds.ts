let nextId = 1
// Distinguishes the ids of this page from those of the page before a reload.
const page = Math.random().toString(36).slice(2)

/** Returns an id that no other request has. */
export function newRequestId(): string {
  return `${page}-${nextId++}`
}
