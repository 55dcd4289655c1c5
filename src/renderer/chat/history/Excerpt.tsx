/** Text around a search match, with the words of the query highlighted. */
export function Excerpt({ text, query }: { text: string; query: string }) {
  const words = query
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  // Splitting by a capturing group puts the matches at odd indexes.
  const parts = words.length === 0 ? [text] : text.split(new RegExp(`(${words.join('|')})`, 'gi'))
  return (
    <span className="chat-history-excerpt">
      {parts.map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part))}
    </span>
  )
}
