import { z } from 'zod'
import { defineTool } from '../common/toolDefinition.ts'

export const datetime = defineTool({
  name: 'datetime',
  title: 'Date and time',
  description:
    "Returns the current date and time of the user's machine: ISO 8601 with offset, weekday, time zone, and UTC.",
  risk: 'read',
  schema: () => z.object({}),
  examples: [{}],
  run: () => Promise.resolve({ text: describeTime(new Date(), Intl.DateTimeFormat().resolvedOptions().timeZone) }),
})

/** @param zone an IANA name, e.g. `Europe/Berlin` */
export function describeTime(now: Date, zone: string): string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    weekday: 'long',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  })
  const parts = new Map(format.formatToParts(now).map(({ type, value }) => [type, value]))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? ''
  // `GMT+02:00`, or `GMT` for UTC.
  const offset = part('timeZoneName').replace('GMT', '') || '+00:00'
  const iso = `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}:${part('second')}${offset}`
  return [
    `${iso} (${part('weekday')})`,
    `Time zone: ${zone}`,
    `UTC offset: ${offset}`,
    `UTC: ${now.toISOString()}`,
  ].join('\n')
}
