import { broken } from './broken.ts'
import { dialects } from './dialects.ts'
import { llamaCpp } from './llamaCpp.ts'
import { ollama } from './ollama.ts'
import { others } from './others.ts'
import type { Recording } from './recording.ts'

/** The conformance set: responses of local model servers, and the expected results. */
export const recordings: readonly Recording[] = [...llamaCpp, ...ollama, ...others, ...dialects, ...broken]
