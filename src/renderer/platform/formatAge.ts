const steps: readonly [limit: number, unit: Intl.RelativeTimeFormatUnit, milliseconds: number][] = [
  [3_600_000, 'minute', 60_000],
  [86_400_000, 'hour', 3_600_000],
  [30 * 86_400_000, 'day', 86_400_000],
  [365 * 86_400_000, 'month', 30 * 86_400_000],
  [Number.POSITIVE_INFINITY, 'year', 365 * 86_400_000],
]
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** Formats how long ago a time was: `3 days ago`. @param at milliseconds since the epoch */
export function formatAge(at: number, now = Date.now()): string {
  const age = Math.max(0, now - at)
  if (age < 60_000) return 'now'
  const [, unit, size] = steps.find(([limit]) => age < limit) ?? ['', 'year' as const, 1]
  return relative.format(-Math.floor(age / size), unit)
}

const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

/** Formats a time as a date: `Nov 22, 2026, 12:00 PM`. */
export function formatDate(at: number): string {
  return dates.format(at)
}

const times = new Intl.DateTimeFormat('en', { timeStyle: 'medium' })

/** Formats a time of today without its date: `12:00:30 PM`, and other times like `formatDate`. */
export function formatTime(at: number, now = Date.now()): string {
  return new Date(at).toDateString() === new Date(now).toDateString() ? times.format(at) : formatDate(at)
}
