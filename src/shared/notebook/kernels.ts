import type { CellOutput, OutputMessage } from './outputs.ts'

/** A kernel that can be chosen. */
export interface KernelChoice {
  /** Name of its specification. */
  name: string
  title: string
  language: string
}

/** A Python that has Jupyter, or why there is none and the command that changes it. */
export type JupyterState = { python: string; version: string } | { reason: string; installCommand?: string }

/** What a folder has to run notebooks. */
export interface KernelChoices {
  kernels: KernelChoice[]
  /** Python that runs Jupyter. Absent if none has it. */
  python?: string
  /** Why there is no kernel. */
  missing?: Extract<JupyterState, { reason: string }>
}

/** A cell that runs or waits. */
export interface CellExecution {
  key: string
  state: 'queued' | 'running'
  /** Milliseconds since the epoch at which it started. */
  startedAt?: number
  /** What the program asks for with `input()`. */
  input?: { prompt: string; password: boolean }
}

/** `unresponsive`: it did not stop after an interrupt. */
export type KernelStatus = 'starting' | 'idle' | 'busy' | 'unresponsive'

/** The kernel of a notebook. */
export interface NotebookKernel {
  path: string
  kernel: KernelChoice
  status: KernelStatus
  executions: CellExecution[]
  /** Why it runs outside the sandbox. Absent: it runs in it. */
  unsandboxed?: string
}

/** A finished run of a cell. */
export interface CellResult {
  /** What ran. */
  code: string
  outputs: CellOutput[]
  executionCount: number | null
  /** `aborted`: it did not run, or did not end, because the kernel was stopped or an earlier cell failed. */
  outcome: 'ok' | 'error' | 'aborted'
  durationMs: number
}

/** New outputs of a running cell. */
export interface CellProgress {
  path: string
  key: string
  messages: OutputMessage[]
}
