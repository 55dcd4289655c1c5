/** Returns a long text that does not repeat itself (agent/guards/answerRepetition.ts). */
export function variedText(words: number): string {
  return Array.from({ length: words }, (_, at) => `word${at}`).join(' ')
}
