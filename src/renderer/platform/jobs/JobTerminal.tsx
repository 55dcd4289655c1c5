import type { ComponentType } from 'react'
import { Spinner } from '../../ui/index.ts'
import { lazyView } from '../layout/lazyView.tsx'

export interface JobTerminalProps {
  jobId: string
  /** Accessible name. */
  label: string
  /**
   * Whether to fill the container and report its size to the job. Otherwise the terminal is as high as its output, up
   * to `maxRows`.
   */
  fill?: boolean
  maxRows?: number
  /** Called if the output cannot be loaded, for example because it is no longer stored. */
  onUnavailable?: () => void
}

let load: (() => Promise<ComponentType<JobTerminalProps>>) | undefined

/** Registers the terminal view, which terminal/ implements. Loads on first render. */
export function registerJobTerminal(loader: () => Promise<ComponentType<JobTerminalProps>>): void {
  load = loader
}

export const JobTerminal = lazyView(
  async () => {
    if (!load) throw new Error('No terminal view is registered. Call registerJobTerminal() at start.')
    return load()
  },
  <Spinner label="Loading the terminal" />,
)
