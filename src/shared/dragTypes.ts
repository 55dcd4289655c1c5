/** Data type of a drag from the explorer: a workspace-relative path. */
export const dragPathType = 'application/x-tizona-path'
