import type { BrowserContext } from '@playwright/test'

const binding = 'tizonaTestViolation'

/** Collects what the content security policy of any page of a context blocks, Trusted Types included. */
export async function policyViolations(context: BrowserContext): Promise<string[]> {
  const violations: string[] = []
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
