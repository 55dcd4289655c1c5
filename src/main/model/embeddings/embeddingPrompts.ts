/** What a model expects before a question and before a passage. */
export interface EmbeddingPrompts {
  question: string
  passage: string
}

const none: EmbeddingPrompts = { question: '', passage: '' }

/** Prefixes from the model cards. Without them, these models rank clearly worse. The first match applies. */
const families: readonly { name: RegExp; prompts: EmbeddingPrompts }[] = [
  {
    name: /nomic-embed-code/i,
    prompts: { question: 'Represent this query for searching relevant code: ', passage: '' },
  },
  { name: /nomic-embed/i, prompts: { question: 'search_query: ', passage: 'search_document: ' } },
  {
    name: /qwen3-embedding/i,
    prompts: {
      question: 'Instruct: Given a question about a code base, retrieve passages that answer it\nQuery: ',
      passage: '',
    },
  },
  {
    name: /embeddinggemma/i,
    prompts: { question: 'task: code retrieval | query: ', passage: 'title: none | text: ' },
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
