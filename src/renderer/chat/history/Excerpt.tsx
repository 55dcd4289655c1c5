/** What was said around the words that were looked for, the words themselves marked. */
export function Excerpt({ text, query }: { text: string; query: string }) {
  const words = query
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  // With a capturing group the words stand at the odd places.
  const parts = words.length === 0 ? [text] : text.split(new RegExp(`(${words.join('|')})`, 'gi'))
  return (
    <span className="chat-history-excerpt">
      {/* A part never moves: the text is drawn anew as a whole. */}
      {parts.map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part))}
    </span>
  )
}
