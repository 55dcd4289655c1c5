import { expect, test } from 'vitest'
import { embeddingPrompts } from './embeddingPrompts.ts'

const instruction = 'Instruct: Given a question about a code base, retrieve passages that answer it'

test.each([
  ['nomic-embed-code.Q8_0.gguf', 'Represent this query for searching relevant code: ', ''],
  ['nomic-embed-text:v1.5', 'search_query: ', 'search_document: '],
  ['Qwen3-Embedding-0.6B-Q8_0.gguf', `${instruction}\nQuery:`, ''],
  ['multilingual-e5-large-instruct', `${instruction}\nQuery: `, ''],
  ['e5-mistral-7b-instruct', `${instruction}\nQuery: `, ''],
  ['intfloat/multilingual-e5-large', 'query: ', 'passage: '],
  ['embeddinggemma:300m', 'task: code retrieval | query: ', 'title: none | text: '],
  ['some-other-model', '', ''],
])('%s gets the prefixes of its family', (model, question, passage) => {
  expect(embeddingPrompts(model)).toEqual({ question, passage })
})
