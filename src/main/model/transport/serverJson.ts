/**
 * Longer text is not repaired. Responses with figures are far shorter, and the pattern below needs memory per
 * character.
 */
const maxRepaired = 1_000_000

/** Matches a string, or a number that is not valid JSON. Strings are matched so that their content is left alone. */
const stringOrNumber = /"(?:[^"\\]|\\.?)*(?:"|$)|-?\b(?:NaN|Infinity)\b/gs

/**
 * Parses JSON from a server. Python writes `NaN` and `Infinity`, which JSON does not have, for figures that it could
 * not compute; they become null, like all unknown figures.
 * @throws SyntaxError
 */
export function parseServerJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (text.length > maxRepaired || !/NaN|Infinity/.test(text)) throw error
    return JSON.parse(text.replace(stringOrNumber, (found) => (found.startsWith('"') ? found : 'null')))
  }
}
