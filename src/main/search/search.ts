// Filled in by the search service.
export interface Search {}
