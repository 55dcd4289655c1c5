/** What a drag from the explorer carries: a path relative to the workspace. */
export const dragPathType = 'application/x-tizona-path'
