/** Prefixes that a model expects before questions and passages. */
export interface EmbeddingPrompts {
  question: string
  passage: string
}

const none: EmbeddingPrompts = { question: '', passage: '' }

const task = 'Given a question about a code base, retrieve passages that answer it'

/**
 * Prefixes that the makers of the models publish in their model cards: nomic-ai/nomic-embed-code and nomic-embed-text,
 * Qwen/Qwen3-Embedding (no space after `Query:`), google/embeddinggemma, intfloat/multilingual-e5-large-instruct (one
 * space) and e5-base, BAAI/bge-base-en. The first match applies.
 */
const families: readonly { name: RegExp; prompts: EmbeddingPrompts }[] = [
  {
    name: /nomic-embed-code/i,
    prompts: { question: 'Represent this query for searching relevant code: ', passage: '' },
  },
  { name: /nomic-embed/i, prompts: { question: 'search_query: ', passage: 'search_document: ' } },
  {
    name: /qwen3-embedding/i,
    prompts: { question: `Instruct: ${task}\nQuery:`, passage: '' },
  },
  {
    name: /embeddinggemma/i,
    prompts: { question: 'task: code retrieval | query: ', passage: 'title: none | text: ' },
  },
  {
    name: /\be5-[a-z]+(-7b)?-instruct/i,
    prompts: { question: `Instruct: ${task}\nQuery: `, passage: '' },
  },
  { name: /\be5-(small|base|large)/i, prompts: { question: 'query: ', passage: 'passage: ' } },
  {
    name: /bge-(small|base|large)-en|mxbai-embed|arctic-embed/i,
    prompts: { question: 'Represent this sentence for searching relevant passages: ', passage: '' },
  },
]

/** Returns the prefixes of a model by its name; empty ones for other models. */
export function embeddingPrompts(model: string): EmbeddingPrompts {
  return families.find(({ name }) => name.test(model))?.prompts ?? none
}
