export interface SearchResult {
  title: string
  url: string
  snippet: string
}

/** Results of a search service. */
export interface SearchResponse {
  /** Name of the search service, e.g. `DuckDuckGo`. */
  provider: string
  results: SearchResult[]
}
