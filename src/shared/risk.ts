/** What a tool call can do to the user's machine, from harmless to irreversible. */
export const risks = ['read', 'write', 'execute', 'network', 'destructive'] as const
export type Risk = (typeof risks)[number]

/** How much the user wants to be asked. `plan` allows reads only; `yolo` asks for nothing. */
export const modes = ['safe', 'cautious', 'paranoid', 'yolo', 'plan'] as const
export type Mode = (typeof modes)[number]

export const toolsetNames = ['blade', 'ultrasushitron', 'rustant', 'rusty'] as const
export type ToolsetName = (typeof toolsetNames)[number]
