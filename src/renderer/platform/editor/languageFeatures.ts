/** Loads and registers Monaco providers, such as hovers and definitions. Called again after a failure. */
type Contribution = () => Promise<void>

const contributions = new Set<Contribution>()

/** Adds language features, which load together with Monaco. @returns a function that removes them */
export function contributeLanguageFeatures(contribution: Contribution): () => void {
  contributions.add(contribution)
  return () => contributions.delete(contribution)
}

/** Loads and registers all contributed language features. The editor calls this before creating its first view. */
export async function registerLanguageFeatures(): Promise<void> {
  await Promise.all([...contributions].map((register) => register()))
}
