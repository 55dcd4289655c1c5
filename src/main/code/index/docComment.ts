import type { Node } from 'web-tree-sitter'

/** Nodes that can enclose a definition. Its comment is above the outermost one. */
const wrapperNodeTypes = new Set([
  'export_statement',
  'decorated_definition',
  'lexical_declaration',
  'variable_declaration',
  'expression_statement',
  'ambient_declaration',
  'template_declaration',
  'type_declaration',
  'const_declaration',
  'var_declaration',
])

/** Returns the doc comment of a definition: comments directly above it, or a Python docstring. */
export function extractDoc(node: Node, body: Node | null): string {
  const first = body?.namedChild(0)
  if (first?.type === 'expression_statement' && first.namedChildCount === 1 && first.namedChild(0)?.type === 'string') {
    return (first.namedChild(0)?.text ?? '')
      .replace(/^[a-zA-Z]*("""|'''|"|')|("""|'''|"|')$/g, '')
      .split('\n')
      .map((line) => line.trim())
      .join('\n')
      .trim()
  }
  let top = node
  for (let outer = top.parent; outer && wrapperNodeTypes.has(outer.type); outer = top.parent) {
    // In `const a = 1, b = 2` the comment belongs to `a`.
    if (outer.type !== 'export_statement' && outer.namedChild(0)?.startIndex !== top.startIndex) break
    top = outer
  }
  const lines: string[] = []
  let next = top.startPosition.row
  for (let above = top.previousSibling; above; above = above.previousSibling) {
    if (/^(attribute_item|decorator|annotation)$/.test(above.type)) {
      next = above.startPosition.row
      continue
    }
    // In some grammars a line comment includes its line break.
    const last = above.endPosition.column === 0 ? above.endPosition.row - 1 : above.endPosition.row
    if (!above.type.includes('comment') || next - last > 1) break
    // A comment after code on the same line belongs to that code.
    if (
      above.previousSibling &&
      above.previousSibling.endPosition.row === above.startPosition.row &&
      above.previousSibling.endPosition.column > 0
    )
      break
    lines.unshift(stripCommentMarkers(above.text))
    next = above.startPosition.row
  }
  return lines.join('\n').trim()
}

function stripCommentMarkers(comment: string): string {
  return comment
    .replace(/^\/\*+!?|\*+\/$/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*(\/\/[/!]?|#+|--|\*)? ?/, '').trimEnd())
    .join('\n')
    .trim()
}
