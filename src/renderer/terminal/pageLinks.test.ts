import { expect, it } from 'vitest'
import { pagesInText } from './pageLinks.ts'

it.each([
  ['  ➜  Local:   http://localhost:5173/', ['http://localhost:5173/']],
  ['Listening at http://127.0.0.1:8000.', ['http://127.0.0.1:8000']],
  ['Serving HTTP on 0.0.0.0 port 8000 (http://0.0.0.0:8000/) ...', ['http://localhost:8000/']],
  ['http://[::]:3000 and http://[::1]:3001/a?b=1', ['http://localhost:3000', 'http://[::1]:3001/a?b=1']],
  ['Network: http://192.168.0.7:5173/, docs: https://vite.dev/', []],
])('addresses of this machine in "%s"', (text, urls) => {
  const found = pagesInText(text)
  expect(found.map(({ url }) => url)).toEqual(urls)
  for (const { start, end } of found) expect(text.slice(start, end)).toMatch(/^http\S+[^.,)]$/)
})
