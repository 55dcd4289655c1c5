/** README and manifest texts by path. */
export type ProjectTexts = ReadonlyMap<string, string>

const readmeLines = 8
const manifestLines = 8

/** Extracts a few lines about the project's purpose from README and manifests. */
export function projectPurpose(texts: ProjectTexts): string[] {
  return [...texts].flatMap(([path, text]) => {
    const lines = path.endsWith('package.json')
      ? fromPackage(text)
      : /(^|\/)README/i.test(path)
        ? fromReadme(text)
        : fromManifest(text)
    return lines.length === 0 ? [] : [`${path}:`, ...lines]
  })
}

/** Returns the entry point files named in manifests, without a leading `./`. */
export function manifestEntries(texts: ProjectTexts): string[] {
  return [...texts].flatMap(([path, text]) => {
    const { main, bin, exports } = path.endsWith('package.json') ? parsed(text) : {}
    const folder = path.slice(0, path.lastIndexOf('/') + 1)
    return [main, bin, exports].flatMap(nestedStrings).map((entry) => folder + entry.replace(/^\.\//, ''))
  })
}

/** Returns all strings nested in a value; `exports` nests conditions. */
function nestedStrings(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(nestedStrings) : []
}

function fromPackage(text: string): string[] {
  const manifest = parsed(text)
  return ['name', 'version', 'description'].flatMap((field) =>
    typeof manifest[field] === 'string' ? [`${field}: ${manifest[field]}`] : [],
  )
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
  } catch {
    // The manifest may be incomplete while it is being edited.
    return {}
  }
}

/** Returns the README's text up to its second heading, without badges, images and HTML. */
function fromReadme(text: string): string[] {
  const lines = text
    .split('\n')
    .map(withoutDecoration)
    .filter((line) => line !== '')
  const second = lines.findIndex((line, index) => index > 0 && line.startsWith('#'))
  return lines.slice(0, Math.min(readmeLines, second <= 1 ? readmeLines : second))
}

function withoutDecoration(line: string): string {
  const plain = line.replaceAll(/\[!\[[^\]]*\]\([^)]*\)\]\([^)]*\)|!\[[^\]]*\]\([^)]*\)|<[^>]+>/g, '').trim()
  return /^[=\-*_|\s]*$/.test(plain) ? '' : plain
}

function fromManifest(text: string): string[] {
  const purposeField = /^(name|version|description|module)\b|^\s*<(artifactId|name|description)>/
  return text
    .split('\n')
    .filter((line) => purposeField.test(line))
    .slice(0, manifestLines)
    .map((line) => line.trim())
}
