export interface SearchResult {
  title: string
  url: string
  snippet: string
}

export interface SearchResponse {
  /** Name of the search service, e.g. `DuckDuckGo`. */
  provider: string
  results: SearchResult[]
}
