/** Effects that a tool call can have, from harmless to irreversible. */
export const risks = ['read', 'write', 'execute', 'network', 'destructive'] as const
export type Risk = (typeof risks)[number]

/**
 * Modes decide which calls need approval. The first four are Rustant's safety modes, with the same meaning. `plan`
 * allows read calls only.
 */
export const modes = ['safe', 'cautious', 'paranoid', 'yolo', 'plan'] as const
export type Mode = (typeof modes)[number]

/** Converts a mode such as Rustant's `Safe` to lower case. Returns non-strings unchanged. */
export function normalizeMode(written: unknown): unknown {
  return typeof written === 'string' ? written.trim().toLowerCase() : written
}

export const toolsetNames = ['blade', 'ultrasushitron', 'rustant', 'rusty'] as const
export type ToolsetName = (typeof toolsetNames)[number]
