/** Formats a context size: `512`, `8k`, `32k`. A `k` is 1,024 tokens for multiples of 1,024, otherwise 1,000. */
export function formatTokens(tokens: number): string {
  return tokens < 1000 ? String(tokens) : `${Math.round(tokens / (tokens % 1024 === 0 ? 1024 : 1000))}k`
}
