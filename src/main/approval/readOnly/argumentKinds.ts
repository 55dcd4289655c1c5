import type { ArgumentKind } from './optionSpec.ts'

/** Whether a word is valid for an argument kind. Paths are checked separately. */
export function hasKind(value: string, kind: ArgumentKind): boolean {
  if (kind.includes(',')) return kind.split(',').includes(value)
  return tests[kind]?.(value) ?? false
}

const tests: Readonly<Record<string, (value: string) => boolean>> = {
  path: (value) => value !== '',
  file: (value) => value !== '',
  text: () => true,
  name: (value) => /^\w[\w.+-]*$/.test(value),
  number: (value) => /^[-+]?\d+[bkKMG]?$/.test(value),
  seconds: (value) => /^(?:\d(?:\.\d+)?|10)s?$/.test(value),
  revision: (value) => !value.startsWith('-'),
  // `%n` sets a variable, such as PATH (bash, builtins/printf.def). `*` takes a width from the arguments.
  printf: (value) => /^(?:[^%]|%[-+ #0']*(?:[1-9]\d*)?(?:\.\d*)?[sdiouxXeEfFgGcbq]|%%)*$/.test(value),
  dateFormat: (value) => value.startsWith('+'),
  sed: isHarmlessSedScript,
  jq: isHarmlessJqFilter,
}

/** A sed script that only prints and stops: `5q`, `1,20p`, `/start/,/end/p`, `$=`, joined by `;`. */
function isHarmlessSedScript(script: string): boolean {
  const address = String.raw`(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n]|\\[^\n])*/I?)`
  // Trimmed, because several `\s*` in a row take cubic time.
  const command = new RegExp(String.raw`^(?:${address}(?:,(?:${address}|[+~]\d+))?)?\s*(?:!\s*)?[pq=]$`)
  // A `;` inside an expression also splits the script, so such a script is rejected.
  return script.split(';').every((part) => command.test(part.trim()))
}

/** jq functions that do not access files, environment variables or modules. */
const jqFunctions = new Set(
  (
    'map select length keys keys_unsorted values has in contains inside startswith endswith ltrimstr rtrimstr test match ' +
    'capture scan split splits join sub gsub ascii_downcase ascii_upcase tostring tonumber type add any all flatten range ' +
    'floor ceil round sqrt sort sort_by group_by min max min_by max_by unique unique_by reverse to_entries from_entries ' +
    'with_entries first last nth limit until while recurse paths leaf_paths path del getpath empty error not null true ' +
    'false if then elif else end and or as reduce foreach try catch label break def tojson fromjson todate fromdate now ' +
    'objects arrays strings numbers booleans nulls iterables scalars index rindex indices transpose walk implode explode ' +
    'ascii isvalid input_line_number tostream abs trim ltrim rtrim base64 base64d csv tsv html uri text json sh'
  ).split(' '),
)

/**
 * Fields, variables, names, numbers, plain text and operators of a jq filter. Text with a backslash can hold
 * expressions.
 */
const jqToken =
  /\s+|"[^"\\]*"|\.\.|\.[A-Za-z_]\w*|\$[A-Za-z_]\w*|@?[A-Za-z_][\w:]*|\d+(?:\.\d+)?|[[\](){}|,:;=!<>+\-*/%?.]/y

function isHarmlessJqFilter(filter: string): boolean {
  jqToken.lastIndex = 0
  while (jqToken.lastIndex < filter.length) {
    const token = jqToken.exec(filter)?.[0]
    if (token === undefined) return false
    if (/^\$(?:ENV$|__)/.test(token)) return false
    if (/^[A-Za-z_]/.test(token) && !jqFunctions.has(token)) return false
  }
  return true
}
