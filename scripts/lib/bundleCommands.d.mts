import type { Plugin } from 'vite'

/** @param chunkName the chunk that exports the commands */
export function bundleCommands(chunkName: string): Plugin
export function checkInstances(files: readonly { type: string; imports?: string[]; dynamicImports?: string[] }[]): void
export function moduleFunction(code: string): Promise<string>
