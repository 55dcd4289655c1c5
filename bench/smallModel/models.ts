import type { Features } from '../../src/main/base/features.ts'
import { brokenJson, careless, hermes, native, qwenCoder, wrongTypes, type CallFormat } from './callFormats.ts'
import { fallsSilent, hasty, loops, misnames, promises, type Defect } from './defects.ts'

/** A scripted model with one defect, and properties of its server. */
export interface SmallModel {
  id: string
  title: string
  format: CallFormat
  defect?: Defect
  /** Context size in tokens. */
  window: number
  /** Whether the server silently drops the start of longer requests. Otherwise it refuses them. */
  cutsSilently?: boolean
  /** Whether the server refuses requests with tools. */
  refusesTools?: boolean
  /** Features that the model needs to finish the task. */
  needs: readonly (keyof Features)[]
}

const roomy = 32_768

export const smallModels: readonly SmallModel[] = [
  { id: 'native', title: 'well-behaved', format: native, window: roomy, needs: [] },
  { id: 'careless', title: 'copies code without its indentation', format: careless, window: roomy, needs: [] },
  { id: 'hermes', title: 'writes calls as text (Hermes)', format: hermes, window: roomy, needs: ['textCalls'] },
  {
    id: 'qwen-coder',
    title: 'writes calls as text (Qwen3-Coder)',
    format: qwenCoder,
    window: roomy,
    needs: ['textCalls'],
  },
  {
    id: 'no-tools',
    title: 'has no `tools` parameter',
    format: hermes,
    window: roomy,
    refusesTools: true,
    needs: ['textPrompt', 'textCalls'],
  },
  { id: 'broken-json', title: 'writes broken JSON', format: brokenJson, window: roomy, needs: ['repair'] },
  {
    id: 'wrong-types',
    title: 'writes numbers and lists as text',
    format: wrongTypes,
    window: roomy,
    needs: ['coerce'],
  },
  { id: 'loops', title: 'repeats itself', format: native, defect: loops, window: roomy, needs: ['guards'] },
  {
    id: 'promises',
    title: 'promises a call and stops',
    format: native,
    defect: promises,
    window: roomy,
    needs: ['nudge'],
  },
  {
    id: 'silent',
    title: 'answers with nothing',
    format: native,
    defect: fallsSilent,
    window: roomy,
    needs: ['nudge'],
  },
  {
    id: 'hasty',
    title: 'breaks the syntax and does not look',
    format: native,
    defect: hasty,
    window: roomy,
    needs: ['diagnostics'],
  },
  {
    id: 'misnames',
    title: 'misspells names and does not look',
    format: native,
    defect: misnames,
    window: roomy,
    needs: ['languageServers'],
  },
  {
    id: '8k',
    title: 'has a window of 8,192 tokens that is cut silently',
    format: native,
    window: 8192,
    cutsSilently: true,
    needs: ['budget'],
  },
]
