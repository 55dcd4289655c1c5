/** The part of Trusted Types that this file uses. TypeScript's DOM types lack it. */
interface PolicyFactory {
  createPolicy(name: string, options: { createHTML(html: string): string }): { createHTML(html: string): string }
}

const { trustedTypes } = globalThis as { trustedTypes?: PolicyFactory }

/** HTML is trusted only as the document of a frame without scripts. */
const policy = trustedTypes?.createPolicy('tizonaOutputs', { createHTML: (html) => html })

/** Loads nothing but pictures that are part of the text, and runs nothing. */
const contentPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; form-action 'none'; base-uri 'none'"

const frameStyle = `
html{background:transparent}
body{margin:0;padding:4px 0;color:var(--color-text);font:13px/1.5 var(--font-ui);overflow-wrap:anywhere}
pre,code{font-family:var(--font-mono)}
a{color:var(--color-accent)}
table{border:0;border-collapse:collapse;font-size:12px;overflow-wrap:normal}
th,td{padding:4px 10px;text-align:right;border:0;white-space:nowrap}
thead th{border-bottom:1px solid var(--color-border-strong);color:var(--color-text-strong)}
tbody th{color:var(--color-text-muted);font-weight:500}
tbody tr:nth-child(even){background:var(--color-hover)}
img,svg{max-width:100%}
`

/** Builds the document of an output's frame. @param root declarations of its root element */
export function trustedFrame(html: string, root: string): string {
  const text =
    `<!doctype html><html lang="en" style="${root.replaceAll('"', "'")}"><head><meta charset="utf-8">` +
    `<meta http-equiv="Content-Security-Policy" content="${contentPolicy}">` +
    `<title>Output</title><style>${frameStyle}</style></head><body>${html}</body></html>`
  // Trusted Types: a TrustedHTML object takes the place of the string.
  return policy?.createHTML(text) ?? text
}
