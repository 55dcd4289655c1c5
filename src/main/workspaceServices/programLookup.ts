import { realpath } from 'node:fs/promises'
import path from 'node:path'
import type { ProgramLookup } from '../approval/readOnly/readOnlyCheck.ts'
import { commandEnvironment } from '../command/commandEnvironment.ts'
import { absoluteIn, folderPaths, type WorkspaceRoots } from '../base/workspaceRoots.ts'
import { isInsideAny, realOrSame } from '../command/sandbox/paths.ts'
import { createUserSettings } from '../git/userSettings.ts'
import { findProgram } from '../command/shellProgram.ts'
import { isWholeRepository, startsConfiguredPrograms } from './gitPrograms.ts'

/** Variables with folders from which a program loads code. An empty entry means the working directory. */
const libraryVariables = ['LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'PYTHONPATH', 'PERL5LIB', 'RUBYLIB', 'NODE_PATH']

/** Variables that the user can pass to commands and that change what a read-only command does. */
const changingVariables: Readonly<Record<string, RegExp>> = {
  git: /^GIT_(?:ALTERNATE|ATTR_|CEILING|COMMON_DIR|CONFIG|DIR$|EXEC|EXTERNAL|INDEX|OBJECT|TRACE|WORK_TREE)/,
  rg: /^RIPGREP_CONFIG_PATH$/,
}
/** The same, for all programs. */
const preloading = /^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES)$/

/**
 * Finds programs in the same way as commands that run in a folder.
 * @param passedVariables see `commandEnvironment`
 */
export function createProgramLookup(
  workspace: () => WorkspaceRoots,
  source: NodeJS.ProcessEnv = process.env,
  passedVariables: () => readonly string[] = () => [],
): ProgramLookup {
  const environment = () => commandEnvironment(source, passedVariables())
  const userSettings = createUserSettings(environment)

  async function realFile(name: string): Promise<string | undefined> {
    try {
      return await realpath(await findProgram(name, workspace().root, environment()))
    } catch {
      return undefined
    }
  }

  return {
    async unsafePath(name) {
      const variables = environment()
      const changing = Object.keys(variables).find(
        (variable) => preloading.test(variable) || changingVariables[name]?.test(variable),
      )
      if (changing !== undefined) return `The variable ${changing} can change what \`${name}\` does.`
      const folders = folderPaths(workspace())
      for (const variable of ['PATH', ...libraryVariables]) {
        const value = variables[variable] ?? ''
        // An unset PATH means a system-dependent default.
        if (value === '' && variable !== 'PATH') continue
        const problem = await foldersProblem(variable, value.split(path.delimiter), folders)
        if (problem !== undefined) return problem
      }
      const file = await realFile(name)
      return file !== undefined && isInsideAny(file, folders)
        ? `\`${name}\` is a link to a file of the workspace.`
        : undefined
    },
    realFile,
    isRepository: (gitFolder) => isWholeRepository(absoluteIn(workspace(), gitFolder)),
    startsConfigured: (gitFolder) =>
      startsConfiguredPrograms(absoluteIn(workspace(), gitFolder), {
        workspace: folderPaths(workspace()),
        home: environment().HOME,
        userSettings,
        realFile,
      }),
  }
}

/** Returns a sentence if one of a variable's folders is relative or in the workspace. */
async function foldersProblem(
  variable: string,
  folders: readonly string[],
  workspace: readonly string[],
): Promise<string | undefined> {
  if (folders.some((folder) => !path.isAbsolute(folder))) return `${variable} contains a relative folder.`
  const real = await Promise.all(folders.map(realOrSame))
  const isOwn = [...folders.map((folder) => path.normalize(folder)), ...real].some((folder) =>
    isInsideAny(folder, workspace),
  )
  return isOwn ? `${variable} contains a folder of the workspace, in which the program could be replaced.` : undefined
}
