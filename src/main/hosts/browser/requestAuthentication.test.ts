import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { createRequestAuthentication } from './requestAuthentication.ts'

const minute = 60_000

function exchangeRequest(token: string): IncomingMessage {
  const request = new IncomingMessage(new Socket())
  request.method = 'POST'
  request.headers = { host: '127.0.0.1:1', origin: 'http://127.0.0.1:1', 'content-type': 'application/json' }
  request.push(JSON.stringify({ token }))
  request.push(null)
  return request
}

it('refuses a token that was not used within ten minutes, and accepts a new one; sessions do not expire', async () => {
  let now = 0
  const authentication = createRequestAuthentication(undefined, () => now)
  const late = authentication.issueToken()
  now = 10 * minute + 1
  expect(await authentication.exchangeToken(exchangeRequest(late))).toMatchObject({
    status: 401,
    message: expect.stringContaining('has expired'),
  })
  const token = authentication.issueToken()
  now += 9 * minute
  const result = await authentication.exchangeToken(exchangeRequest(token))
  if (!('secret' in result)) throw new Error(result.message)
  now += 100_000 * minute
  expect(authentication.isValidHello({ kind: 'hello', secret: result.secret })).toBe(true)
})
