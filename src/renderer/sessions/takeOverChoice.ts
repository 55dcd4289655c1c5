import type { RequestParams } from '../../shared/bridge/protocol.ts'
import type { SessionFileDiff } from '../../shared/git/sessionRequests.ts'

/** Chosen hunks by path. A file that can only be taken over as a whole has one. */
export type Choice = ReadonlyMap<string, ReadonlySet<number>>

function allOf({ divisible, hunks }: SessionFileDiff): Set<number> {
  return new Set(divisible ? hunks.keys() : [0])
}

/** Chooses everything but protected files and links that lead outside. */
export function initialChoice(files: readonly SessionFileDiff[]): Choice {
  const chosen = files.filter(({ isProtected, link }) => !isProtected && link?.leadsOutside !== true)
  return new Map(chosen.map((file) => [file.path, allOf(file)]))
}

/** Keeps what was chosen of files that are the same as before. */
export function choiceAfterLoad(
  files: readonly SessionFileDiff[],
  before: readonly SessionFileDiff[],
  choice: Choice,
): Choice {
  const isKnown = ({ path, revision }: SessionFileDiff) =>
    before.some((each) => each.path === path && each.revision === revision)
  const kept = files.filter(isKnown).map(({ path }) => [path, choice.get(path) ?? new Set<number>()] as const)
  return new Map([...initialChoice(files), ...kept])
}

export function chosenCount({ path }: SessionFileDiff, choice: Choice): number {
  return choice.get(path)?.size ?? 0
}

export function choiceOf(file: SessionFileDiff, choice: Choice): 'all' | 'some' | 'none' {
  const count = chosenCount(file, choice)
  return count === 0 ? 'none' : count === allOf(file).size ? 'all' : 'some'
}

/** Chooses all of a file, or nothing if all is chosen. */
export function toggleFile(file: SessionFileDiff, choice: Choice): Choice {
  return new Map(choice).set(file.path, choiceOf(file, choice) === 'all' ? new Set() : allOf(file))
}

export function toggleHunk(file: SessionFileDiff, index: number, choice: Choice): Choice {
  const hunks = new Set(choice.get(file.path))
  if (!hunks.delete(index)) hunks.add(index)
  return new Map(choice).set(file.path, hunks)
}

/** Returns what the request takes over. */
export function chosenFiles(
  files: readonly SessionFileDiff[],
  choice: Choice,
): NonNullable<RequestParams<'sessions.takeOver'>['selection']> {
  return files
    .filter((file) => choiceOf(file, choice) !== 'none')
    .map((file) => ({
      path: file.path,
      revision: file.revision,
      hunks: choiceOf(file, choice) === 'all' ? null : [...(choice.get(file.path) ?? [])].toSorted((a, b) => a - b),
    }))
}
