/** Formats a context window for people: `512`, `8k`, `32k`. A multiple of 1,024 tokens counts in units of 1,024. */
export function formatTokens(tokens: number): string {
  return tokens < 1000 ? String(tokens) : `${Math.round(tokens / (tokens % 1024 === 0 ? 1024 : 1000))}k`
}
