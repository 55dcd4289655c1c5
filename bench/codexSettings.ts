/** Returns a `config.toml` that connects Codex to the scripted model at `url` (without `/v1`). */
export const codexSettings = (url: string, options: readonly string[] = []): string =>
  [
    'model = "scripted"',
    'model_provider = "scripted"',
    ...options,
    '[model_providers.scripted]',
    'name = "scripted"',
    `base_url = "${url}/v1"`,
    'wire_api = "responses"',
    'env_key = "SCRIPTED_KEY"',
    '[analytics]',
    'enabled = false',
  ].join('\n')
