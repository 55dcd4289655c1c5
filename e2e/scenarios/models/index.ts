import { broken } from './broken.ts'
import { dialects } from './dialects.ts'
import { llamaCpp } from './llamaCpp.ts'
import { ollama } from './ollama.ts'
import { others } from './others.ts'
import type { Recording } from './recording.ts'

/** The conformance set: what local model servers send, and what must become of it. */
export const recordings: readonly Recording[] = [...llamaCpp, ...ollama, ...others, ...dialects, ...broken]
