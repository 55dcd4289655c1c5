interface FileIcon {
  icon: string
  /** CSS color from a token. */
  color: string
}

const plain: FileIcon = { icon: 'file', color: 'var(--color-text-muted)' }
const code = (color: string): FileIcon => ({ icon: 'file-code', color: `var(--color-syntax-${color})` })
const media: FileIcon = { icon: 'file-media', color: 'var(--color-syntax-keyword)' }
const archive: FileIcon = { icon: 'file-zip', color: 'var(--color-syntax-attribute)' }
const config: FileIcon = { icon: 'settings', color: 'var(--color-text-muted)' }

const byName: Record<string, FileIcon> = {
  'package.json': { icon: 'package', color: 'var(--color-syntax-tag)' },
  'cargo.toml': { icon: 'package', color: 'var(--color-syntax-tag)' },
  'pyproject.toml': { icon: 'package', color: 'var(--color-syntax-tag)' },
  'go.mod': { icon: 'package', color: 'var(--color-syntax-tag)' },
  license: { icon: 'law', color: 'var(--color-syntax-attribute)' },
  makefile: { icon: 'tools', color: 'var(--color-syntax-attribute)' },
  dockerfile: { icon: 'server-environment', color: 'var(--color-syntax-function)' },
  '.gitignore': { icon: 'git-branch', color: 'var(--color-text-muted)' },
  '.gitattributes': { icon: 'git-branch', color: 'var(--color-text-muted)' },
  '.env': config,
  'readme.md': { icon: 'info', color: 'var(--color-syntax-function)' },
}

const groups: [string, FileIcon][] = [
  ['ts tsx mts cts', code('function')],
  ['js jsx mjs cjs', code('number')],
  ['py pyi rb php lua', code('type')],
  ['rs c cc cpp h hpp zig', code('tag')],
  ['go java kt swift cs dart scala vue svelte', code('type')],
  ['html htm xml', { icon: 'code', color: 'var(--color-syntax-tag)' }],
  ['css scss less', { icon: 'symbol-color', color: 'var(--color-syntax-keyword)' }],
  ['json jsonc jsonl code-workspace', { icon: 'json', color: 'var(--color-syntax-attribute)' }],
  ['md mdx markdown rst', { icon: 'markdown', color: 'var(--color-syntax-function)' }],
  ['sh bash zsh fish ps1', { icon: 'terminal', color: 'var(--color-syntax-string)' }],
  ['yml yaml toml ini cfg conf', config],
  ['sql db sqlite', { icon: 'database', color: 'var(--color-syntax-attribute)' }],
  ['png jpg jpeg gif svg webp ico bmp mp4 mp3 wav', media],
  ['zip gz tar xz bz2 7z', archive],
  ['pdf', { icon: 'file-pdf', color: 'var(--color-syntax-tag)' }],
  ['lock', { icon: 'lock', color: 'var(--color-text-faint)' }],
  ['txt log csv', { icon: 'file-text', color: 'var(--color-text-muted)' }],
]
const byExtension = new Map(groups.flatMap(([names, icon]) => names.split(' ').map((name) => [name, icon] as const)))

/** Returns the codicon and color for a file, by its name or extension. */
export function fileIcon(path: string): FileIcon {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  return byName[name] ?? byExtension.get(name.slice(name.lastIndexOf('.') + 1)) ?? plain
}
