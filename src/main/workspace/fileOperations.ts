// Filled in by the workspace service.
export interface FileOperations {}
