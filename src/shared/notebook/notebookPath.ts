/** Whether a file is a notebook by its name. */
export const isNotebookPath = (path: string): boolean => /\.ipynb$/i.test(path)
