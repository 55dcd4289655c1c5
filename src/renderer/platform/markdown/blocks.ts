/** Streaming Markdown, split into finished blocks and a rest, so that a new token only requires parsing the rest. */
export interface MarkdownBlocks {
  /** All text received so far. */
  text: string
  /** Complete blocks. Joined and followed by `rest`, they equal `text`. */
  finished: string[]
  rest: string
  /** Set while `rest` is inside an open code fence. */
  openFence?: { language: string; code: string }
}

const fenceStart = /^( {0,3})(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$/
const listMarker = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/
const definition = /^ {0,3}\[[^\]\n]+\]:/m
/** Number of characters of an incomplete line that suffice to recognize a list marker. */
const markerLookahead = 14

/** Splits streaming text. @param previous result for a prefix of `text`, which is then not scanned again */
export function splitBlocks(text: string, previous?: MarkdownBlocks): MarkdownBlocks {
  const previousBlocks = previous && text.startsWith(previous.text) ? previous : undefined
  const finished = previousBlocks ? [...previousBlocks.finished] : []
  let rest = text.slice(previousBlocks ? previousBlocks.text.length - previousBlocks.rest.length : 0)
  for (;;) {
    const end = endOfFirstBlock(rest)
    if (end === undefined) break
    finished.push(rest.slice(0, end))
    rest = rest.slice(end)
  }
  const openFence = openFenceOf(rest)
  return { text, finished, rest, ...(openFence && { openFence }) }
}

/**
 * Splits a complete text. Link and footnote definitions apply to the whole text, so a text with definitions stays one
 * block.
 */
export function blocksOfFinished(text: string, previous?: MarkdownBlocks): string[] {
  if (definition.test(text)) return [text]
  const { finished, rest } = splitBlocks(text, previous)
  return rest === '' ? finished : [...finished, rest]
}

/** Offset of the end of the first block, including blank lines after it; undefined if the block may still grow. */
function endOfFirstBlock(text: string): number | undefined {
  let at = 0
  let fence: string | undefined
  let inList = false
  let blankBefore = false
  let started = false

  while (at < text.length) {
    const newline = text.indexOf('\n', at)
    const line = text.slice(at, newline === -1 ? text.length : newline)
    const complete = newline !== -1

    if (fence !== undefined) {
      if (!complete) return undefined
      if (closes(line, fence)) {
        fence = undefined
        if (!inList) return newline + 1
      }
    } else if (line.trim() === '') {
      if (!complete) return undefined
      blankBefore = started
    } else {
      if (blankBefore) {
        const indented = /^(?: {2,}|\t)/.test(line)
        const continues = inList && (indented || listMarker.test(line))
        if (!complete && line.length < markerLookahead && inList) return undefined
        if (!continues) return at
      }
      const opening = fenceStart.exec(line)
      if (opening && complete) {
        // A fence ends the paragraph before it.
        if (started && !inList) return at
        fence = opening[2]
      } else if (!started && listMarker.test(line)) {
        inList = true
      }
      started = true
      blankBefore = false
    }
    if (!complete) return undefined
    at = newline + 1
  }
  return undefined
}

function closes(line: string, fence: string): boolean {
  const trimmed = line.trim()
  return (
    trimmed.length >= fence.length && trimmed === (fence[0] ?? '`').repeat(trimmed.length) && /^ {0,3}\S/.test(line)
  )
}

function openFenceOf(rest: string): { language: string; code: string } | undefined {
  const body = rest.replace(/^(?:[ \t]*\n)+/, '')
  const newline = body.indexOf('\n')
  if (newline === -1) return undefined
  const opening = fenceStart.exec(body.slice(0, newline))
  if (!opening) return undefined
  return { language: opening[3] ?? '', code: body.slice(newline + 1) }
}
