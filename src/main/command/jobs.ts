// Filled in by the command service.
export interface Jobs {}
