/** How a model calls tools. */
export const toolCallMethods = ['native', 'text', 'guided'] as const
export type ToolCallMethod = (typeof toolCallMethods)[number]

export const toolCallMethodTexts: Readonly<Record<ToolCallMethod, string>> = {
  native: 'Native',
  text: 'As text',
  guided: 'Guided',
}
