/** MIME type of paths dragged from the explorer. The data is a workspace-relative path. */
export const dragPathType = 'application/x-tizona-path'
