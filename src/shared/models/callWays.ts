/** Ways in which a model calls tools. */
export const callWays = ['native', 'text', 'guided'] as const
export type CallWay = (typeof callWays)[number]

export const callWayTexts: Readonly<Record<CallWay, string>> = {
  native: 'Through the server',
  text: 'In the text of the answer',
  guided: 'Guided',
}
