import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { raceTimeout } from '../../shared/async/raceTimeout.ts'
import { findProgramByName } from './programSearch.ts'

/** Milliseconds that a program has to show that it can be used. */
const probeTimeout = 10_000

/** Lists Pythons: those of virtual environments in the folders, then those on PATH. @param folders real paths */
export async function findPythons(folders: readonly string[], searchPath: string): Promise<string[]> {
  const inFolder = folders.flatMap((folder) =>
    ['.venv', 'venv', 'env'].map((name) => path.join(folder, name, 'bin/python')),
  )
  const onPath = ['python3', 'python'].flatMap((name) => findProgramByName(name, searchPath) ?? [])
  const found: string[] = []
  for (const file of [...inFolder, ...onPath]) if (await isFile(file)) found.push(file)
  return found
}

/** A program that was started only to see whether it works. */
interface ProbedProgram {
  child: ChildProcessWithoutNullStreams
  end(): Promise<void>
  release(): Promise<void>
}

/** Waits for the end of a started program, and ends it after a time limit. @returns the start of what it printed */
export async function probeProgram(program: ProbedProgram): Promise<{ code: number | null; text: string }> {
  let text = ''
  program.child.stdout.on('data', (chunk: Buffer) => (text = (text + chunk.toString('utf8')).slice(0, 1000)))
  program.child.stderr.resume()
  program.child.stdin.on('error', () => undefined)
  program.child.stdin.end()
  const exited = new Promise<number | null>((resolve) => program.child.once('close', (code) => resolve(code)))
  const code = await raceTimeout(exited, probeTimeout, -1)
  await program.end()
  await program.release()
  return { code, text: text.trim() }
}

export async function isFile(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isFile()
  } catch {
    return false // missing or not readable
  }
}
