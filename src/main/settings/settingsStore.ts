import { join } from 'node:path'
import { toFailure } from '../../shared/errors.ts'
import { settingsFileSchema, type Settings } from '../../shared/settings/settings.ts'
import { followJsonFile, openJsonFile } from './jsonFile.ts'

const fileName = 'settings.json'
/** Settings of the section `approval` that restrict calls. */
const isRuleSetting = (name: string) => /^(?:rules|protectedpaths|secretpaths)$/i.test(name)

export interface SettingsStore {
  /** The effective settings: the stored ones, overridden by those of this process. */
  get(): Settings
  /**
   * Why the approval rules are not completely known, as a clause; undefined if they are. If set, every call requires
   * approval.
   */
  rulesProblem(): string | undefined
  /**
   * Replaces the given settings. Listeners are called after the file is written.
   * @throws ZodError if a value is invalid
   */
  set(patch: Partial<Settings>): Promise<Settings>
  /** Applies a change that depends on the stored settings. */
  update(change: (stored: Settings) => Partial<Settings>): Promise<Settings>
  /** Resolves when all changes requested so far are in effect or have failed, and their listeners have been called. */
  applied(): Promise<void>
  /** Watches the file for changes by other programs, and applies them. @returns a function that stops watching */
  follow(): () => void
  /** @returns a function that unsubscribes */
  onChanged(listener: (settings: Settings) => void): () => void
}

/**
 * Opens `settings.json` in the user data folder, which agents cannot edit. Invalid values fall back to their defaults,
 * and a notice names them.
 * @param processOverrides override stored settings and are never stored; setting a field removes its override
 */
export async function createSettingsStore(
  userDataFolder: string,
  onNotice: (message: string) => void,
  processOverrides: Partial<Settings> = {},
): Promise<SettingsStore> {
  const file = await openJsonFile(join(userDataFolder, fileName), settingsFileSchema, {}, onNotice)
  const listeners = new Set<(settings: Settings) => void>()
  let overrides = processOverrides
  let last: { stored: Settings; overrides: Partial<Settings>; effective: Settings } | undefined
  // Each tool call reads the settings once per tool.
  const get = () => {
    const stored = file.value
    if (last?.stored !== stored || last.overrides !== overrides)
      last = { stored, overrides, effective: { ...stored, ...overrides } }
    return last.effective
  }
  let applied = Promise.resolve()
  const apply = async (change: (stored: Settings) => Partial<Settings>) => {
    let patch: Partial<Settings> = {}
    await file.update((stored) => {
      patch = change(stored)
      return { ...stored, ...patch }
    })
    overrides = Object.fromEntries(Object.entries(overrides).filter(([field]) => !Object.hasOwn(patch, field)))
    for (const listener of listeners) listener(get())
    return get()
  }
  const update = (change: (stored: Settings) => Partial<Settings>) => {
    const changed = apply(change)
    applied = Promise.allSettled([applied, changed]).then(() => undefined)
    return changed
  }
  return {
    get,
    rulesProblem() {
      // Rules under a misspelt key (`Approval`, `approval.rules`) may be missing.
      const problem = file.problems.find(
        ({ path: [section, name] }) =>
          section === undefined ||
          (/^approval\b/i.test(String(section)) && (name === undefined || isRuleSetting(String(name)))),
      )
      if (problem === undefined) return undefined
      const place = problem.path.length === 0 ? '' : `${problem.path.join('.')}: `
      return `The approval rules in ${fileName} cannot be read completely (${place}${problem.why}).`
    },
    set: (patch) => update(() => patch),
    update,
    applied: () => applied,
    follow: () =>
      followJsonFile(
        join(userDataFolder, fileName),
        file,
        () => {
          for (const listener of listeners) listener(get())
        },
        onNotice,
        (error) =>
          onNotice(`Tizona cannot detect changes to the settings by other programs. ${toFailure(error).message}`),
      ),
    onChanged(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
