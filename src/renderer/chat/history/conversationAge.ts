const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Formats an age: "now", "5 min", "3 h", "2 d", then the date. Both times are in milliseconds since the epoch. */
export function formatAge(at: number, now: number): string {
  const age = now - at
  if (age < minute) return 'now'
  if (age < hour) return `${Math.floor(age / minute)} min`
  if (age < day) return `${Math.floor(age / hour)} h`
  if (age < 7 * day) return `${Math.floor(age / day)} d`
  return new Date(at).toLocaleDateString('en', { day: 'numeric', month: 'short', year: 'numeric' })
}
