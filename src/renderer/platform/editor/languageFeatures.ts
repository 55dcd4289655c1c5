/** Loads providers for Monaco (hovers, definitions, …) and registers them. Called again after a failure. */
type Contribution = () => Promise<void>

const contributions = new Set<Contribution>()

/** Adds language features to the code editor. They load together with Monaco. @returns remove */
export function contributeLanguageFeatures(contribution: Contribution): () => void {
  contributions.add(contribution)
  return () => contributions.delete(contribution)
}

/** Registers every contributed language feature. The editor calls this before it creates its first view. */
export async function registerLanguageFeatures(): Promise<void> {
  await Promise.all([...contributions].map((register) => register()))
}
