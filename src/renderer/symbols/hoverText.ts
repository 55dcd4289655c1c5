import type { CodeHover } from '../../shared/language/codeNavigation.ts'

/** Pure: builds the Markdown of a hover. @param language Monaco's language id, for highlighting the signature */
export function hoverText({ markdown, symbols, resolved }: CodeHover, language: string): string[] {
  if (markdown) return markdown
  const parts = symbols.flatMap(({ signature, doc, path, line }) => [
    `${fenceFor(signature)}${language}\n${signature}\n${fenceFor(signature)}`,
    ...(doc === '' ? [] : [plain(doc)]),
    `*${plain(path)}:${line}*`,
  ])
  return resolved ? parts : [...parts, '*Matched by name only, because the import or scope could not be resolved.*']
}

/** Escapes a code comment, so that it cannot produce links or images. */
function plain(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()#+\-.!|<>~&]/g, String.raw`\$&`).replaceAll('\n', '  \n')
}

function fenceFor(code: string): string {
  const longest = Math.max(2, ...(code.match(/`+/g) ?? []).map((run) => run.length))
  return '`'.repeat(longest + 1)
}
