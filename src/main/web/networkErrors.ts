import { ToolError } from '../../shared/errors.ts'

/** Node's codes for failures of a connection -> what happened, and what to try. */
const errorsByCode: Readonly<Record<string, { what: string; next: string }>> = {
  ENOTFOUND: {
    what: 'there is no such name',
    next: 'Check the spelling of the address. Where it is right, this machine may be offline.',
  },
  EAI_AGAIN: {
    what: 'the name could not be looked up',
    next: 'This machine may be offline. Go on without the web, or ask the user.',
  },
  ECONNREFUSED: { what: 'nothing answers there', next: 'Check the port, or try again later.' },
  ECONNRESET: { what: 'the connection was cut', next: 'Try again, or fetch another source.' },
  EPIPE: { what: 'the connection was cut', next: 'Try again, or fetch another source.' },
  ETIMEDOUT: { what: 'it does not answer', next: 'Try again later, or fetch another source.' },
  ENETUNREACH: {
    what: 'the network cannot be reached',
    next: 'This machine may be offline. Go on without the web, or ask the user.',
  },
  EHOSTUNREACH: {
    what: 'the machine cannot be reached',
    next: 'This machine may be offline. Go on without the web, or ask the user.',
  },
  Z_DATA_ERROR: { what: 'its packed answer is broken', next: 'Fetch another source.' },
  Z_BUF_ERROR: { what: 'its packed answer ends too early', next: 'Try again, or fetch another source.' },
}

/** A failure below HTTP as a `ToolError`: `network_error`, or `too_large` for endless headers. */
export function connectionError(error: unknown, url: URL): ToolError {
  const reason = innermost(error)
  const code = 'code' in reason && typeof reason.code === 'string' ? reason.code : ''
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new ToolError('too_large', `${url.host} sent more headers than are read.`, 'Fetch another source.', {
      cause: error,
    })
  }
  const { what, next } = (Object.hasOwn(errorsByCode, code) ? errorsByCode[code] : undefined) ?? {
    what: describeError(code, reason.message),
    next: 'Try again, or fetch another source.',
  }
  return new ToolError('network_error', `Fetching from ${url.host} failed: ${what}.`, next, { cause: error })
}

function describeError(code: string, message: string): string {
  if (/CERT|SELF_SIGNED|VERIFY/.test(code)) return `its certificate is not trusted (${message})`
  if (code.startsWith('HPE_')) return 'it does not speak proper HTTP'
  return message
}

/** Several addresses tried in vain come as one `AggregateError`. */
function innermost(error: unknown): Error {
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0])
  return error instanceof Error ? error : new Error(String(error))
}
