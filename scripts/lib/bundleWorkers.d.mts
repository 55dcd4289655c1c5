import type { Plugin } from 'vite'

/** @param input the file of each worker, by the name of its bundle */
export function bundleWorkers(input: Record<string, string>): Plugin
