/** Local model servers with their default ports and display names. */
export const localServers = [
  { server: 'ollama', name: 'Ollama', port: 11434 },
  { server: 'lmstudio', name: 'LM Studio', port: 1234 },
  { server: 'llamacpp', name: 'llama.cpp', port: 8080 },
  // llama-server's next default port: github.com/ggml-org/llama.cpp/issues/26508.
  { server: 'llamacpp', name: 'llama.cpp', port: 9931 },
  { server: 'vllm', name: 'vLLM', port: 8000 },
  { server: 'jan', name: 'Jan', port: 1337 },
  { server: 'sglang', name: 'SGLang', port: 30000 },
  { server: 'koboldcpp', name: 'KoboldCpp', port: 5001 },
] as const
export type LocalServer = (typeof localServers)[number]['server']

/** The display name, as the vendor writes it. */
export function serverName(server: LocalServer): string {
  return localServers.find((known) => known.server === server)?.name ?? server
}

/** The server with a display name; undefined for an unknown one. */
export function serverByName(name: string | undefined): LocalServer | undefined {
  return localServers.find((known) => known.name === name)?.server
}

/** Guesses the server of an endpoint by its kind and port. Good enough for hints, not for choosing a protocol. */
export function likelyServer(endpoint: { kind: string; baseUrl: string }): LocalServer | undefined {
  if (endpoint.kind === 'ollama') return 'ollama'
  const port = URL.canParse(endpoint.baseUrl) ? Number(new URL(endpoint.baseUrl).port) : 0
  return localServers.find((known) => known.port === port)?.server
}

/**
 * Normalizes a base URL: adds `http://` if the scheme is missing, and removes trailing slashes and endings that users
 * paste (`/v1`, `/v1/chat/completions`; for Ollama also `/api`, `/api/chat`).
 * Returns the path of a model file unchanged.
 * @throws TypeError if it is not an http(s) address
 */
export function serverRoot(endpoint: { kind: string; baseUrl: string }): string {
  const typed = endpoint.baseUrl.trim()
  if (endpoint.kind === 'gguf') return typed
  const url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `http://${typed}`)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`Not an http(s) address: ${endpoint.baseUrl}`)
  const endings =
    endpoint.kind === 'ollama' ? /(\/api(\/chat|\/tags)?|\/v1(\/.*)?)$/ : /(\/v1)?(\/chat\/completions|\/models)$|\/v1$/
  const path = url.pathname
    .replace(/\/{2,}/g, '/')
    .replace(/\/$/, '')
    .replace(endings, '')
    .replace(/\/$/, '')
  return `${url.origin}${path}`
}

/** Whether an address is on the loopback interface. */
export function isOnThisMachine(baseUrl: string): boolean {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(baseUrl.trim()) ? baseUrl.trim() : `http://${baseUrl.trim()}`
  if (!URL.canParse(text)) return false
  const { hostname } = new URL(text)
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}
