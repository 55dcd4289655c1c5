import { config } from 'zod'

// Zod would try to compile functions from text, which the content security policy reports as a violation. Imported
// before the first schema.
config({ jitless: true })
