import type { DebugTarget } from '../../shared/debug/debugRequests.ts'
import { ToolError } from '../../shared/errors.ts'
import type { DebugTargets } from './debugTargets.ts'

/** The targets of one folder of a multi-root workspace. */
interface FolderTargets {
  /** Name of the folder. */
  folder: string
  targets: DebugTargets
}

/** Combines the targets of the folders of a workspace. As in VS Code, a configuration's name ends with its folder. */
export function createFolderTargets(all: readonly FolderTargets[]): DebugTargets {
  const suffixOf = ({ folder }: FolderTargets): string => ` (${folder})`

  function ofName(name: string): FolderTargets & { name: string } {
    const found = all.find((each) => name.endsWith(suffixOf(each)))
    if (!found)
      throw new ToolError(
        'not_found',
        `No folder of the workspace has a configuration "${name}".`,
        `End the name with the folder: ${all.map(({ folder }) => `"${name} (${folder})"`).join(' or ')}.`,
      )
    return { ...found, name: name.slice(0, -suffixOf(found).length) }
  }

  function ofPath(path: string): FolderTargets & { inside: string } {
    const found = all.find(({ folder }) => path.startsWith(`${folder}/`))
    if (!found) throw new ToolError('not_found', `"${path}" is in no folder of the workspace.`)
    return { ...found, inside: path.slice(found.folder.length + 1) }
  }

  function resolved(target: DebugTarget): { targets: DebugTargets | undefined; target: DebugTarget } {
    if (target.kind === 'attach') return { targets: all[0]?.targets, target }
    if (target.kind === 'configuration') {
      const { targets, name } = ofName(target.name)
      return { targets, target: { ...target, name } }
    }
    const { targets, inside } = ofPath(target.path)
    return { targets, target: { ...target, path: inside } }
  }

  return {
    async choices() {
      const found = await Promise.all(
        all.map(async (each) => ({ suffix: suffixOf(each), ...(await each.targets.choices()) })),
      )
      const problems = found.flatMap(({ problem }) => problem ?? [])
      return {
        choices: found.flatMap(({ suffix, choices }) =>
          choices.map((choice) => ({ ...choice, name: choice.name + suffix })),
        ),
        ...(problems.length > 0 && { problem: problems.join(' ') }),
      }
    },
    inputs(given) {
      const { targets, name } = ofName(given)
      return targets.inputs(name)
    },
    async resolve(given, owner, signal) {
      const { targets, target } = resolved(given)
      return (await targets?.resolve(target, owner, signal)) ?? []
    },
  }
}
