import { apertus } from './apertus.ts'
import { deepseek } from './deepseek.ts'
import type { Dialect } from './dialect.ts'
import { functionary } from './functionary.ts'
import { functionTag } from './functionTag.ts'
import { gemma } from './gemma.ts'
import { harmony } from './harmony.ts'
import { invokeTag } from './invokeTag.ts'
import { jsonSection } from './jsonSection.ts'
import { kimi } from './kimi.ts'
import { llama } from './llama.ts'
import { mistral } from './mistral.ts'
import { react } from './react.ts'
import { toolCallTag } from './toolCallTag.ts'

/** All dialects with an unambiguous envelope. bareCalls.ts reads calls without one. */
export const dialects: readonly Dialect[] = [
  toolCallTag,
  functionTag,
  invokeTag,
  jsonSection,
  llama,
  mistral,
  deepseek,
  kimi,
  harmony,
  gemma,
  apertus,
  functionary,
  react,
]
