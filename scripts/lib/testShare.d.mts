interface Durations {
  unit: Record<string, number>
  story: Record<string, number>
}
export function leftOut(kind: 'unit' | 'story', seed?: string, durations?: Durations): string[]
export function readDurations(): Durations
