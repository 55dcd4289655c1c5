import type { LearnedEfforts } from './reasoningEffort.ts'
import type { RequestCompat } from './requestCompat.ts'

/** Formats learned from rejected requests, by base URL and model. */
export interface CompatStore {
  get(baseUrl: string, model: string): RequestCompat | undefined
  set(baseUrl: string, model: string, compat: RequestCompat): void
  /** Optional fields that a server rejected. The caller adds to the set. */
  rejectedFields(baseUrl: string): Set<string>
  /** The reasoning efforts that a model's server named when it refused another one. */
  efforts(baseUrl: string, model: string): LearnedEfforts | undefined
  setEfforts(baseUrl: string, model: string, efforts: LearnedEfforts): void
  /** The measured speed of a model, in tokens per second. */
  speed(baseUrl: string, model: string): number | undefined
  setSpeed(baseUrl: string, model: string, tokensPerSecond: number): void
  /** Whether a server has ever answered, even if it no longer runs. */
  hasAnswered(baseUrl: string): boolean
  setAnswered(baseUrl: string): void
  /** Forgets what was learned about one server, or about all. Existing clients keep their set of rejected fields. */
  forget(baseUrl?: string): void
}

/** Maximum number of models to store a format for. Beyond it, all formats are discarded and learned again. */
const maxEntries = 64

export function createCompatStore(): CompatStore {
  const stored = new Map<string, RequestCompat>()
  const rejected = new Map<string, Set<string>>()
  const answered = new Set<string>()
  const speeds = new Map<string, number>()
  const efforts = new Map<string, LearnedEfforts>()
  const key = (baseUrl: string, model: string) => `${baseUrl} ${model}`
  return {
    get: (baseUrl, model) => stored.get(key(baseUrl, model)),
    set(baseUrl, model, compat) {
      if (stored.size >= maxEntries) stored.clear()
      stored.set(key(baseUrl, model), compat)
    },
    rejectedFields(baseUrl) {
      const fields = rejected.get(baseUrl) ?? new Set()
      if (rejected.size >= maxEntries) rejected.clear()
      rejected.set(baseUrl, fields)
      return fields
    },
    efforts: (baseUrl, model) => efforts.get(key(baseUrl, model)),
    setEfforts(baseUrl, model, accepted) {
      if (efforts.size >= maxEntries) efforts.clear()
      efforts.set(key(baseUrl, model), accepted)
    },
    speed: (baseUrl, model) => speeds.get(key(baseUrl, model)),
    setSpeed(baseUrl, model, tokensPerSecond) {
      if (speeds.size >= maxEntries) speeds.clear()
      speeds.set(key(baseUrl, model), tokensPerSecond)
    },
    hasAnswered: (baseUrl) => answered.has(baseUrl),
    setAnswered(baseUrl) {
      if (answered.size >= maxEntries) answered.clear()
      answered.add(baseUrl)
    },
    forget(baseUrl) {
      for (const known of [stored, speeds, efforts])
        for (const each of known.keys())
          if (baseUrl === undefined || each.startsWith(key(baseUrl, ''))) known.delete(each)
      for (const each of rejected.keys()) if (baseUrl === undefined || each === baseUrl) rejected.delete(each)
    },
  }
}
