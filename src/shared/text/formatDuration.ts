import { formatNumber } from './formatNumber.ts'

/** Formats whole seconds, which only flicker with a fraction: `8 s`, `2 min 05 s`. */
export function formatSeconds(seconds: number): string {
  return seconds < 60 ? `${Math.floor(seconds)} s` : formatDuration(seconds * 1000)
}

/** Formats a duration for people: `180 ms`, `2.4 s`, `1 min 05 s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  const seconds = milliseconds / 1000
  if (seconds < 60) return `${formatNumber(seconds, seconds < 10 ? 1 : 0)} s`
  return `${Math.floor(seconds / 60)} min ${String(Math.floor(seconds % 60)).padStart(2, '0')} s`
}
