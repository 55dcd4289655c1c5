import { extname } from 'node:path'

/**
 * Names of the Trusted Types policies: those of Monaco and its sanitizer, which sanitize or escape text before it
 * becomes HTML, and ours.
 */
const trustedTypePolicies = [
  'defaultWorkerFactory',
  'diffEditorWidget',
  'diffReview',
  'domLineBreaksComputer',
  'dompurify',
  'editorGhostText',
  'editorViewLayer',
  'richScreenReaderContent',
  'standaloneColorizer',
  'stickyScrollViewLayer',
  'tokenizeToString',
  'tizonaOutputs',
  'tizonaWorkers',
]

/**
 * Content security policy of the window in the desktop and browser hosts. The page loads resources only from the
 * application, so neither model output nor an opened file can access the network through it. Monaco requires inline
 * styles. Text becomes HTML or a script URL only through the named policies. Chromium has no directive for WebRTC, so
 * renderer/platform/webrtc.ts removes it.
 */
const contentSecurityPolicy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
  "worker-src 'self'",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-src 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  `trusted-types ${trustedTypePolicies.join(' ')}`,
].join('; ')

/** Headers of responses to the window, in the desktop and browser hosts. */
const securityHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** The script of the worker for TextMate grammars, whose regular expressions are matched by WebAssembly. */
const grammarWorker = /\/grammarWorker(?:-[\w-]+)?\.js$/

/**
 * Returns the headers of a response to the window. Only the worker for grammars may compile WebAssembly: a worker has
 * the policy of the response with its script.
 */
export function securityHeadersOf(path: string): Readonly<Record<string, string>> {
  if (!grammarWorker.test(path)) return securityHeaders
  return {
    ...securityHeaders,
    'Content-Security-Policy': contentSecurityPolicy.replace(
      "script-src 'self'",
      "script-src 'self' 'wasm-unsafe-eval'",
    ),
  }
}

/** Media types of the built window's files. */
const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.ttf': 'font/ttf',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
}

/** Returns the media type for a file extension. Unknown ones get a type that browsers do not execute. */
export function contentTypeOf(path: string): string {
  return contentTypes[extname(path).toLowerCase()] ?? 'application/octet-stream'
}
