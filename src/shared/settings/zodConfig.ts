// Zod would compile functions from text: the window's content security policy reports that as a violation, and in a
// command, which parses most values once, it takes longer than reading them. Imported before the first schema. Zod's
// `config` sets this global, too, but importing it would load zod.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
