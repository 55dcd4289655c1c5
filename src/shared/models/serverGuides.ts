/** How to install and start a model server. */
export interface ServerGuide {
  name: string
  /** Who should use it. */
  suits: string
  /** A command line, or a sentence if there is none. */
  install: { command: string } | { text: string }
  /** The command that starts it with a model, enough context for a conversation, and tool calls. */
  start: { command: string } | { text: string }
}

/** By `process.platform`; `linux` is for all others. */
type ByPlatform<T> = { darwin: T; win32: T; linux: T }

function on<T>(platform: string, choices: ByPlatform<T>): T {
  return choices[platform === 'darwin' || platform === 'win32' ? platform : 'linux']
}

/**
 * The servers that a beginner meets first, in that order. Sources: the installation pages of ollama.com,
 * lmstudio.ai/docs/cli, github.com/ggml-org/llama.cpp (docs/install.md, tools/server/README.md) and docs.vllm.ai (Tool
 * Calling).
 */
export function serverGuides(platform: string): ServerGuide[] {
  return [
    {
      name: 'Ollama',
      suits: 'The quickest start. Tizona can download its models.',
      install: on<ServerGuide['install']>(platform, {
        darwin: { command: 'brew install ollama' },
        win32: { command: 'winget install Ollama.Ollama' },
        linux: { command: 'curl -fsSL https://ollama.com/install.sh | sh' },
      }),
      start: { command: 'ollama serve' },
    },
    {
      name: 'LM Studio',
      suits: 'An application to find, download and run models.',
      install: { text: 'Download it from lmstudio.ai and open it once.' },
      start: { command: 'lms server start' },
    },
    {
      name: 'llama.cpp',
      suits: 'Small and fast, with full control of all options. Downloads the model on first start.',
      install: on<ServerGuide['install']>(platform, {
        darwin: { command: 'brew install llama.cpp' },
        win32: { command: 'winget install llama.cpp' },
        linux: {
          text: 'Download a release from github.com/ggml-org/llama.cpp, or use Homebrew: brew install llama.cpp',
        },
      }),
      start: { command: 'llama-server -hf ggml-org/Qwen3-8B-GGUF --jinja -c 32768' },
    },
    {
      name: 'vLLM',
      suits: 'For graphics cards and teams. Linux only.',
      install: { command: 'pip install vllm' },
      start: { command: 'vllm serve Qwen/Qwen3-8B --enable-auto-tool-choice --tool-call-parser hermes' },
    },
  ]
}
