import { closeSync, openSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { makeFolderSync } from '../../base/makeFolder.ts'
import { isRunning, thisProcess } from '../../base/processIdentity.ts'
import { log } from '../../base/log/log.ts'

/** The files in which the process of a model keeps prompts (savedPrompts.ts). */
export interface StateFile {
  path: string
  remove(): void
}

/** Names of the files that this process uses. Several cores share the folder. */
const used = new Set<string>()
let files = 0

/**
 * Creates an empty file that only the user can read, and removes files of killed processes. Synchronous, because it is
 * called while a process starts.
 * @returns undefined if the file cannot be created
 */
export function createStateFile(folder: string): StateFile | undefined {
  try {
    makeFolderSync(folder)
    for (const name of readdirSync(folder)) if (!isUsed(name)) removeFile(path.join(folder, name))
    const { pid, start } = thisProcess()
    const name = `${pid}-${start}-${files++}.bin`
    const file = path.join(folder, name)
    closeSync(openSync(file, 'wx', 0o600))
    used.add(name)
    return {
      path: file,
      remove() {
        used.delete(name)
        for (const each of filesOf(folder, name)) removeFile(each)
      },
    }
  } catch (error) {
    log.warn('Prompts of model files are not kept, because there is no file for them', error)
    return undefined
  }
}

/** Returns the path of another file of the same process. @param number from 1 */
export function siblingStateFile(file: string, number: number): string {
  return `${file}.${number}`
}

function filesOf(folder: string, name: string): string[] {
  try {
    return readdirSync(folder)
      .filter((each) => baseOf(each) === name)
      .map((each) => path.join(folder, each))
  } catch {
    // The folder is gone, and its files with it.
    return []
  }
}

const baseOf = (name: string): string => name.replace(/\.\d+$/, '')

function isUsed(name: string): boolean {
  const [pid, start = ''] = name.split('-')
  const own = thisProcess()
  const owner = { pid: Number(pid), start }
  return owner.pid === own.pid && start === own.start ? used.has(baseOf(name)) : isRunning(owner)
}

function removeFile(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch (error) {
    // On Windows, an exiting process still has it open. The next start removes it.
    log.info(`${file} was not removed: ${error instanceof Error ? error.message : String(error)}`)
  }
}
