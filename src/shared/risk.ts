/** What a tool call can do to the user's machine, from harmless to irreversible. */
export const risks = ['read', 'write', 'execute', 'network', 'destructive'] as const
export type Risk = (typeof risks)[number]

/**
 * Which calls need approval. `plan` allows reads only; `yolo` requires no approval. The first four are Rustant's safety modes
 * (Safe, Cautious, Paranoid, Yolo) with the same meaning.
 */
export const modes = ['safe', 'cautious', 'paranoid', 'yolo', 'plan'] as const
export type Mode = (typeof modes)[number]

/** Normalises the spelling of a mode, such as Rustant's `Safe`. Returns other types unchanged. */
export function modeName(written: unknown): unknown {
  return typeof written === 'string' ? written.trim().toLowerCase() : written
}

export const toolsetNames = ['blade', 'ultrasushitron', 'rustant', 'rusty'] as const
export type ToolsetName = (typeof toolsetNames)[number]
