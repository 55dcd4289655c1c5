import path from 'node:path'
import { pathExists } from '../base/smallFile.ts'
import type { ServerDefinition } from './serverTable.ts'

/** Checks for the configuration and project files that decide what servers are used for. */
export function createProjectFiles(root: string, table: readonly ServerDefinition[]) {
  /** Ids of the servers that are used only with a configuration file, and have one. */
  const configured = new Set<string>()
  return {
    isConfigured: ({ id, onlyWith }: ServerDefinition): boolean => onlyWith === undefined || configured.has(id),

    /** Checks which servers have their configuration file. */
    async check(): Promise<void> {
      for (const { id, onlyWith = [] } of table) {
        const found = await Promise.all(onlyWith.map((name) => pathExists(path.join(root, name))))
        if (found.includes(true)) configured.add(id)
        else configured.delete(id)
      }
    },

    /** Whether one of these files is the configuration file of a server. */
    includesConfiguration: (files: readonly string[]): boolean =>
      table.some(({ onlyWith = [] }) => onlyWith.some((name) => files.includes(name))),

    /** Whether a server knows all files of the project that a file belongs to. */
    async knowsProject({ projectFiles }: ServerDefinition, file: string): Promise<boolean> {
      if (projectFiles === undefined) return true
      for (let folder = path.posix.dirname(file); ; folder = path.posix.dirname(folder)) {
        const found = await Promise.all(projectFiles.map((name) => pathExists(path.join(root, folder, name))))
        if (found.includes(true)) return true
        if (folder === '.') return false
      }
    },
  }
}
