/**
 * Programs that outlive their call, such as an external agent between its turns. They can change files at any time.
 * Such a change looks like one that the user makes in another program, so it is attributed to the program, unless
 * Tizona made it for the user or another commit was checked out with it.
 */
export class StayingPrograms {
  readonly #head: () => Promise<string | undefined>
  /** Turns by program, which is identified by the promise of its exit. The latest turn is last. */
  readonly #turns = new Map<Promise<unknown>, string>()
  /** Number of changes in progress that Tizona makes for the user. */
  #userChanges = 0
  #knownHead: string | undefined

  /** @param head returns the id of the latest commit */
  constructor(head: () => Promise<string | undefined>) {
    this.#head = head
  }

  get any(): boolean {
    return this.#turns.size > 0
  }

  has(program: Promise<unknown>): boolean {
    return this.#turns.has(program)
  }

  /** Adds a program after a turn, or sets its new turn. */
  async add(program: Promise<unknown>, turn: string): Promise<void> {
    this.#turns.delete(program)
    this.#turns.set(program, turn)
    this.#knownHead = await this.#head()
  }

  delete(program: Promise<unknown>): void {
    this.#turns.delete(program)
  }

  /** Forgets all programs. */
  close(): void {
    this.#turns.clear()
  }

  /** Reports that Tizona starts to change files for the user. @returns a function that reports the end */
  userChanging(): () => void {
    this.#userChanges += 1
    return () => {
      this.#userChanges -= 1
    }
  }

  /** Returns the turn to attribute changes to that no call has made; undefined if they are the user's. */
  async turnOfChanges(): Promise<string | undefined> {
    if (!this.any || this.#userChanges > 0) return undefined
    const head = await this.#head()
    if (head !== this.#knownHead) {
      this.#knownHead = head
      return undefined
    }
    return [...this.#turns.values()].at(-1)
  }
}
