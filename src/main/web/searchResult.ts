export interface SearchResult {
  title: string
  url: string
  snippet: string
}

export interface SearchAnswer {
  /** Who answered, e.g. `DuckDuckGo`. */
  provider: string
  results: SearchResult[]
}
