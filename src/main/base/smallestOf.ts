import { sortInParts } from './sortInParts.ts'

/** Keeps the smallest items of a sequence, up to a limit, in a max-heap. */
export class Smallest<T> {
  readonly #limit: number
  readonly #compare: (a: T, b: T) => number
  readonly #heap: T[] = []

  /** @param compare a total order, so that the result does not depend on the insertion order */
  constructor(limit: number, compare: (a: T, b: T) => number) {
    this.#limit = limit
    this.#compare = compare
  }

  get size(): number {
    return this.#heap.length
  }

  /** The largest kept item, replaced by the next smaller one. Undefined until the limit is reached. */
  get largest(): T | undefined {
    return this.#heap.length < this.#limit ? undefined : this.#heap[0]
  }

  /** Adds an item unless it is larger than all kept items. @returns whether it was added */
  add(item: T): boolean {
    const heap = this.#heap
    if (heap.length < this.#limit) {
      heap.push(item)
      this.#rise(heap.length - 1)
      return true
    }
    const top = heap[0]
    if (top === undefined || this.#compare(item, top) >= 0) return false
    heap[0] = item
    this.#sink(0)
    return true
  }

  /** Removes items. @returns their number */
  remove(matches: (item: T) => boolean): number {
    const kept = this.#heap.filter((item) => !matches(item))
    const removed = this.#heap.length - kept.length
    if (removed > 0) {
      this.#heap.length = 0
      for (const item of kept) this.add(item)
    }
    return removed
  }

  /** Returns the kept items, smallest first. */
  sorted(): T[] {
    return this.#heap.toSorted(this.#compare)
  }

  /** Like `sorted`, but yields to other work. */
  sortedInParts(): Promise<T[]> {
    return sortInParts(this.#heap, this.#compare)
  }

  #rise(from: number): void {
    for (let at = from; at > 0;) {
      const parent = (at - 1) >> 1
      if (!this.#swapIfLarger(at, parent)) return
      at = parent
    }
  }

  #sink(from: number): void {
    for (let at = from; ;) {
      const left = 2 * at + 1
      if (left >= this.#heap.length) return
      const child = left + 1 < this.#heap.length && this.#isLarger(left + 1, left) ? left + 1 : left
      if (!this.#swapIfLarger(child, at)) return
      at = child
    }
  }

  #isLarger(a: number, b: number): boolean {
    const [one, other] = [this.#heap[a], this.#heap[b]]
    return one !== undefined && other !== undefined && this.#compare(one, other) > 0
  }

  #swapIfLarger(child: number, parent: number): boolean {
    const [one, other] = [this.#heap[child], this.#heap[parent]]
    if (one === undefined || other === undefined || this.#compare(one, other) <= 0) return false
    this.#heap[parent] = one
    this.#heap[child] = other
    return true
  }
}
