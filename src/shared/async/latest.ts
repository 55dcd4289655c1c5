/** Identifies the latest of several runs, so that the late result of an older run does not replace a newer one. */
export class Latest {
  #count = 0

  /** Begins a run, which makes all earlier ones outdated. @returns whether this run is still the latest */
  begin(): () => boolean {
    this.#count++
    return this.join()
  }

  /** Joins the latest run. @returns whether it is still the latest */
  join(): () => boolean {
    const own = this.#count
    return () => own === this.#count
  }
}
