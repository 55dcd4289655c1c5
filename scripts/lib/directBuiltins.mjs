import { init, parse } from 'es-module-lexer'

/**
 * Replaces imports of Node's own modules by calls of `process.getBuiltinModule`. An import reads every export of the
 * module, and some of them load more of Node: `node:fs` its streams, `node:http` its WebSocket client.
 * @param {string} code a chunk of the build
 */
export async function directBuiltins(code) {
  await init
  const [imports] = parse(code)
  let result = code
  for (const { n: name, d: dynamic, ss: start, se: end } of imports.toReversed()) {
    if (dynamic !== -1 || !name?.startsWith('node:')) continue
    const statement = code.slice(start, end)
    if (!statement.startsWith('import')) continue
    const clause = statement.slice('import'.length, statement.lastIndexOf('from')).trim()
    const hasNames = /\bfrom\s*["']/.test(statement)
    const replacement = hasNames ? declaration(clause, name) : `process.getBuiltinModule(${JSON.stringify(name)})`
    result = `${result.slice(0, start)}${replacement}${result.slice(end)}`
  }
  return result
}

/** @param {string} clause what an import names @param {string} name the module */
function declaration(clause, name) {
  const module = `process.getBuiltinModule(${JSON.stringify(name)})`
  const names = /\{([^}]*)\}$/.exec(clause)?.[1]
  const whole = clause
    .replace(/,?\s*\{[^}]*\}$/, '')
    .replace(/^\*\s*as\s+/, '')
    .trim()
  const parts = []
  if (whole !== '') parts.push(`${whole} = ${module}`)
  if (names !== undefined)
    for (const part of names.split(',').filter((text) => text.trim() !== '')) {
      const [imported, local = imported] = part.trim().split(/\s+as\s+/)
      // The default export of such a module is the module itself.
      parts.push(imported === 'default' ? `${local} = ${module}` : `{ ${imported}: ${local} } = ${module}`)
    }
  return `const ${parts.join(', ')}`
}
