/** What a tool call can do to the user's machine, from harmless to irreversible. */
export const risks = ['read', 'write', 'execute', 'network', 'destructive'] as const
export type Risk = (typeof risks)[number]

/**
 * How much the user wants to be asked. `plan` allows reads only; `yolo` asks for nothing. The first four are
 * Rustant's safety modes (Safe, Cautious, Paranoid, Yolo) with its meaning.
 */
export const modes = ['safe', 'cautious', 'paranoid', 'yolo', 'plan'] as const
export type Mode = (typeof modes)[number]

/** A mode as people and other systems write it: Rustant's own spelling is `Safe`. What is no text is given back as it is. */
export function modeName(written: unknown): unknown {
  return typeof written === 'string' ? written.trim().toLowerCase() : written
}

export const toolsetNames = ['blade', 'ultrasushitron', 'rustant', 'rusty'] as const
export type ToolsetName = (typeof toolsetNames)[number]
