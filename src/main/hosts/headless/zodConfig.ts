// A command parses most values once, and compiling the schema of each as a function takes longer than reading it. Imported
// before the first schema. Zod's `config` sets this global, too, but importing it would load zod.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
