/** Lint rule for doc comments: each `@param` names a parameter of the function below, or a part that it destructures. */
export const params = {
  meta: { type: 'problem', docs: { description: '@param names a parameter' }, schema: [] },
  create(context) {
    return {
      Program(program) {
        const { text } = context.sourceCode
        const comments = context.sourceCode
          .getAllComments()
          .filter(({ type, value }) => type === 'Block' && value.startsWith('*') && value.includes('@param'))
        if (comments.length === 0) return
        const nodes = nodesByStart(program)
        for (const comment of comments) {
          const start = comment.range[1] + /^\s*/.exec(text.slice(comment.range[1]))[0].length
          const names = new Set((nodes.get(start) ?? []).flatMap(parameterNames))
          for (const [, name] of comment.value.matchAll(/@param\s+(?:\{[^}]*\}\s+)?\[?([\w$.]+)/g))
            if (!name.split('.').some((part) => names.has(part)))
              context.report({ node: comment, message: `The function below has no parameter "${name}".` })
        }
      },
    }
  },
}

/** Returns the nodes that begin at each position, from the outermost to the innermost. */
function nodesByStart(program) {
  const nodes = new Map()
  visit(program, (node) => nodes.set(node.range[0], [...(nodes.get(node.range[0]) ?? []), node]))
  return nodes
}

/** Returns the parameters of all functions in a declaration, without those in function bodies. */
function parameterNames(declaration) {
  const names = []
  visit(declaration, (node) => {
    if (node.type === 'BlockStatement' || node.type === 'ClassBody') return false
    for (const parameter of Array.isArray(node.params) ? node.params : []) names.push(...boundNames(parameter))
  })
  return names
}

/** Returns the name of a parameter, the properties that it destructures, and those of its type if it is written here. */
function boundNames(parameter) {
  const names = []
  visit(parameter, (node) => {
    if (node.type === 'Identifier') names.push(node.name)
  })
  return names
}

/** Visits a node and what is in it. `enter` returns false to skip what is in a node. */
function visit(node, enter) {
  if (enter(node) === false) return
  for (const [key, value] of Object.entries(node))
    if (key !== 'parent')
      for (const child of Array.isArray(value) ? value : [value])
        if (typeof child?.type === 'string' && Array.isArray(child.range)) visit(child, enter)
}
