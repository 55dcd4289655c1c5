// Keeps zod from compiling functions from text, which the window's content security policy reports as a violation. In a
// command, which parses most values once, compiling also takes longer than it saves. Imported before the first schema.
// Sets the same global as zod's `config` without loading zod.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
