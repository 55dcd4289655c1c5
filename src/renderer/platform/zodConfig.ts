// Zod would try to compile functions from text, which the content security policy reports as a violation. Imported
// before the first schema. Zod's `config` sets this global, too, but importing it would add zod to the first script.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
