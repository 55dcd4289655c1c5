import { formatNumber } from './formatNumber.ts'
import { plural } from './plural.ts'

/** Formats a number of bytes for people: `12 bytes`, `1.5 MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return plural(bytes, 'byte')
  const units = ['KB', 'MB', 'GB', 'TB']
  let value = bytes / 1024
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${formatNumber(value, value < 10 ? 1 : 0)} ${units[unit]}`
}
