import type { SessionConfigOption, SessionUpdate } from '@agentclientprotocol/sdk'
import { modeTexts } from '../../../shared/tools/modeTexts.ts'
import { modes, type Mode } from '../../../shared/tools/risk.ts'

/** Where a session works: the folder that the client opened, or a worktree on a branch of its own. */
export type Place = 'folder' | 'worktree'

/** Ids of the options, which clients store. */
export const configIds = { mode: 'mode', place: 'place' } as const

const placeTexts: Readonly<Record<Place, { name: string; description: string }>> = {
  folder: { name: 'This folder', description: 'Works on the files that you see.' },
  worktree: {
    name: 'New worktree',
    description: 'Works in a git worktree on a branch of its own. Your folder stays as it is.',
  },
}

/** The settings of a session, as known to the client. */
export interface SessionSettings {
  mode(): Mode
  options(): SessionConfigOption[]
  /** @returns the updates for the client */
  changeMode(mode: Mode): SessionUpdate[]
  /** Makes the session stay where it works. @returns the updates for the client, if it could be chosen until now */
  fixPlace(): SessionUpdate[]
}

/** @param choosable whether the user can still choose where the session works */
export function createSessionSettings(mode: Mode, place: Place, choosable: boolean): SessionSettings {
  const current = { mode, choosable }
  const options = () => configOptions(current.mode, place, current.choosable)
  const update = (): SessionUpdate => ({ sessionUpdate: 'config_option_update', configOptions: options() })
  return {
    mode: () => current.mode,
    options,
    changeMode(next) {
      if (next === current.mode) return []
      current.mode = next
      return [{ sessionUpdate: 'current_mode_update', currentModeId: next }, update()]
    },
    fixPlace() {
      if (!current.choosable) return []
      current.choosable = false
      return [update()]
    },
  }
}

/**
 * Returns the options that the client shows. Clients that show them ignore the older list of modes, so the mode is one.
 *
 * @param choosable whether the user can still choose where the session works
 */
function configOptions(mode: Mode, place: Place, choosable: boolean): SessionConfigOption[] {
  const places = choosable ? (['folder', 'worktree'] as const) : [place]
  return [
    {
      id: configIds.mode,
      name: 'Mode',
      description: 'Which calls need your approval.',
      category: 'mode',
      type: 'select',
      currentValue: mode,
      options: modes.map((value) => ({ value, name: modeTexts[value].label, description: modeTexts[value].detail })),
    },
    {
      id: configIds.place,
      name: 'Where to work',
      description: 'Can be chosen before the first message.',
      type: 'select',
      currentValue: place,
      options: places.map((value) => ({
        value,
        ...(place === 'worktree' ? { ...placeTexts.worktree, name: 'Worktree' } : placeTexts[value]),
      })),
    },
  ]
}
