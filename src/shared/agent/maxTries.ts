/** Number of tries of a task that the window starts at once. Apart from the schemas, which its first script leaves out. */
export const maxTries = 8
