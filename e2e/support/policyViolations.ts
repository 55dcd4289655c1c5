import type { BrowserContext } from '@playwright/test'

const binding = 'tizonaTestViolation'

const known = new WeakMap<BrowserContext, string[]>()

/**
 * Collects what the content security policy of any page of a context blocks, Trusted Types included. Starts with an
 * empty list if the context was used before.
 */
export async function policyViolations(context: BrowserContext): Promise<string[]> {
  const before = known.get(context)
  if (before) {
    before.length = 0
    return before
  }
  const violations: string[] = []
  known.set(context, violations)
  await context.exposeBinding(binding, (_source, text: string) => void violations.push(text))
  await context.addInitScript((name) => {
    addEventListener('securitypolicyviolation', (event) => {
      const { effectiveDirective, blockedURI, sample, sourceFile, lineNumber } = event
      const report = (globalThis as unknown as Record<string, (text: string) => void>)[name]
      report?.(`${effectiveDirective}: ${blockedURI} ${sample} (${sourceFile}:${lineNumber})`)
    })
  }, binding)
  return violations
}
