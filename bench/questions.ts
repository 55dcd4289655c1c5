/** A new developer's question, and the files with the answer, chosen by reading them. */
export interface Question {
  ask: string
  files: readonly string[]
}

/** Questions about the sources of an installed package. */
export interface QuestionSet {
  package: string
  questions: readonly Question[]
}

/** Questions from before the ranking was written. undici has about 170 source, declaration and documentation files. */
export const measured: QuestionSet = {
  package: 'undici',
  questions: [
    {
      ask: "Where is the delay before the next attempt of a failed request computed, honouring the server's wish?",
      files: ['lib/handler/retry-handler.js'],
    },
    {
      ask: 'How are the cookies a server sets read into attributes like expiry and same site?',
      files: ['lib/web/cookies/parse.js'],
    },
    {
      ask: 'Where is an incoming web socket message taken apart, with fragments and control frames?',
      files: ['lib/web/websocket/receiver.js'],
    },
    { ask: 'How does the client speak HTTP/2 and open streams on a session?', files: ['lib/dispatcher/client-h2.js'] },
    { ask: 'Where are bytes from the socket fed to the wasm HTTP parser?', files: ['lib/dispatcher/client-h1.js'] },
    {
      ask: 'Which code decides from environment variables whether a proxy is used for a host?',
      files: ['lib/dispatcher/env-http-proxy-agent.js'],
    },
    { ask: 'How is a tunnel through a proxy made with CONNECT and TLS?', files: ['lib/dispatcher/proxy-agent.js'] },
    {
      ask: 'Where is a multipart form body parsed into fields and files?',
      files: ['lib/web/fetch/formdata-parser.js'],
    },
    { ask: 'Where are data: URLs decoded, base64 included?', files: ['lib/web/fetch/data-url.js'] },
    {
      ask: 'How are DNS lookups cached, and how does it choose between IPv4 and IPv6?',
      files: ['lib/interceptor/dns.js'],
    },
    {
      ask: 'How is the next upstream chosen by weight when requests are spread over several servers?',
      files: ['lib/dispatcher/balanced-pool.js'],
    },
    {
      ask: 'How does an event stream reconnect after the connection was lost?',
      files: ['lib/web/eventsource/eventsource.js'],
    },
    {
      ask: 'Where are invalid header names or values rejected?',
      files: ['lib/core/request.js', 'lib/web/fetch/headers.js', 'lib/core/util.js'],
    },
    {
      ask: 'How is a blob read into text or a data URL with progress events?',
      files: ['lib/web/fileapi/filereader.js', 'lib/web/fileapi/util.js'],
    },
    {
      ask: 'How do many sockets share one low resolution timer instead of a timeout each?',
      files: ['lib/util/timers.js'],
    },
    {
      ask: 'Where is a stored response matched against a request in the cache storage, with the Vary header in mind?',
      files: ['lib/web/cache/cache.js'],
    },
    { ask: 'How does mocking find the prepared reply for a request?', files: ['lib/mock/mock-utils.js'] },
    { ask: 'Where is subresource integrity checked against the hash of the bytes?', files: ['lib/web/fetch/util.js'] },
    {
      ask: 'Which headers are removed when a redirect is followed to another origin?',
      files: ['lib/handler/redirect-handler.js', 'lib/web/fetch/index.js'],
    },
    {
      ask: 'How is the queue of waiting requests kept so that pushing and shifting stay cheap?',
      files: ['lib/dispatcher/fixed-queue.js'],
    },
  ],
}

/** Held-out questions, not used to tune the ranking. app-builder-lib has compiled sources with declarations. */
export const heldOut: QuestionSet = {
  package: 'app-builder-lib',
  questions: [
    {
      ask: 'How is the uninstaller of the Windows installer built and signed?',
      files: ['out/targets/nsis/NsisTarget.js'],
    },
    {
      ask: 'How are files found that must stay outside of the asar archive?',
      files: ['out/asar/unpackDetector.js', 'out/asar/asarUtil.js'],
    },
    {
      ask: 'How does it find out which version of Electron a project uses?',
      files: ['out/electron/electronVersion.js'],
    },
    {
      ask: 'Where is a mac app sent to Apple for notarization?',
      files: ['out/macPackager.js', 'out/mac/MacTargetHelper.js'],
    },
    {
      ask: 'How are placeholders such as the version in artifact names replaced?',
      files: ['out/util/macroExpander.js'],
    },
    {
      ask: 'Where are the checksums of blocks for differential updates computed?',
      files: ['out/targets/blockmap/blockmap.js', 'out/targets/differentialUpdateInfoBuilder.js'],
    },
    { ask: 'How is the update information file (latest.yml) written?', files: ['out/publish/updateInfoBuilder.js'] },
    {
      ask: 'How is it detected which package manager a project uses?',
      files: ['out/node-module-collector/packageManager.js', 'out/node-module-collector/index.js'],
    },
    {
      ask: 'How is a PNG turned into an icon for Windows or macOS?',
      files: ['out/util/iconConverter.js', 'out/toolsets/icons.js'],
    },
    {
      ask: 'Where is an executable signed with the trusted signing service of Azure?',
      files: ['out/codeSign/windowsSignAzureManager.js'],
    },
  ],
}
