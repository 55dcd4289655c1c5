/** Gives the slots of a server to the conversations that use them. */
export interface SlotOwners {
  /** Returns the slot of an owner. A new owner gets a free one, else that of the least recently used owner. */
  slotOf(owner: string): number
}

/**
 * @param count returns the number of slots, at least one
 * @param onTaken called when an owner loses its slot to another one
 */
export function createSlotOwners(count: () => number, onTaken: (slot: number) => void): SlotOwners {
  /** Slots by owner, the least recently used first. */
  const owners = new Map<string, number>()

  function freeSlot(): number {
    const used = new Set(owners.values())
    let free = 0
    while (used.has(free)) free += 1
    if (free < count()) return free
    const [oldest] = owners
    if (!oldest) return 0
    owners.delete(oldest[0])
    onTaken(oldest[1])
    return oldest[1]
  }

  return {
    slotOf(owner) {
      const known = owners.get(owner)
      owners.delete(owner)
      const slot = known !== undefined && known < count() ? known : freeSlot()
      owners.set(owner, slot)
      return slot
    },
  }
}
