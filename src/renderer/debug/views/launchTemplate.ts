interface Example {
  files: RegExp
  configuration: Record<string, unknown>
}

const examples: readonly Example[] = [
  {
    files: /\.py$/,
    configuration: { name: 'Python program', type: 'debugpy', request: 'launch', program: 'main.py', args: [] },
  },
  {
    files: /\.[cm]?[jt]sx?$/,
    configuration: { name: 'Node.js program', type: 'node', request: 'launch', program: 'index.js', args: [] },
  },
  {
    files: /\.go$/,
    configuration: { name: 'Go program', type: 'go', request: 'launch', mode: 'auto', program: '.' },
  },
  {
    files: /\.(rs|c|cc|cpp|cxx|h|hpp)$/,
    configuration: { name: 'Native program', type: 'lldb', request: 'launch', program: 'build/main', args: [] },
  },
]

function withFolder(configuration: Record<string, unknown>, file: string | null): Record<string, unknown> {
  const { program } = configuration
  const isNative = configuration['type'] === 'lldb' || configuration['type'] === 'go'
  const path = file === null || isNative ? program : file
  const inFolder = path === '.' ? '${workspaceFolder}' : `\${workspaceFolder}/${String(path)}`
  return { ...configuration, program: inFolder }
}

/** Formats a configuration, indented in the list of configurations. */
const format = (configuration: Record<string, unknown>): string =>
  JSON.stringify(configuration, null, 2).replaceAll('\n', '\n    ')

/**
 * Pure: a new launch.json with a configuration for a file, and commented-out ones for other languages.
 * @param file path of the active file; null if there is none
 */
export function launchTemplate(file: string | null): string {
  const own = examples.find(({ files }) => file !== null && files.test(file)) ?? examples[0]
  const isOwn = file !== null && own?.files.test(file) === true
  const others = examples.filter((example) => example !== own)
  const commented = others
    .map(({ configuration }) => `    ${format(withFolder(configuration, null))}`.replaceAll(/^ {4}/gm, '    // '))
    .join(',\n')
  return `{
  // Configurations that the Run view offers. Relative paths start in the workspace folder.
  // Values may contain variables: \${workspaceFolder}, \${env:NAME}, \${input:id}.
  "version": "0.2.0",
  "configurations": [
    ${format(withFolder(own?.configuration ?? {}, isOwn ? file : null))}
    // More examples:
${commented}
  ]
}
`
}
